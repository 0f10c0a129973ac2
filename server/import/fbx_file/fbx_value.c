/* fbx_value.c - finds records by name and reads their single values; spans. */
#include "import/fbx_file/fbx_file.h"

#include <math.h>
#include <string.h>

bool fbx_span_is(struct fbx_span span, const char *text)
{
    return span.size_bytes == strlen(text) && memcmp(span.bytes, text, span.size_bytes) == 0;
}

bool fbx_span_equal(struct fbx_span a, struct fbx_span b)
{
    return a.size_bytes == b.size_bytes && memcmp(a.bytes, b.bytes, a.size_bytes) == 0;
}

int fbx_span_order(struct fbx_span a, struct fbx_span b)
{
    const int order = memcmp(a.bytes, b.bytes, a.size_bytes < b.size_bytes ? a.size_bytes : b.size_bytes);
    return order != 0 ? order : (a.size_bytes > b.size_bytes) - (a.size_bytes < b.size_bytes);
}

struct fbx_span fbx_span_of(const char *text) { return (struct fbx_span){(const uint8_t *)text, strlen(text)}; }

static uint32_t named_from(const struct fbx_file *file, uint32_t record, const char *name)
{
    while (record != FBX_NONE && name != NULL && !fbx_span_is(file->records[record].name, name))
        record = file->records[record].next;
    return record;
}

uint32_t fbx_child(const struct fbx_file *file, uint32_t parent, const char *name)
{
    if (parent == FBX_NONE)
        return FBX_NONE;
    return named_from(file, parent == FBX_TOP ? file->first : file->records[parent].first_child, name);
}

uint32_t fbx_next(const struct fbx_file *file, uint32_t record, const char *name)
{
    return record == FBX_NONE ? FBX_NONE : named_from(file, file->records[record].next, name);
}

bool fbx_is(const struct fbx_file *file, uint32_t record, const char *name)
{
    return record != FBX_NONE && fbx_span_is(file->records[record].name, name);
}

uint32_t fbx_value_count(const struct fbx_file *file, uint32_t record)
{
    return record == FBX_NONE ? 0 : file->records[record].value_count;
}

const struct fbx_value *fbx_value(const struct fbx_file *file, uint32_t record, uint32_t value)
{
    return value < fbx_value_count(file, record) ? &file->values[file->records[record].value_first + value] : NULL;
}

double fbx_real(const struct fbx_file *file, uint32_t record, uint32_t value, double fallback)
{
    const struct fbx_value *found = fbx_value(file, record, value);
    if (found == NULL || (found->kind != FBX_REAL && found->kind != FBX_INTEGER))
        return fallback;
    return found->kind == FBX_REAL ? found->real : (double)found->integer;
}

int64_t fbx_integer(const struct fbx_file *file, uint32_t record, uint32_t value, int64_t fallback)
{
    const struct fbx_value *found = fbx_value(file, record, value);
    if (found == NULL || (found->kind != FBX_REAL && found->kind != FBX_INTEGER))
        return fallback;
    if (found->kind == FBX_INTEGER)
        return found->integer;
    return found->real >= -9223372036854775808.0 && found->real < 9223372036854775808.0 ? (int64_t)found->real
                                                                                        : fallback;
}

struct fbx_span fbx_text(const struct fbx_file *file, uint32_t record, uint32_t value)
{
    const struct fbx_value *found = fbx_value(file, record, value);
    const bool is_text = found != NULL && (found->kind == FBX_TEXT || found->kind == FBX_BYTES);
    return is_text ? found->span : fbx_span_of("");
}

double fbx_child_real(const struct fbx_file *file, uint32_t parent, const char *name, double fallback)
{
    return fbx_real(file, fbx_child(file, parent, name), 0, fallback);
}

int64_t fbx_child_integer(const struct fbx_file *file, uint32_t parent, const char *name, int64_t fallback)
{
    return fbx_integer(file, fbx_child(file, parent, name), 0, fallback);
}

struct fbx_span fbx_child_text(const struct fbx_file *file, uint32_t parent, const char *name)
{
    return fbx_text(file, fbx_child(file, parent, name), 0);
}

int fbx_letter(const struct fbx_value *value)
{
    if (value->kind == FBX_INTEGER)
        return value->integer > 0 && value->integer < 128 ? (int)value->integer : 0;
    return value->kind == FBX_TEXT && value->span.size_bytes == 1 ? value->span.bytes[0] : 0;
}

bool fbx_fits_float(const double *values, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite((float)values[i]))
            return false;
    return true;
}

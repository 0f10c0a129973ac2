/* fbx_binary.c - reads the records of a binary file (fbx_file.h gives the format's source).
 *
 * A record has its end offset, the number and the size of its values (32 bits each, 64 from version 7500 on), the
 * length of its name (8 bits), the name, the values and the children. A list of children ends at the record's end, or
 * earlier with a record of zeros. A record with end offset 0 but with a name ends after its values; Maya's exporter has
 * written such records. */
#include "base/bytes.h"
#include "import/fbx_file/fbx_internal.h"

#include <string.h>

enum { BIG_ENDIAN_AT = 22, VERSION_AT = 23, VERSION_64_BITS = 7500 };
static const char MAGIC[] = "Kaydara FBX Binary  "; /* and a NUL */

bool fbx_binary_is(const uint8_t *bytes, size_t size_bytes)
{
    return size_bytes >= FBX_HEADER_BYTES && memcmp(bytes, MAGIC, sizeof MAGIC) == 0;
}

uint16_t fbx_u16(const struct fbx_file *file, const uint8_t *p)
{
    return file->is_big_endian ? __builtin_bswap16(get_u16(p)) : get_u16(p);
}

uint32_t fbx_u32(const struct fbx_file *file, const uint8_t *p)
{
    return file->is_big_endian ? __builtin_bswap32(get_u32(p)) : get_u32(p);
}

uint64_t fbx_u64(const struct fbx_file *file, const uint8_t *p)
{
    return file->is_big_endian ? __builtin_bswap64(get_u64(p)) : get_u64(p);
}

static double real_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double real_of_f32(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* The size of a value by its type, or 0 if the type has no fixed size. */
static size_t fixed_size(uint8_t type)
{
    switch (type) {
    case 'C':
    case 'B':
    case 'Z':
        return 1;
    case 'Y':
        return 2;
    case 'I':
    case 'F':
        return 4;
    case 'L':
    case 'D':
        return 8;
    default:
        return 0;
    }
}

static struct fbx_value fixed_value(const struct fbx_file *file, uint8_t type, const uint8_t *p)
{
    struct fbx_value value = {.kind = type == 'F' || type == 'D' ? FBX_REAL : FBX_INTEGER};
    switch (type) {
    case 'C':
    case 'B':
        value.integer = p[0];
        break;
    case 'Z':
        value.integer = (int8_t)p[0];
        break;
    case 'Y':
        value.integer = (int16_t)fbx_u16(file, p);
        break;
    case 'I':
        value.integer = (int32_t)fbx_u32(file, p);
        break;
    case 'L':
        value.integer = (int64_t)fbx_u64(file, p);
        break;
    case 'F':
        value.real = real_of_f32(fbx_u32(file, p));
        break;
    default:
        value.real = real_of(fbx_u64(file, p));
    }
    return value;
}

/* Count, encoding and bytes of an array, whose type has been read. */
static bool array_value(const struct fbx_file *file, uint8_t type, const uint8_t **at, const uint8_t *end,
                        struct fbx_value *out)
{
    if (end - *at < 12)
        return false;
    const uint32_t count = fbx_u32(file, *at), encoding = fbx_u32(file, *at + 4), size = fbx_u32(file, *at + 8);
    *at += 12;
    if (encoding > 1 || (size_t)(end - *at) < size)
        return false;
    *out = (struct fbx_value){.kind = FBX_ARRAY, .array = {{*at, size}, count, type, encoding == 1}};
    *at += size;
    return true;
}

bool fbx_binary_value(const struct fbx_file *file, const uint8_t **at, const uint8_t *end, struct fbx_value *out)
{
    if (*at == end)
        return false;
    const uint8_t type = *(*at)++;
    const size_t size = fixed_size(type), left = (size_t)(end - *at);
    if (size > 0) {
        if (left < size)
            return false;
        *out = fixed_value(file, type, *at);
        *at += size;
        return true;
    }
    if (type == 'S' || type == 'R') {
        if (left < 4 || left - 4 < fbx_u32(file, *at))
            return false;
        const uint32_t bytes = fbx_u32(file, *at);
        *out = (struct fbx_value){.kind = type == 'S' ? FBX_TEXT : FBX_BYTES, .span = {*at + 4, bytes}};
        *at += 4 + (size_t)bytes;
        return true;
    }
    return strchr("fdlibc", type) != NULL && type != '\0' && array_value(file, type, at, end, out);
}

struct head {
    uint64_t end, value_count, value_bytes;
    uint8_t name_bytes;
};

static uint64_t head_bytes(const struct fbx_file *file) { return file->version >= VERSION_64_BITS ? 25 : 13; }

static struct head head_at(const struct fbx_file *file, uint64_t at)
{
    const uint8_t *p = file->bytes + at;
    if (file->version >= VERSION_64_BITS)
        return (struct head){fbx_u64(file, p), fbx_u64(file, p + 8), fbx_u64(file, p + 16), p[24]};
    return (struct head){fbx_u32(file, p), fbx_u32(file, p + 4), fbx_u32(file, p + 8), p[12]};
}

/* Visits all values even if they are kept as a list, so that a broken one is found here. */
static int read_values(struct fbx_file *file, uint32_t record, const struct head *head, const uint8_t *values,
                       struct err *err)
{
    const uint8_t *at = values, *end = values + head->value_bytes;
    for (uint64_t i = 0; i < head->value_count; i++) {
        struct fbx_value value;
        const uint8_t *value_at = at;
        if (!fbx_binary_value(file, &at, end, &value))
            return fbx_bad(file, record, err, "value %llu, at byte %llu, is broken or of an unknown type",
                           (unsigned long long)i, (unsigned long long)(value_at - file->bytes));
        if (head->value_count <= FBX_VALUES_MAX)
            *fbx_add_value(file, record) = value;
    }
    if (head->value_count > UINT32_MAX)
        return fbx_bad(file, record, err, "it has too many values");
    if (head->value_count > FBX_VALUES_MAX)
        fbx_set_list(file, record,
                     (struct fbx_array){{values, (size_t)(at - values)}, (uint32_t)head->value_count, 'v', false});
    return 0;
}

/* Reads the record at *at, whose header is within its parent. Moves *at to its first child or past the record. */
static int read_record(struct fbx_file *file, struct fbx_levels *levels, uint64_t *at, const struct head *head,
                       struct err *err)
{
    const uint64_t parent_end = levels->stack[levels->depth].end, name_at = *at + head_bytes(file);
    const uint64_t capacity = parent_end - name_at;
    struct fbx_span name = {file->bytes + name_at, head->name_bytes < capacity ? head->name_bytes : (size_t)capacity};
    const uint32_t record = fbx_add_record(file, levels, name, *at, err);
    if (record == FBX_NONE)
        return err->code;
    if (head->name_bytes > capacity || head->value_bytes > capacity - head->name_bytes)
        return fbx_bad(file, record, err, "its values end behind byte %llu, where the %s ends",
                       (unsigned long long)parent_end, levels->depth > 0 ? "record it lies in" : "file");
    const uint64_t values_end = name_at + head->name_bytes + head->value_bytes;
    const uint64_t end = head->end == 0 ? values_end : head->end;
    if (end < values_end || end > parent_end)
        return fbx_bad(file, record, err, "it ends at byte %llu, which is %s", (unsigned long long)end,
                       end < values_end    ? "before its values end"
                       : levels->depth > 0 ? "behind the record it lies in"
                                           : "behind the end of the file");
    if (read_values(file, record, head, file->bytes + name_at + head->name_bytes, err) < 0)
        return err->code;
    *at = values_end;
    return end > values_end ? fbx_open_level(file, levels, record, end, err) : 0;
}

/* Whether the innermost list ends at *at. If so, moves *at past the list's record. */
static bool ends_list(const struct fbx_file *file, struct fbx_levels *levels, uint64_t *at, struct head *head)
{
    const uint64_t end = levels->stack[levels->depth].end;
    if (end - *at >= head_bytes(file)) {
        *head = head_at(file, *at);
        if (head->end != 0 || head->name_bytes != 0)
            return false;
    }
    *at = end;
    return true;
}

int fbx_binary_read(struct fbx_file *file, struct err *err)
{
    file->is_big_endian = file->bytes[BIG_ENDIAN_AT] != 0;
    file->version = fbx_u32(file, file->bytes + VERSION_AT);
    struct fbx_levels levels = {.stack[0] = {FBX_NONE, FBX_NONE, file->size_bytes}};
    uint64_t at = FBX_HEADER_BYTES;
    for (;;) {
        struct head head;
        if (!ends_list(file, &levels, &at, &head)) {
            if (read_record(file, &levels, &at, &head, err) < 0)
                return err->code;
        } else if (levels.depth-- == 0) {
            return 0;
        }
    }
}

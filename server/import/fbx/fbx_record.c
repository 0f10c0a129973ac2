/* fbx_record.c - steps over the records of binary FBX files and the lines of text ones. */
#include "import/fbx/fbx_record.h"

#include "base/bytes.h"

#include <string.h>

enum { VERSION_AT = 23, VERSION_64_BITS = 7500, VERSION_MIN = 7000 };
static const char MAGIC[] = "Kaydara FBX Binary  "; /* and a NUL */

bool fbx_is_binary(const uint8_t *bytes, size_t size_bytes)
{
    return size_bytes >= FBX_HEADER_BYTES && memcmp(bytes, MAGIC, sizeof MAGIC) == 0;
}

bool fbx_file_open(struct fbx_file *file, const uint8_t *bytes, size_t size_bytes)
{
    const uint32_t version = get_u32(bytes + VERSION_AT);
    *file = (struct fbx_file){bytes, size_bytes, version >= VERSION_64_BITS};
    return version >= VERSION_MIN;
}

bool fbx_next_record(const struct fbx_file *file, uint64_t *at, uint64_t end, struct fbx_record *out)
{
    const uint64_t head = file->is_64_bits ? 25 : 13;
    if (end < head || *at > end - head)
        return false;
    const uint8_t *bytes = file->bytes + *at;
    const uint64_t record_end = file->is_64_bits ? get_u64(bytes) : get_u32(bytes);
    const uint64_t properties = file->is_64_bits ? get_u64(bytes + 16) : get_u32(bytes + 8);
    const uint64_t name_bytes = bytes[head - 1], name_at = *at + head;
    if (record_end == 0 || record_end > end || record_end < name_at + name_bytes ||
        properties > record_end - name_at - name_bytes)
        return false;
    *out = (struct fbx_record){
        .name = file->bytes + name_at,
        .name_bytes = (uint32_t)name_bytes,
        .properties = file->bytes + name_at + name_bytes,
        .properties_bytes = properties,
        .children_at = name_at + name_bytes + properties,
        .end = record_end,
    };
    *at = record_end;
    return true;
}

bool fbx_is_named(const struct fbx_record *record, const char *name)
{
    return record->name_bytes == strlen(name) && memcmp(record->name, name, record->name_bytes) == 0;
}

const uint8_t *fbx_long(const struct fbx_record *record, uint32_t index)
{
    uint64_t at = 0;
    for (uint32_t i = 0; at < record->properties_bytes; i++) {
        const uint8_t *p = record->properties + at;
        const uint64_t left = record->properties_bytes - at;
        if (p[0] == 'L' && left >= 9) {
            if (i == index)
                return p + 1;
            at += 9;
        } else if (p[0] == 'S' && left >= 5 && left - 5 >= get_u32(p + 1)) {
            at += 5 + (uint64_t)get_u32(p + 1);
        } else {
            return NULL;
        }
    }
    return NULL;
}

bool fbx_starts_with(const struct fbx_record *record, const char *text)
{
    const size_t size = strlen(text);
    return record->properties_bytes >= 5 + size && record->properties[0] == 'S' &&
           get_u32(record->properties + 1) == size && memcmp(record->properties + 5, text, size) == 0;
}

bool fbx_next_line(const char **text, const char *end, struct fbx_line *line)
{
    if (*text == end)
        return false;
    const char *newline = memchr(*text, '\n', (size_t)(end - *text));
    line->at = *text;
    line->end = newline != NULL ? newline : end;
    *text = newline != NULL ? newline + 1 : end;
    while (line->at < line->end && (*line->at == ' ' || *line->at == '\t'))
        line->at++;
    return true;
}

bool fbx_take(struct fbx_line *line, const char *word)
{
    const size_t size = strlen(word);
    if ((size_t)(line->end - line->at) < size || memcmp(line->at, word, size) != 0)
        return false;
    line->at += size;
    return true;
}

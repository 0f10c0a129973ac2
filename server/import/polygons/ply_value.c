#include "import/polygons/ply.h"

#include "base/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t SIZES[] = {1, 1, 2, 2, 4, 4, 4, 8};

static bool is_space(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

double ply_largest(enum ply_type type)
{
    static const double LARGEST[] = {INT8_MAX, UINT8_MAX, INT16_MAX, UINT16_MAX, INT32_MAX, UINT32_MAX, 1, 1};
    return LARGEST[type];
}

const char *ply_place(const struct ply_cursor *cursor, char out[PLY_PLACE_SIZE])
{
    if (cursor->header->encoding != PLY_ASCII) {
        snprintf(out, PLY_PLACE_SIZE, "byte %zu", cursor->at);
        return out;
    }
    unsigned long line = cursor->header->line_count + 1ul;
    for (size_t i = cursor->header->size_bytes; i < cursor->at; i++)
        line += cursor->bytes[i] == (uint8_t)cursor->header->line_end;
    snprintf(out, PLY_PLACE_SIZE, "line %lu", line);
    return out;
}

size_t ply_element_bytes(const struct ply_header *header, const struct ply_element *element)
{
    size_t size = 0;
    for (uint32_t p = 0; p < element->property_count; p++) {
        const struct ply_property *property = &header->properties[element->property_first + p];
        /* text: a digit and its separator, which the last value of the file lacks */
        size += header->encoding == PLY_ASCII ? 2 : SIZES[property->is_list ? property->count_type : property->type];
    }
    return size;
}

static int ends(const struct ply_cursor *cursor, struct err *err)
{
    return err_set(err, ERR_BAD_MODEL, "the file ends at %s, before the last value that its header promises",
                   PLY_PLACE(cursor));
}

static int read_text(struct ply_cursor *cursor, double *value, struct err *err)
{
    while (cursor->at < cursor->size_bytes && is_space(cursor->bytes[cursor->at]))
        cursor->at++;
    if (cursor->at == cursor->size_bytes)
        return ends(cursor, err);
    const char *begin = (const char *)cursor->bytes + cursor->at;
    char *end;
    *value = strtod(begin, &end);
    if (end == begin || (!is_space((uint8_t)*end) && *end != '\0'))
        return err_set(err, ERR_BAD_MODEL, "%s: '%.*s' is no number", PLY_PLACE(cursor),
                       (int)strcspn(begin, " \t\r\n") < 40 ? (int)strcspn(begin, " \t\r\n") : 40, begin);
    cursor->at += (size_t)(end - begin);
    return 0;
}

static double from_bits(enum ply_type type, uint64_t bits)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(bits >> 8 * i);
    switch (type) {
    case PLY_INT8:
        return (int8_t)bits;
    case PLY_INT16:
        return (int16_t)bits;
    case PLY_INT32:
        return (int32_t)bits;
    case PLY_FLOAT32:
        return (double)get_f32(bytes);
    case PLY_FLOAT64:
        return get_f64(bytes);
    case PLY_UINT8:
    case PLY_UINT16:
    case PLY_UINT32:
        break;
    }
    return (double)bits;
}

int ply_read(struct ply_cursor *cursor, enum ply_type type, double *value, struct err *err)
{
    if (cursor->header->encoding == PLY_ASCII)
        return read_text(cursor, value, err);
    const size_t size = SIZES[type];
    if (cursor->size_bytes - cursor->at < size)
        return ends(cursor, err);
    const uint8_t *at = cursor->bytes + cursor->at;
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)at[i] << 8 * (cursor->header->encoding == PLY_BIG_ENDIAN ? size - 1 - i : i);
    *value = from_bits(type, bits);
    cursor->at += size;
    return 0;
}

int ply_read_count(struct ply_cursor *cursor, const struct ply_property *property, uint32_t *count, struct err *err)
{
    double value;
    if (ply_read(cursor, property->count_type, &value, err) < 0)
        return err->code;
    const size_t left = cursor->size_bytes - cursor->at;
    const size_t least = cursor->header->encoding == PLY_ASCII ? 2 : SIZES[property->type];
    if (!(value >= 0) || value > (double)(left / least + 1))
        return err_set(err, ERR_BAD_MODEL, "%s: a list of %g values in a file with room for %zu", PLY_PLACE(cursor),
                       value, left / least);
    *count = (uint32_t)value;
    return 0;
}

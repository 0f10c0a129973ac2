/* stl.c - import_stl(): detects ASCII or binary STL by content and reads the binary form. That has an 80-byte header
 * and a number of facets (u32). Each facet has a normal and three points (12 floats) and two bytes. All numbers are
 * little-endian. */
#include "import/polygons/facets.h"

#include "base/bytes.h"
#include "base/mem.h"

#include <string.h>
#include <strings.h>

enum { HEADER_BYTES = 84, COUNT_AT = 80, FACET_BYTES = 50, COLOR_AT = 48, LOOKED_AT_BYTES = 1024 };

/* Some programs store a facet's colour in its two bytes. VisCAM and SolidView set the highest bit if a facet has a
 * colour, with blue in the lowest bits. Materialise Magics puts "COLOR=" and four bytes (red, green, blue, alpha) into
 * the header, for facets with the highest bit set. Its other facets have their own colour, with red in the lowest
 * bits. */
struct facet_colors {
    bool is_magics, is_viscam;
    double all[4];
};

static struct facet_colors find_colors(const uint8_t *bytes, uint32_t count)
{
    static const char MARK[] = "COLOR=";
    struct facet_colors colors = {.all = {1, 1, 1, 1}};
    const uint8_t *mark = memmem(bytes, COUNT_AT - 4, MARK, sizeof MARK - 1);
    colors.is_magics = mark != NULL;
    for (size_t k = 0; mark != NULL && k < 4; k++)
        colors.all[k] = mark[sizeof MARK - 1 + k] / 255.0;
    for (uint32_t f = 0; f < count && !colors.is_magics && !colors.is_viscam; f++)
        colors.is_viscam = (get_u16(bytes + HEADER_BYTES + (size_t)f * FACET_BYTES + COLOR_AT) & 0x8000u) != 0;
    return colors;
}

static void color_of(const struct facet_colors *colors, unsigned bits, double out[4])
{
    const bool is_marked = (bits & 0x8000u) != 0;
    memcpy(out, colors->all, sizeof colors->all);
    if (is_marked == colors->is_magics)
        return;
    const double low = (bits & 31) / 31.0, middle = (bits >> 5 & 31) / 31.0, high = (bits >> 10 & 31) / 31.0;
    out[0] = colors->is_magics ? low : high;
    out[1] = middle;
    out[2] = colors->is_magics ? high : low;
    out[3] = 1;
}

static int read_binary(struct import *import, struct err *err)
{
    if (import->size_bytes < HEADER_BYTES)
        return err_set(err, ERR_BAD_MODEL,
                       "the file is neither text that begins with 'solid' nor 84 bytes of a header");
    const uint32_t count = get_u32(import->bytes + COUNT_AT);
    const uint64_t capacity = (import->size_bytes - HEADER_BYTES) / FACET_BYTES;
    if (count > capacity)
        return err_set(err, ERR_BAD_MODEL, "byte %d says %u facets, but the file has room for %llu", COUNT_AT, count,
                       (unsigned long long)capacity);
    if (import_check_limit(import, LIMIT_INDICES, 0, 3 * (uint64_t)count, "the solid", err) < 0)
        return err->code;
    const struct facet_colors colors = find_colors(import->bytes, count);
    struct facets facets = {.points = mem_alloc(3 * (size_t)count * sizeof *facets.points),
                            .normals = mem_alloc(count * sizeof *facets.normals),
                            .count = count};
    if (colors.is_magics || colors.is_viscam)
        facets.colors = mem_alloc(count * sizeof *facets.colors);
    for (uint32_t f = 0; f < count; f++) {
        const uint8_t *at = import->bytes + HEADER_BYTES + (size_t)f * FACET_BYTES;
        for (size_t k = 0; k < 3; k++)
            facets.normals[f][k] = (double)get_f32(at + 4 * k);
        for (size_t k = 0; k < 9; k++)
            facets.points[3 * (size_t)f + k / 3][k % 3] = (double)get_f32(at + 12 + 4 * k);
        if (facets.colors != NULL)
            color_of(&colors, get_u16(at + COLOR_AT), facets.colors[f]);
    }
    const int rc = facets_add_mesh(import, &facets, (struct str){.offset = STR_NONE}, "the solid", err);
    facets_fini(&facets);
    return rc;
}

/* A binary file's header may begin with "solid" too. Such a file has the length that its facet count requires, or
 * begins with bytes that cannot occur in text. */
static bool is_text(const uint8_t *bytes, size_t size_bytes)
{
    size_t at = 0;
    while (at < size_bytes && (bytes[at] == ' ' || (bytes[at] >= '\t' && bytes[at] <= '\r')))
        at++;
    if (size_bytes - at < 5 || strncasecmp((const char *)bytes + at, "solid", 5) != 0)
        return false;
    if (size_bytes >= HEADER_BYTES && HEADER_BYTES + (uint64_t)get_u32(bytes + COUNT_AT) * FACET_BYTES == size_bytes)
        return false;
    return memchr(bytes, 0, size_bytes < LOOKED_AT_BYTES ? size_bytes : LOOKED_AT_BYTES) == NULL;
}

int import_stl(struct import *import, struct err *err)
{
    const int rc = is_text(import->bytes, import->size_bytes) ? stl_read_text(import, err) : read_binary(import, err);
    if (rc < 0)
        return rc;
    if (import->builder->node_count == 0)
        return err_set(err, ERR_BAD_MODEL, "the file holds no facet: all its solids are empty");
    return import->builder->is_failed ? import_full(import, err) : 0;
}

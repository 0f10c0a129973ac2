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
 * bits. MeshLab's header begins alike, but has three bytes and " MATERIAL=" behind them. Its facets have colours as
 * those of VisCAM, with red in the lowest bits (vcglib, export_stl.h); the header's colour is a constant. */
enum coloring { COLORING_NONE, COLORING_VISCAM, COLORING_MAGICS, COLORING_MESHLAB };

struct facet_colors {
    enum coloring coloring;
    double all[4]; /* of facets without their own */
};

static unsigned color_bits(const uint8_t *bytes, uint32_t facet)
{
    return get_u16(bytes + HEADER_BYTES + (size_t)facet * FACET_BYTES + COLOR_AT);
}

static struct facet_colors find_colors(const uint8_t *bytes, uint32_t count)
{
    static const char MARK[] = "COLOR=", MESHLAB[] = " MATERIAL=";
    struct facet_colors colors = {.all = {1, 1, 1, 1}};
    const uint8_t *mark = memmem(bytes, COUNT_AT - 4, MARK, sizeof MARK - 1);
    const uint8_t *color = mark == NULL ? NULL : mark + sizeof MARK - 1;
    const bool is_meshlab = color != NULL && color + 3 + sizeof MESHLAB <= bytes + COUNT_AT &&
                            memcmp(color + 3, MESHLAB, sizeof MESHLAB - 1) == 0;
    for (uint32_t f = 0; f < count && colors.coloring == COLORING_NONE; f++)
        if ((color_bits(bytes, f) & 0x8000u) != 0)
            colors.coloring = is_meshlab ? COLORING_MESHLAB : COLORING_VISCAM;
    if (color == NULL || is_meshlab)
        return colors;
    colors.coloring = COLORING_MAGICS;
    for (size_t k = 0; k < 4; k++)
        colors.all[k] = color[k] / 255.0;
    return colors;
}

static void color_of(const struct facet_colors *colors, unsigned bits, double out[4])
{
    const bool is_marked = (bits & 0x8000u) != 0, is_magics = colors->coloring == COLORING_MAGICS;
    memcpy(out, colors->all, sizeof colors->all);
    if (is_marked == is_magics)
        return;
    const double low = (bits & 31) / 31.0, middle = (bits >> 5 & 31) / 31.0, high = (bits >> 10 & 31) / 31.0;
    const bool is_red_low = colors->coloring != COLORING_VISCAM;
    out[0] = is_red_low ? low : high;
    out[1] = middle;
    out[2] = is_red_low ? high : low;
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
    if (colors.coloring != COLORING_NONE)
        facets.colors = mem_alloc(count * sizeof *facets.colors);
    for (uint32_t f = 0; f < count; f++) {
        const uint8_t *at = import->bytes + HEADER_BYTES + (size_t)f * FACET_BYTES;
        for (size_t k = 0; k < 3; k++)
            facets.normals[f][k] = (double)get_f32(at + 4 * k);
        for (size_t k = 0; k < 9; k++)
            facets.points[3 * (size_t)f + k / 3][k % 3] = (double)get_f32(at + 12 + 4 * k);
        if (facets.colors != NULL)
            color_of(&colors, color_bits(import->bytes, f), facets.colors[f]);
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

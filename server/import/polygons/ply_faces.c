/* ply_faces.c - reads elements that name vertices: faces, triangle strips and edges. */
#include "import/polygons/ply_surface.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* The property indices and state of one element's reader. */
struct row_reader {
    struct ply_surface *surface;
    struct import *import;
    struct ply_cursor *cursor;
    const struct ply_element *element;
    struct err *err;
    int corners, texcoords, colors[4], ends[2]; /* properties, or -1 */
    uint32_t row;
    /* of the current row */
    uint32_t *list; /* vertices; NONE parts strips */
    double *uvs;
    uint32_t list_count, uv_count;
    size_t list_capacity, uv_capacity;
    double color[4], end[2];
};

static int fail_index(const struct row_reader *reader, double index)
{
    return err_set(reader->err, ERR_BAD_MODEL, "%s %u, before %s, names vertex %g of %u", reader->element->name,
                   reader->row, PLY_PLACE(reader->cursor), index, reader->surface->vertex_count);
}

static int read_corners(struct row_reader *reader, const struct ply_property *property, uint32_t count, bool is_strip)
{
    reader->list = mem_grow(reader->list, &reader->list_capacity, count, sizeof *reader->list);
    for (uint32_t i = 0; i < count; i++) {
        double index;
        if (ply_read(reader->cursor, property->type, &index, reader->err) < 0)
            return reader->err->code;
        if (is_strip && index < 0)
            reader->list[i] = NONE;
        else if (!(index >= 0) || index >= reader->surface->vertex_count)
            return fail_index(reader, index);
        else
            reader->list[i] = (uint32_t)index;
    }
    reader->list_count = count;
    return 0;
}

static int read_list(struct row_reader *reader, int number, const struct ply_property *property, bool is_strip)
{
    uint32_t count;
    if (ply_read_count(reader->cursor, property, &count, reader->err) < 0)
        return reader->err->code;
    if (number == reader->corners)
        return read_corners(reader, property, count, is_strip);
    const bool is_kept = number == reader->texcoords;
    if (is_kept) {
        reader->uvs = mem_grow(reader->uvs, &reader->uv_capacity, count, sizeof *reader->uvs);
        reader->uv_count = count;
    }
    for (uint32_t i = 0; i < count; i++) {
        double value;
        if (ply_read(reader->cursor, property->type, &value, reader->err) < 0)
            return reader->err->code;
        if (is_kept)
            reader->uvs[i] = value;
    }
    return 0;
}

static int read_row(struct row_reader *reader, bool is_strip)
{
    reader->list_count = reader->uv_count = 0;
    for (int p = 0; p < (int)reader->element->property_count; p++) {
        const struct ply_property *property =
            &reader->cursor->header->properties[reader->element->property_first + (uint32_t)p];
        double value;
        if (property->is_list ? read_list(reader, p, property, is_strip) < 0
                              : ply_read(reader->cursor, property->type, &value, reader->err) < 0)
            return reader->err->code;
        for (int k = 0; !property->is_list && k < 4; k++)
            if (reader->colors[k] == p)
                reader->color[k] = value / ply_largest(property->type);
        for (int k = 0; !property->is_list && k < 2; k++)
            if (reader->ends[k] == p)
                reader->end[k] = value;
    }
    return 0;
}

/* Appends a polygon; its colour and its corners' texture coordinates come from the reader. */
static int put_polygon(struct row_reader *reader, struct ply_polygons *out, const uint32_t *corners, uint32_t count)
{
    if (import_check_limit(reader->import, LIMIT_INDICES, out->corner_count, count, reader->element->name,
                           reader->err) < 0)
        return reader->err->code;
    const size_t corner_count = (size_t)out->corner_count + count;
    out->corners = mem_grow(out->corners, &out->corner_capacity, corner_count, sizeof *out->corners);
    out->starts = mem_grow(out->starts, &out->start_capacity, (size_t)out->count + 2, sizeof *out->starts);
    memcpy(out->corners + out->corner_count, corners, count * sizeof *corners);
    out->starts[0] = 0;
    out->corner_count = (uint32_t)corner_count;
    out->starts[++out->count] = out->corner_count;
    return 0;
}

static int put_face(struct row_reader *reader, const uint32_t *corners, uint32_t count, bool has_uvs)
{
    struct ply_surface *surface = reader->surface;
    const uint32_t first = surface->faces.corner_count;
    if (put_polygon(reader, &surface->faces, corners, count) < 0)
        return reader->err->code;
    if (reader->texcoords >= 0) {
        surface->corner_texcoords = mem_grow(surface->corner_texcoords, &surface->corner_texcoord_capacity,
                                             surface->faces.corner_count, sizeof *surface->corner_texcoords);
        memset(surface->corner_texcoords[first], 0, count * sizeof *surface->corner_texcoords);
        if (has_uvs)
            memcpy(surface->corner_texcoords[first], reader->uvs, count * sizeof *surface->corner_texcoords);
    }
    if (reader->colors[0] >= 0) {
        surface->face_colors = mem_grow(surface->face_colors, &surface->face_color_capacity, surface->faces.count,
                                        sizeof *surface->face_colors);
        memcpy(surface->face_colors[surface->faces.count - 1], reader->color, sizeof *surface->face_colors);
    }
    return 0;
}

/* Every second triangle of a strip has the opposite winding. */
static int put_strip(struct row_reader *reader)
{
    const uint32_t *list = reader->list;
    uint32_t begin = 0;
    for (uint32_t i = 0; i < reader->list_count; i++) {
        if (list[i] == NONE) {
            begin = i + 1;
            continue;
        }
        if (i < begin + 2)
            continue;
        const bool is_turned = ((i - begin) & 1) != 0;
        const uint32_t corners[3] = {list[i - 2], list[is_turned ? i : i - 1], list[is_turned ? i - 1 : i]};
        if (put_face(reader, corners, 3, false) < 0)
            return reader->err->code;
    }
    return 0;
}

static int put_edge(struct row_reader *reader)
{
    uint32_t ends[2];
    for (int k = 0; k < 2; k++) {
        if (!(reader->end[k] >= 0) || reader->end[k] >= reader->surface->vertex_count)
            return fail_index(reader, reader->end[k]);
        ends[k] = (uint32_t)reader->end[k];
    }
    return put_polygon(reader, &reader->surface->edges, ends, 2);
}

static int put_row(struct row_reader *reader, bool is_strip)
{
    if (reader->ends[0] >= 0)
        return put_edge(reader);
    if (is_strip)
        return put_strip(reader);
    if (reader->list_count < 3) {
        reader->surface->faces_left_out++;
        return 0;
    }
    return put_face(reader, reader->list, reader->list_count, reader->uv_count == 2 * (uint64_t)reader->list_count);
}

static int find_properties(struct row_reader *reader, bool is_strip, bool is_edge)
{
    static const char *const COLORS[] = {"red|r|diffuse_red", "green|g|diffuse_green", "blue|b|diffuse_blue",
                                         "alpha|a|diffuse_alpha"};
    const struct ply_header *header = reader->cursor->header;
    const struct ply_element *element = reader->element;
    reader->corners = is_edge ? -1 : ply_property_find(header, element, "vertex_indices|vertex_index");
    reader->texcoords = is_edge || is_strip ? -1 : ply_property_find(header, element, "texcoord|texcoords");
    for (int k = 0; k < 4; k++) {
        reader->colors[k] = ply_property_find(header, element, COLORS[k]);
        reader->color[k] = 1;
    }
    for (int k = 0; k < 2; k++)
        reader->ends[k] = is_edge ? ply_property_find(header, element, k == 0 ? "vertex1" : "vertex2") : -1;
    const bool is_list =
        reader->corners >= 0 && header->properties[element->property_first + (uint32_t)reader->corners].is_list;
    if (is_edge ? reader->ends[0] < 0 || reader->ends[1] < 0 : !is_list)
        return err_set(reader->err, ERR_BAD_MODEL, "the element '%s' has no %s", element->name,
                       is_edge ? "properties 'vertex1' and 'vertex2'" : "list 'vertex_indices'");
    return 0;
}

int ply_faces_read(struct ply_surface *surface, struct import *import, struct ply_cursor *cursor,
                   const struct ply_element *element, struct err *err)
{
    struct row_reader reader = {.surface = surface, .import = import, .cursor = cursor, .element = element, .err = err};
    const bool is_strip = strcmp(element->name, "tristrips") == 0, is_edge = strcmp(element->name, "edge") == 0;
    int rc = element->count == 0 ? 0 : find_properties(&reader, is_strip, is_edge);
    for (; rc == 0 && reader.row < element->count; reader.row++) {
        rc = read_row(&reader, is_strip);
        if (rc == 0)
            rc = put_row(&reader, is_strip);
    }
    free(reader.list);
    free(reader.uvs);
    return rc;
}

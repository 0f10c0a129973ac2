#include "import/polygons/ply_surface.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void ply_surface_fini(struct ply_surface *surface)
{
    free(surface->points);
    free(surface->normals);
    free(surface->texcoords);
    free(surface->colors);
    free(surface->faces.corners);
    free(surface->faces.starts);
    free(surface->edges.corners);
    free(surface->edges.starts);
    free(surface->corner_texcoords);
    free(surface->face_colors);
    *surface = (struct ply_surface){0};
}

/* The attributes of a vertex, in this order. */
enum { X, Y, Z, NX, NY, NZ, U, V, RED, GREEN, BLUE, ALPHA, PART_COUNT };
static const char *const PARTS[PART_COUNT] = {"x",
                                              "y",
                                              "z",
                                              "nx",
                                              "ny",
                                              "nz",
                                              "u|s|texture_u|texture_s",
                                              "v|t|texture_v|texture_t",
                                              "red|r|diffuse_red",
                                              "green|g|diffuse_green",
                                              "blue|b|diffuse_blue",
                                              "alpha|a|diffuse_alpha"};

struct vertex_reader {
    struct ply_cursor *cursor;
    const struct ply_element *element;
    int part_of[PLY_PROPERTIES_MAX];  /* the attribute of each property, or -1 */
    double whole[PLY_PROPERTIES_MAX]; /* divisor */
    bool has[PART_COUNT];
};

static int find_parts(struct vertex_reader *reader, struct err *err)
{
    const struct ply_header *header = reader->cursor->header;
    for (uint32_t p = 0; p < reader->element->property_count; p++)
        reader->part_of[p] = -1;
    for (int part = 0; part < PART_COUNT; part++) {
        const int found = ply_property_find(header, reader->element, PARTS[part]);
        if (found < 0 || header->properties[reader->element->property_first + (uint32_t)found].is_list)
            continue;
        const enum ply_type type = header->properties[reader->element->property_first + (uint32_t)found].type;
        reader->part_of[found] = part;
        reader->whole[found] = part >= RED ? ply_largest(type) : 1;
        reader->has[part] = true;
    }
    if (!reader->has[X] || !reader->has[Y] || !reader->has[Z])
        return err_set(err, ERR_BAD_MODEL, "the element 'vertex' has no properties 'x', 'y' and 'z'");
    return 0;
}

/* Reads a row's values and drops those that are not vertex attributes. */
static int read_row(const struct vertex_reader *reader, double parts[PART_COUNT], struct err *err)
{
    struct ply_cursor *cursor = reader->cursor;
    parts[ALPHA] = 1;
    for (uint32_t p = 0; p < reader->element->property_count; p++) {
        const struct ply_property *property = &cursor->header->properties[reader->element->property_first + p];
        uint32_t count = 1;
        double value = 0;
        if (property->is_list && ply_read_count(cursor, property, &count, err) < 0)
            return err->code;
        for (uint32_t i = 0; i < count; i++)
            if (ply_read(cursor, property->type, &value, err) < 0)
                return err->code;
        if (reader->part_of[p] >= 0)
            parts[reader->part_of[p]] = value / reader->whole[p];
    }
    return 0;
}

static int read_vertices(struct ply_surface *surface, struct import *import, struct ply_cursor *cursor,
                         const struct ply_element *element, struct err *err)
{
    struct vertex_reader reader = {.cursor = cursor, .element = element};
    if (find_parts(&reader, err) < 0 ||
        import_check_limit(import, LIMIT_VERTICES, 0, element->count, "vertex", err) < 0)
        return err->code;
    const size_t count = element->count;
    surface->vertex_count = element->count;
    surface->points = mem_alloc(count * sizeof *surface->points);
    if (reader.has[NX] && reader.has[NY] && reader.has[NZ])
        surface->normals = mem_alloc(count * sizeof *surface->normals);
    if (reader.has[U] && reader.has[V])
        surface->texcoords = mem_alloc(count * sizeof *surface->texcoords);
    if (reader.has[RED] && reader.has[GREEN] && reader.has[BLUE])
        surface->colors = mem_alloc(count * sizeof *surface->colors);
    for (size_t v = 0; v < count; v++) {
        double parts[PART_COUNT];
        if (read_row(&reader, parts, err) < 0)
            return err->code;
        memcpy(surface->points[v], parts + X, sizeof *surface->points);
        if (surface->normals != NULL)
            memcpy(surface->normals[v], parts + NX, sizeof *surface->normals);
        if (surface->texcoords != NULL)
            memcpy(surface->texcoords[v], parts + U, sizeof *surface->texcoords);
        if (surface->colors != NULL)
            memcpy(surface->colors[v], parts + RED, sizeof *surface->colors);
    }
    return 0;
}

static int pass_over(struct ply_cursor *cursor, const struct ply_element *element, struct err *err)
{
    for (uint32_t row = 0; row < element->count && element->property_count > 0; row++)
        for (uint32_t p = 0; p < element->property_count; p++) {
            const struct ply_property *property = &cursor->header->properties[element->property_first + p];
            uint32_t count = 1;
            double value;
            if (property->is_list && ply_read_count(cursor, property, &count, err) < 0)
                return err->code;
            for (uint32_t i = 0; i < count; i++)
                if (ply_read(cursor, property->type, &value, err) < 0)
                    return err->code;
        }
    return 0;
}

static bool is_any(const char *name, const char *const names[4])
{
    for (int i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static int read_element(struct ply_surface *surface, struct import *import, struct ply_cursor *cursor,
                        const struct ply_element *element, struct err *err)
{
    static const char *const FACES[4] = {"face", "faces", "tristrips", "edge"};
    const size_t least = ply_element_bytes(cursor->header, element), left = cursor->size_bytes - cursor->at;
    if (element->property_count > 0 && element->count > (left + 1) / least)
        return err_set(err, ERR_BAD_MODEL, "the header says %u of the element '%s', but the file has room for %zu",
                       element->count, element->name, (left + 1) / least);
    if (strcmp(element->name, "vertex") == 0 && surface->points == NULL)
        return read_vertices(surface, import, cursor, element, err);
    if (is_any(element->name, FACES))
        return ply_faces_read(surface, import, cursor, element, err);
    if (element->count > 0)
        bake_warn(import->builder, "elements_ignored", "elements '%s' are not read", element->name);
    return pass_over(cursor, element, err);
}

int ply_surface_read(struct ply_surface *surface, struct import *import, const struct ply_header *header,
                     struct err *err)
{
    struct ply_cursor cursor = {
        .header = header, .bytes = import->bytes, .at = header->size_bytes, .size_bytes = import->size_bytes};
    /* faces may come before the vertices that they name */
    for (uint32_t e = header->element_count; e-- > 0;)
        if (strcmp(header->elements[e].name, "vertex") == 0)
            surface->vertex_count = header->elements[e].count;
    for (uint32_t e = 0; e < header->element_count; e++)
        if (read_element(surface, import, &cursor, &header->elements[e], err) < 0)
            return err->code;
    return 0;
}

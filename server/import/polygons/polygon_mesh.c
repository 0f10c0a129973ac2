#include "import/polygons/polygon_mesh.h"

#include "anim/model/rgba8.h"
#include "base/hash.h"
#include "base/mem.h"
#include "import/mesh/triangulate.h"
#include "import/mesh/vertex_values.h"
#include "import/mesh/vertex_set.h"

#include <stdlib.h>
#include <string.h>

/* All that is baked of a vertex. No padding: compared as bytes. */
struct vertex {
    struct vec3 position, normal;
    struct vec2 texcoord;
    struct rgba8 color;
};

struct maker {
    const struct polygon_mesh *from;
    struct vec3 *normals; /* [corner_count]: made ones, or NULL: the file has all */
    struct vertex *vertices;
    uint32_t *indices;
    uint32_t vertex_count, index_count, left_out;
    struct vertex_set set;
    struct triangulator triangulator;
};

static uint32_t corner_count(const struct polygon_mesh *from)
{
    return from->polygons.starts[from->polygons.polygon_count];
}

/* --- the values of a corner --- */

static const double *value_at(const struct polygon_mesh *from, const struct corner_values *values, uint32_t corner,
                              uint32_t component_count)
{
    const uint32_t index = values->of_corner != NULL ? values->of_corner[corner] : from->polygons.corners[corner];
    return values->values + (size_t)index * component_count;
}

static struct vec3 position_of(const double point[3])
{
    /* + 0: a minus before 0 makes no other vertex */
    return (struct vec3){(float)point[0] + 0.0f, (float)point[1] + 0.0f, (float)point[2] + 0.0f};
}

static bool file_normal(const struct polygon_mesh *from, uint32_t corner, struct vec3 *out)
{
    if (from->normals.values == NULL)
        return false;
    double normal[3];
    if (!unit_direction(value_at(from, &from->normals, corner, 3), normal))
        return false;
    *out = position_of(normal);
    return true;
}

static struct vertex vertex_of(const struct maker *maker, uint32_t corner)
{
    const struct polygon_mesh *from = maker->from;
    struct vertex vertex = {
        .position = position_of(from->polygons.points[from->polygons.corners[corner]]),
        .color = {255, 255, 255, 255},
    };
    if (!file_normal(from, corner, &vertex.normal))
        vertex.normal = maker->normals != NULL ? maker->normals[corner] : (struct vec3){0, 0, 1};
    if (from->texcoords.values != NULL) {
        const double *uv = value_at(from, &from->texcoords, corner, 2);
        vertex.texcoord = (struct vec2){finite_or_zero(uv[0]), finite_or_zero(1 - uv[1])}; /* rows go down */
    }
    if (from->colors.values != NULL) {
        const double *color = value_at(from, &from->colors, corner, 4);
        vertex.color = rgba8_of(color[0], color[1], color[2], color[3]);
    }
    return vertex;
}

/* --- normals --- */

static bool lacks_normals(const struct polygon_mesh *from)
{
    struct vec3 normal;
    for (uint32_t c = 0; c < corner_count(from); c++)
        if (!file_normal(from, c, &normal))
            return true;
    return false;
}

/* Points at one place are one, as surfaces of files have them apart along the seams of their pictures.
 * Returns [corner_count]: the first point at each corner's place. */
static uint32_t *corner_places(const struct polygon_mesh *from)
{
    const struct polygons *polygons = &from->polygons;
    uint32_t *places = mem_alloc(polygons->point_count * sizeof *places);
    struct vertex_set set;
    vertex_set_init(&set, polygons->point_count);
    for (uint32_t p = 0; p < polygons->point_count; p++) {
        const struct vec3 at = position_of(polygons->points[p]);
        uint32_t *slot = vertex_set_first(&set, hash64(HASH64_SEED, &at, sizeof at));
        for (; *slot != VERTEX_NONE; slot = vertex_set_next(&set, slot)) {
            const struct vec3 other = position_of(polygons->points[*slot]);
            if (memcmp(&other, &at, sizeof at) == 0)
                break;
        }
        if (*slot == VERTEX_NONE)
            *slot = p;
        places[p] = *slot;
    }
    free(set.slots);
    uint32_t *of_corner = mem_alloc(corner_count(from) * sizeof *of_corner);
    for (uint32_t c = 0; c < corner_count(from); c++)
        of_corner[c] = places[polygons->corners[c]];
    free(places);
    return of_corner;
}

static struct vec3 *make_normals(const struct polygon_mesh *from)
{
    const uint32_t count = corner_count(from);
    struct vec3 *normals = mem_alloc(count * sizeof *normals);
    uint32_t *places = corner_places(from);
    struct polygons merged = from->polygons;
    merged.corners = places;
    corner_normals(&merged, &from->smoothing, normals);
    for (uint32_t c = 0; from->is_clockwise && c < count; c++)
        normals[c] = (struct vec3){0 - normals[c].x, 0 - normals[c].y, 0 - normals[c].z};
    free(places);
    return normals;
}

/* --- vertices and indices --- */

static uint32_t vertex_index(struct maker *maker, uint32_t corner)
{
    const struct vertex vertex = vertex_of(maker, corner);
    uint32_t *slot = vertex_set_first(&maker->set, hash64(HASH64_SEED, &vertex, sizeof vertex));
    while (*slot != VERTEX_NONE && memcmp(&maker->vertices[*slot], &vertex, sizeof vertex) != 0)
        slot = vertex_set_next(&maker->set, slot);
    if (*slot == VERTEX_NONE) {
        maker->vertices[maker->vertex_count] = vertex;
        *slot = maker->vertex_count++;
    }
    return *slot;
}

static bool is_finite_polygon(const struct polygons *polygons, uint32_t begin, uint32_t end)
{
    for (uint32_t c = begin; c < end; c++) {
        const struct vec3 at = position_of(polygons->points[polygons->corners[c]]);
        if (!vec3_is_finite(&at))
            return false;
    }
    return true;
}

static void add_polygon(struct maker *maker, uint32_t begin, uint32_t end, uint32_t *vertices, double (*points)[3])
{
    const struct polygons *polygons = &maker->from->polygons;
    const uint32_t count = end - begin;
    for (uint32_t c = begin; c < end; c++) {
        vertices[c - begin] = vertex_index(maker, c);
        memcpy(points[c - begin], polygons->points[polygons->corners[c]], sizeof *points);
    }
    uint32_t *out = maker->indices + maker->index_count;
    if (maker->from->topology != TOPOLOGY_TRIANGLES) {
        memcpy(out, vertices, count * sizeof *out);
        maker->index_count += count;
        return;
    }
    triangulate(&maker->triangulator, (const double(*)[3])points, count, out);
    const uint32_t index_count = 3 * (count - 2);
    for (uint32_t i = 0; i < index_count; i++)
        out[i] = vertices[out[i]];
    for (uint32_t i = 0; maker->from->is_clockwise && i < index_count; i += 3) {
        const uint32_t second = out[i + 1];
        out[i + 1] = out[i + 2];
        out[i + 2] = second;
    }
    maker->index_count += index_count;
}

static void make(struct maker *maker)
{
    const struct polygons *polygons = &maker->from->polygons;
    uint32_t largest = 1;
    for (uint32_t p = 0; p < polygons->polygon_count; p++) {
        const uint32_t count = polygons->starts[p + 1] - polygons->starts[p];
        largest = count > largest ? count : largest;
    }
    uint32_t *vertices = mem_alloc(largest * sizeof *vertices);
    double(*points)[3] = mem_alloc(largest * sizeof *points);
    for (uint32_t p = 0; p < polygons->polygon_count; p++) {
        const uint32_t begin = polygons->starts[p], end = polygons->starts[p + 1];
        if (is_finite_polygon(polygons, begin, end))
            add_polygon(maker, begin, end, vertices, points);
        else
            maker->left_out++;
    }
    free(vertices);
    free(points);
}

/* --- the primitive in the builder --- */

/* An array that the model has for all vertices or for none: the first primitive that has it fills up those before. */
static uint32_t missing(const struct import *import, uint32_t have, bool is_wanted)
{
    return is_wanted || have > 0 ? import->builder->position_count - have : 0;
}

static int add_vertices(struct import *import, const struct maker *maker, struct err *err)
{
    struct bake_builder *builder = import->builder;
    const uint32_t first = builder->position_count, count = maker->vertex_count;
    const bool has_texcoords = maker->from->texcoords.values != NULL, has_colors = maker->from->colors.values != NULL;
    struct vec3 *positions = bake_add_position(builder, count), *normals = bake_add_normal(builder, count);
    const uint32_t color_count = missing(import, builder->color_count, has_colors);
    struct rgba8 *colors = bake_add_color(builder, color_count);
    if (positions == NULL || normals == NULL || colors == NULL ||
        bake_add_texcoord(builder, missing(import, builder->texcoord_count, has_texcoords)) == NULL)
        return import_full(import, err);
    memset(colors, 0xff, color_count * sizeof *colors);
    for (uint32_t v = 0; v < count; v++) {
        const struct vertex *vertex = &maker->vertices[v];
        positions[v] = vertex->position;
        normals[v] = vertex->normal;
        if (has_texcoords)
            builder->texcoords[first + v] = vertex->texcoord;
        if (has_colors)
            builder->colors[first + v] = vertex->color;
    }
    return 0;
}

static int add_primitive(struct import *import, const struct maker *maker, uint32_t mesh, int32_t material,
                         const char *where, struct err *err)
{
    struct bake_builder *builder = import->builder;
    const struct primitive primitive = {
        .mesh = mesh,
        .topology = maker->from->topology,
        .vertex_first = builder->position_count,
        .vertex_count = maker->vertex_count,
        .index_first = builder->index_count,
        .index_count = maker->index_count,
        .material = material,
        .flags = (maker->normals == NULL && maker->from->normals.values != NULL ? PRIMITIVE_FILE_NORMALS : 0u) |
                 (maker->from->texcoords.values != NULL ? PRIMITIVE_TEXCOORDS : 0u) |
                 (maker->from->colors.values != NULL ? PRIMITIVE_COLORS : 0u),
    };
    if (import_check_limit(import, LIMIT_VERTICES, builder->position_count, maker->vertex_count, where, err) < 0 ||
        import_check_limit(import, LIMIT_INDICES, builder->index_count, maker->index_count, where, err) < 0)
        return err->code;
    uint32_t *indices = bake_add_index(builder, maker->index_count);
    if (indices == NULL)
        return import_full(import, err);
    memcpy(indices, maker->indices, maker->index_count * sizeof *indices);
    if (add_vertices(import, maker, err) < 0)
        return err->code;
    builder->meshes[mesh].primitive_count++;
    return import_put_primitive(import, &primitive, err);
}

int polygon_mesh_add(struct import *import, const struct polygon_mesh *from, uint32_t mesh, int32_t material,
                     const char *where, struct err *err)
{
    const uint32_t corners = corner_count(from);
    /* Each corner becomes an index at least; more than the limit are refused before memory is asked for them. */
    if (import_check_limit(import, LIMIT_INDICES, import->builder->index_count, corners, where, err) < 0)
        return err->code;
    struct maker maker = {.from = from};
    if (from->topology == TOPOLOGY_TRIANGLES && lacks_normals(from))
        maker.normals = make_normals(from);
    maker.vertices = mem_alloc(corners * sizeof *maker.vertices);
    maker.indices = mem_alloc(3 * (size_t)corners * sizeof *maker.indices);
    vertex_set_init(&maker.set, corners);
    make(&maker);
    if (maker.left_out > 0)
        bake_warn(import->builder, "not_finite_repaired",
                  "%s: %u polygons or points are left out, because they lie at numbers that are not finite", where,
                  maker.left_out);
    const int rc = maker.index_count == 0 ? 0 : add_primitive(import, &maker, mesh, material, where, err);
    free(maker.normals);
    free(maker.vertices);
    free(maker.indices);
    free(maker.set.slots);
    triangulator_fini(&maker.triangulator);
    return rc;
}

int polygon_mesh_add_root(struct import *import, struct str name, struct err *err)
{
    struct bake_builder *builder = import->builder;
    const uint32_t n = builder->node_count, m = builder->mesh_count;
    const struct mesh mesh = {.name = name, .primitive_first = builder->primitive_count};
    const struct node node = {.name = name,
                              .parent = -1,
                              .mesh = (int32_t)m,
                              .skin = -1,
                              .matrix = -1,
                              .rotation = {0, 0, 0, 1},
                              .scale = {1, 1, 1}};
    if (import_check_limit(import, LIMIT_NODES, n, 1, "a mesh", err) < 0 || import_put_mesh(import, &mesh, err) < 0 ||
        import_put_node(import, &node, err) < 0 || import_put_root(import, &n, err) < 0)
        return err->code;
    return (int)m;
}

int polygon_mesh_add_material(struct import *import, int32_t texture, struct err *err)
{
    struct material material = MATERIAL_PLAIN;
    material.flags |= MATERIAL_DOUBLE_SIDED;
    material.textures[TEXTURE_BASE_COLOR].texture = texture;
    const int index = (int)import->builder->material_count;
    return import_put_material(import, &material, err) < 0 ? err->code : index;
}

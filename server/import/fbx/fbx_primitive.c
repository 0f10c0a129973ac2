#include "import/fbx/fbx_primitive.h"

#include "base/hash.h"
#include "base/mem.h"
#include "import/fbx/fbx_material.h"
#include "import/mesh/vertex_set.h"

#include <stdlib.h>
#include <string.h>

#define NOT_MOVED UINT32_MAX

static uint32_t vertex_index(struct fbx_mesh_reader *reader, struct vertex_set *set, uint32_t polygon, uint32_t corner)
{
    const struct fbx_vertex vertex = fbx_vertex_of(&reader->corners, polygon, corner);
    uint32_t *slot = vertex_set_first(set, hash64(HASH64_SEED, &vertex, sizeof vertex));
    while (*slot != VERTEX_NONE && memcmp(&reader->vertices[*slot], &vertex, sizeof vertex) != 0)
        slot = vertex_set_next(set, slot);
    if (*slot == VERTEX_NONE) {
        reader->vertices[reader->vertex_count] = vertex;
        *slot = reader->vertex_count++;
    }
    return *slot;
}

/* Appends the triangles of a polygon whose corners are `vertices`. */
static void add_triangles(struct fbx_mesh_reader *reader, const uint32_t *vertices, const double (*points)[3],
                          uint32_t count)
{
    uint32_t *out = reader->indices + reader->index_count;
    triangulate(&reader->triangulator, points, count, out);
    const uint32_t index_count = 3 * (count - 2);
    for (uint32_t i = 0; i < index_count; i++)
        out[i] = vertices[out[i]];
    for (uint32_t i = 0; reader->is_mirrored && i < index_count; i += 3) {
        const uint32_t second = out[i + 1];
        out[i + 1] = out[i + 2];
        out[i + 2] = second;
    }
    reader->index_count += index_count;
}

static void read_polygons(struct fbx_mesh_reader *reader, const uint32_t *polygons, uint32_t polygon_count)
{
    const struct fbx_surface *surface = &reader->surface;
    uint32_t corner_count = 0, largest = 0;
    for (uint32_t i = 0; i < polygon_count; i++) {
        const uint32_t count = surface->starts[polygons[i] + 1] - surface->starts[polygons[i]];
        corner_count += count;
        largest = count > largest ? count : largest;
    }
    struct vertex_set set;
    vertex_set_init(&set, corner_count);
    uint32_t *vertices = mem_alloc(largest * sizeof *vertices);
    double(*points)[3] = mem_alloc(largest * sizeof *points);
    reader->vertex_count = reader->index_count = 0;
    for (uint32_t i = 0; i < polygon_count; i++) {
        const uint32_t begin = surface->starts[polygons[i]], end = surface->starts[polygons[i] + 1];
        for (uint32_t c = begin; c < end; c++) {
            vertices[c - begin] = vertex_index(reader, &set, polygons[i], c);
            memcpy(points[c - begin], surface->points[surface->corners[c]], sizeof *points);
        }
        if (end - begin > 2)
            add_triangles(reader, vertices, (const double(*)[3])points, end - begin);
        else
            for (uint32_t c = begin; c < end; c++)
                reader->indices[reader->index_count++] = vertices[c - begin];
    }
    free(set.slots);
    free(vertices);
    free(points);
}

/* --- the primitive in the builder --- */

static int add_positions(const struct fbx_mesh_reader *reader, struct err *err)
{
    struct bake_builder *builder = reader->fbx->builder;
    struct vec3 *positions = bake_add_position(builder, reader->vertex_count);
    struct vec3 *normals = bake_add_normal(builder, reader->vertex_count);
    if (positions == NULL || normals == NULL)
        return import_full(reader->fbx->import, err);
    for (uint32_t v = 0; v < reader->vertex_count; v++) {
        double at[3];
        dmat4_point(&reader->out_from_geometry, reader->surface.points[reader->vertices[v].control_point], at);
        positions[v] = (struct vec3){(float)at[0], (float)at[1], (float)at[2]};
        normals[v] = reader->vertices[v].normal;
    }
    return 0;
}

/* How many elements an array needs that the model has for all vertices or for none: the first primitive that has some
 * fills up those before it. The positions of this one are there already. */
static uint32_t missing(const struct fbx_mesh_reader *reader, uint32_t have, bool is_wanted)
{
    return is_wanted || have > 0 ? reader->fbx->builder->position_count - have : 0;
}

static int add_attributes(const struct fbx_mesh_reader *reader, struct primitive *primitive, struct err *err)
{
    struct bake_builder *builder = reader->fbx->builder;
    const struct fbx_corner_reader *corners = &reader->corners;
    const bool has_colors = reader->surface.colors.mapping != FBX_BY_NOTHING;
    const uint32_t missing_colors = missing(reader, builder->color_count, has_colors);
    struct rgba8 *colors = bake_add_color(builder, missing_colors);
    if (bake_add_texcoord(builder, missing(reader, builder->texcoord_count, corners->uvs[0] != NULL)) == NULL ||
        bake_add_second_texcoord(builder, missing(reader, builder->second_texcoord_count, corners->uvs[1] != NULL)) ==
            NULL ||
        bake_add_tangent(builder, missing(reader, builder->tangent_count, corners->is_tangent_wanted)) == NULL ||
        colors == NULL)
        return import_full(reader->fbx->import, err);
    memset(colors, 0xff, missing_colors * sizeof *colors);
    primitive->flags |= (has_colors ? PRIMITIVE_COLORS : 0u) | (corners->uvs[0] != NULL ? PRIMITIVE_TEXCOORDS : 0u) |
                        (corners->uvs[1] != NULL ? PRIMITIVE_SECOND_TEXCOORDS : 0u) |
                        (corners->is_tangent_wanted ? PRIMITIVE_TANGENTS : 0u);
    for (uint32_t v = 0; v < reader->vertex_count; v++) {
        const struct fbx_vertex *vertex = &reader->vertices[v];
        const uint32_t out = primitive->vertex_first + v;
        if (has_colors)
            builder->colors[out] = vertex->color;
        if (corners->uvs[0] != NULL)
            builder->texcoords[out] = vertex->texcoords[0];
        if (corners->uvs[1] != NULL)
            builder->second_texcoords[out] = vertex->texcoords[1];
        if (corners->is_tangent_wanted)
            builder->tangents[out] = vertex->tangent;
    }
    return 0;
}

/* For all vertices of the model or for none, as with other attributes; 0 is linear. */
static int add_dual_weights(const struct fbx_mesh_reader *reader, const struct primitive *primitive, struct err *err)
{
    struct bake_builder *builder = reader->fbx->builder;
    const float *weights = reader->weights == NULL ? NULL : reader->weights->dual_weights;
    if (bake_add_dual_weight(builder, missing(reader, builder->dual_weight_count, weights != NULL)) == NULL)
        return import_full(reader->fbx->import, err);
    for (uint32_t v = 0; weights != NULL && v < reader->vertex_count; v++)
        builder->dual_weights[primitive->vertex_first + v] = weights[reader->vertices[v].control_point];
    return 0;
}

static int add_influences(const struct fbx_mesh_reader *reader, struct err *err)
{
    if (reader->weights == NULL)
        return influences_put_none(reader->fbx->import, reader->vertex_count, err);
    for (uint32_t v = 0; v < reader->vertex_count; v++)
        if (influences_put_point(reader->fbx->import, &reader->weights->influences, reader->vertices[v].control_point,
                                 err) < 0)
            return err->code;
    return 0;
}

/* Offsets by control point as deltas by vertex; places[p] is that of control point p among them. */
static int add_deltas(const struct fbx_mesh_reader *reader, const double (*offsets)[3], const uint32_t *places,
                      uint32_t *first, struct err *err)
{
    struct bake_builder *builder = reader->fbx->builder;
    *first = UINT32_MAX;
    if (offsets == NULL)
        return 0;
    const uint32_t at = builder->morph_delta_count;
    struct vec3 *deltas = bake_add_morph_delta(builder, reader->vertex_count);
    if (deltas == NULL)
        return import_full(reader->fbx->import, err);
    for (uint32_t v = 0; v < reader->vertex_count; v++) {
        const uint32_t place = places[reader->vertices[v].control_point];
        double delta[3] = {0};
        if (place != NOT_MOVED)
            dmat4_direction(&reader->out_from_geometry, offsets[place], delta);
        deltas[v] = (struct vec3){(float)delta[0], (float)delta[1], (float)delta[2]};
    }
    *first = at;
    return 0;
}

static int add_target(struct fbx_mesh_reader *reader, const struct fbx_target *target, struct str name, struct err *err)
{
    if (reader->places == NULL) {
        const size_t bytes = reader->surface.size.point_count * sizeof *reader->places;
        reader->places = mem_alloc(bytes);
        memset(reader->places, 0xff, bytes); /* NOT_MOVED */
    }
    uint32_t *places = reader->places;
    for (uint32_t i = 0; i < target->count; i++)
        places[target->points[i]] = i;
    struct morph_target out = {.name = name};
    int rc = add_deltas(reader, (const double(*)[3])target->offsets, places, &out.position_first, err);
    if (rc == 0)
        rc = add_deltas(reader, (const double(*)[3])target->normals, places, &out.normal_first, err);
    for (uint32_t i = 0; i < target->count; i++)
        places[target->points[i]] = NOT_MOVED;
    return rc < 0 ? rc : import_put_morph_target(reader->fbx->import, &out, err);
}

/* A slider with one shape gives it its name; in-between shapes have names of their own. */
static int add_targets(struct fbx_mesh_reader *reader, struct primitive *primitive, struct err *err)
{
    struct fbx *fbx = reader->fbx;
    primitive->morph_target_first = fbx->builder->morph_target_count;
    primitive->morph_target_count = reader->blend.target_count;
    for (uint32_t c = 0; c < reader->blend.channel_count; c++) {
        const struct fbx_channel *channel = &reader->blend.channels[c];
        for (uint32_t s = 0; s < channel->shape_count; s++) {
            struct fbx_target target;
            const uint32_t named = channel->shape_count == 1 ? channel->object : channel->shapes[s];
            int rc = fbx_target_read(fbx, channel, s, reader->surface.size.point_count, &target, err);
            if (rc == 0)
                rc = add_target(reader, &target, fbx_name(fbx, named), err);
            fbx_target_fini(&target);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

static int add_indices(const struct fbx_mesh_reader *reader, struct primitive *primitive, struct err *err)
{
    struct bake_builder *builder = reader->fbx->builder;
    primitive->index_first = builder->index_count;
    primitive->index_count = reader->index_count;
    uint32_t *out = bake_add_index(builder, reader->index_count);
    if (out == NULL)
        return import_full(reader->fbx->import, err);
    memcpy(out, reader->indices, reader->index_count * sizeof *out);
    return 0;
}

static void check_texcoords(const struct fbx_mesh_reader *reader, const struct primitive *primitive)
{
    const struct bake_builder *builder = reader->fbx->builder;
    bool is_textured = false;
    for (int slot = 0; primitive->material >= 0 && slot < TEXTURE_SLOT_COUNT; slot++)
        is_textured |= builder->materials[primitive->material].textures[slot].texture >= 0;
    if (is_textured && (primitive->flags & PRIMITIVE_TEXCOORDS) == 0 && primitive->topology == TOPOLOGY_TRIANGLES)
        bake_warn(reader->fbx->builder, "texcoord_missing",
                  "%s has no texture coordinates for a texture of its material",
                  FBX_OBJECT_TEXT(&reader->fbx->scene, reader->geometry));
}

int fbx_add_primitive(struct fbx_mesh_reader *reader, uint32_t topology, int32_t material, const uint32_t *polygons,
                      uint32_t polygon_count, struct err *err)
{
    struct fbx *fbx = reader->fbx;
    struct bake_builder *builder = fbx->builder;
    fbx_corner_uvs(fbx, material, &reader->surface, reader->corners.uvs);
    reader->corners.is_tangent_wanted = material >= 0 && reader->surface.tangents.value_count > 0 &&
                                        builder->materials[material].textures[TEXTURE_NORMAL].texture >= 0;
    read_polygons(reader, polygons, polygon_count);
    const char *where = FBX_OBJECT_TEXT(&fbx->scene, reader->geometry);
    if (import_check_limit(fbx->import, LIMIT_VERTICES, builder->position_count, reader->vertex_count, where, err) <
            0 ||
        import_check_limit(fbx->import, LIMIT_INDICES, builder->index_count, reader->index_count, where, err) < 0)
        return err->code;
    struct primitive primitive = {
        .mesh = reader->mesh,
        .topology = topology,
        .vertex_first = builder->position_count,
        .vertex_count = reader->vertex_count,
        .material = material,
        .flags = reader->surface.normals.value_count > 0 ? PRIMITIVE_FILE_NORMALS : 0,
    };
    if (add_positions(reader, err) < 0 || add_attributes(reader, &primitive, err) < 0 ||
        add_indices(reader, &primitive, err) < 0 || add_influences(reader, err) < 0 ||
        add_dual_weights(reader, &primitive, err) < 0 || add_targets(reader, &primitive, err) < 0)
        return err->code;
    check_texcoords(reader, &primitive);
    return import_put_primitive(fbx->import, &primitive, err);
}

#include "import/fbx/fbx_primitive.h"

#include "base/mem.h"
#include "import/fbx/fbx_material.h"
#include "import/mesh/mesh_arrays.h"

#include <stdlib.h>
#include <string.h>

#define NOT_MOVED UINT32_MAX

static void read_polygons(struct fbx_mesh_reader *reader, const uint32_t *polygons, uint32_t polygon_count)
{
    const struct fbx_surface *surface = &reader->surface;
    size_t corner_count = 0;
    for (uint32_t i = 0; i < polygon_count; i++)
        corner_count += surface->starts[polygons[i] + 1] - surface->starts[polygons[i]];
    mesh_writer_start(&reader->writer, corner_count);
    for (uint32_t i = 0; i < polygon_count; i++) {
        for (uint32_t c = surface->starts[polygons[i]]; c < surface->starts[polygons[i] + 1]; c++) {
            const struct mesh_vertex vertex = fbx_vertex_of(&reader->corners, polygons[i], c);
            mesh_writer_corner(&reader->writer, &vertex);
        }
        mesh_writer_close(&reader->writer);
    }
}

/* For all vertices of the model or for none, as with other attributes; 0 is linear. */
static int add_dual_weights(const struct fbx_mesh_reader *reader, const struct primitive *primitive, struct err *err)
{
    struct bake_builder *builder = reader->fbx->builder;
    const float *weights = reader->weights == NULL ? NULL : reader->weights->dual_weights;
    if (bake_add_dual_weight(builder, mesh_missing(builder, builder->dual_weight_count, weights != NULL)) == NULL)
        return import_full(reader->fbx->import, err);
    for (uint32_t v = 0; weights != NULL && v < primitive->vertex_count; v++)
        builder->dual_weights[primitive->vertex_first + v] = weights[reader->writer.vertices[v].point];
    return 0;
}

/* --- morph targets --- */

/* Converts offsets per control point to deltas per vertex; places[p] is the index of control point p in `offsets`. */
static int add_deltas(const struct fbx_mesh_reader *reader, const double (*offsets)[3], const uint32_t *places,
                      uint32_t *first, struct err *err)
{
    struct bake_builder *builder = reader->fbx->builder;
    *first = UINT32_MAX;
    if (offsets == NULL)
        return 0;
    const uint32_t at = builder->morph_delta_count;
    struct vec3 *deltas = bake_add_morph_delta(builder, reader->writer.vertex_count);
    if (deltas == NULL)
        return import_full(reader->fbx->import, err);
    for (uint32_t v = 0; v < reader->writer.vertex_count; v++) {
        const uint32_t place = places[reader->writer.vertices[v].point];
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

/* A slider with one shape names the shape; in-between shapes have their own names. */
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

int fbx_add_primitive(struct fbx_mesh_reader *reader, uint32_t topology, int32_t material, const uint32_t *polygons,
                      uint32_t polygon_count, struct err *err)
{
    struct fbx *fbx = reader->fbx;
    struct bake_builder *builder = fbx->builder;
    fbx_corner_uvs(fbx, material, &reader->surface, reader->corners.uvs);
    reader->corners.is_tangent_wanted = material >= 0 && reader->surface.tangents.value_count > 0 &&
                                        builder->materials[material].textures[TEXTURE_NORMAL].texture >= 0;
    read_polygons(reader, polygons, polygon_count);
    if (!mesh_writer_end(&reader->writer))
        return 0;
    fbx_drop_layers(reader);
    struct primitive primitive = {
        .mesh = reader->mesh,
        .topology = topology,
        .material = material,
        .flags = (reader->surface.normals.value_count > 0 ? PRIMITIVE_FILE_NORMALS : 0u) |
                 (reader->surface.colors.mapping != FBX_BY_NOTHING ? PRIMITIVE_COLORS : 0u) |
                 (reader->corners.uvs[0] != NULL ? PRIMITIVE_TEXCOORDS : 0u) |
                 (reader->corners.uvs[1] != NULL ? PRIMITIVE_SECOND_TEXCOORDS : 0u) |
                 (reader->corners.is_tangent_wanted ? PRIMITIVE_TANGENTS : 0u),
    };
    if (mesh_writer_put(&reader->writer, &primitive, err) < 0 || add_dual_weights(reader, &primitive, err) < 0 ||
        add_targets(reader, &primitive, err) < 0)
        return err->code;
    return mesh_put(fbx->import, &primitive, reader->writer.where, err);
}

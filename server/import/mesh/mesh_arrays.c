#include "import/mesh/mesh_arrays.h"

#include "anim/model/mat.h"

#include <string.h>

uint32_t mesh_missing(const struct bake_builder *builder, uint32_t have, bool is_wanted)
{
    return is_wanted || have > 0 ? builder->position_count - have : 0;
}

int mesh_add_vertices(struct import *import, struct primitive *primitive, uint32_t count, const char *where,
                      struct err *err)
{
    struct bake_builder *builder = import->builder;
    const uint32_t flags = primitive->flags;
    if (import_check_limit(import, LIMIT_VERTICES, builder->position_count, count, where, err) < 0)
        return err->code;
    primitive->vertex_first = builder->position_count;
    primitive->vertex_count = count;
    if (bake_add_position(builder, count) == NULL || bake_add_normal(builder, count) == NULL)
        return import_full(import, err);
    const uint32_t texcoords = mesh_missing(builder, builder->texcoord_count, (flags & PRIMITIVE_TEXCOORDS) != 0);
    const uint32_t seconds =
        mesh_missing(builder, builder->second_texcoord_count, (flags & PRIMITIVE_SECOND_TEXCOORDS) != 0);
    const uint32_t tangents = mesh_missing(builder, builder->tangent_count, (flags & PRIMITIVE_TANGENTS) != 0);
    const uint32_t whites = mesh_missing(builder, builder->color_count, (flags & PRIMITIVE_COLORS) != 0);
    struct rgba8 *colors = bake_add_color(builder, whites);
    if (bake_add_texcoord(builder, texcoords) == NULL || bake_add_second_texcoord(builder, seconds) == NULL ||
        bake_add_tangent(builder, tangents) == NULL || colors == NULL)
        return import_full(import, err);
    memset(colors, 0xff, whites * sizeof *colors);
    return 0;
}

uint32_t *mesh_add_indices(struct import *import, struct primitive *primitive, uint64_t count, const char *where,
                           struct err *err)
{
    struct bake_builder *builder = import->builder;
    if (import_check_limit(import, LIMIT_INDICES, builder->index_count, count, where, err) < 0)
        return NULL;
    primitive->index_first = builder->index_count;
    primitive->index_count = (uint32_t)count;
    uint32_t *indices = bake_add_index(builder, (uint32_t)count);
    if (indices == NULL)
        import_full(import, err);
    return indices;
}

/* --- numbers that are not finite --- */

static bool is_whole(const struct vec3 *positions, const uint32_t *corners, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!vec3_is_finite(&positions[corners[i]]))
            return false;
    return true;
}

static uint32_t corners_of(uint32_t topology)
{
    return topology == TOPOLOGY_POINTS ? 1 : topology == TOPOLOGY_LINES ? 2 : 3;
}

void mesh_leave_out_not_finite(struct import *import, struct primitive *primitive, const char *where)
{
    struct bake_builder *builder = import->builder;
    struct vec3 *positions = builder->positions + primitive->vertex_first;
    uint32_t *indices = builder->indices + primitive->index_first;
    const uint32_t corners = corners_of(primitive->topology);
    uint32_t kept = 0, bad = 0;
    const struct vec3 *good = NULL;
    for (uint32_t v = 0; v < primitive->vertex_count; v++) {
        bad += !vec3_is_finite(&positions[v]);
        good = good == NULL && vec3_is_finite(&positions[v]) ? &positions[v] : good;
    }
    if (bad == 0)
        return;
    for (uint32_t i = 0; i + corners <= primitive->index_count; i += corners)
        if (is_whole(positions, indices + i, corners)) {
            memmove(indices + kept, indices + i, corners * sizeof *indices);
            kept += corners;
        }
    builder->index_count -= primitive->index_count - kept;
    primitive->index_count = kept;
    for (uint32_t v = 0; v < primitive->vertex_count; v++)
        if (!vec3_is_finite(&positions[v]))
            positions[v] = good == NULL ? (struct vec3){0, 0, 0} : *good;
    bake_warn(builder, "not_finite_repaired",
              "%s: %u vertices lie at numbers that are not finite: what touches them is left out", where, bad);
}

void mesh_repair_deltas(struct import *import, uint32_t first, uint32_t count, const char *where)
{
    struct vec3 *deltas = import->builder->morph_deltas + first;
    uint32_t bad = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!vec3_is_finite(&deltas[i])) {
            deltas[i] = (struct vec3){0, 0, 0};
            bad++;
        }
    if (bad > 0)
        bake_warn(import->builder, "not_finite_repaired",
                  "%s: %u vertices are moved by numbers that are not finite: they stay where they are", where, bad);
}

/* Whether a mesh needs coordinates for the texture. What Blender computes takes mostly the vertices' places. */
static bool is_laid_on(const struct model *model, int32_t texture)
{
    if (texture < 0)
        return false;
    const struct str uri = model->textures[texture].uri;
    return uri.offset == STR_NONE || !texture_name_is_procedural(model->text + uri.offset, uri.size_bytes);
}

void mesh_check_texcoords(struct import *import, const struct primitive *primitive, const char *where)
{
    const struct model view = bake_builder_view(import->builder);
    bool is_textured = false;
    for (int slot = 0; primitive->material >= 0 && slot < TEXTURE_SLOT_COUNT; slot++)
        is_textured |= is_laid_on(&view, view.materials[primitive->material].textures[slot].texture);
    if (is_textured && (primitive->flags & PRIMITIVE_TEXCOORDS) == 0 && primitive->topology == TOPOLOGY_TRIANGLES)
        bake_warn(import->builder, "texcoord_missing", "%s has no texture coordinates for a texture of its material",
                  where);
}

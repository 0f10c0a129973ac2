#include "import/mesh/mesh_arrays.h"

#include "anim/model/mat.h"
#include "anim/model/material_layers.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
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
    struct rgba16 *colors = bake_add_color(builder, whites);
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

static void leave_out_not_finite(struct import *import, struct primitive *primitive, const char *where)
{
    struct bake_builder *builder = import->builder;
    struct vec3 *positions = builder->positions + primitive->vertex_first;
    uint32_t *indices = primitive->index_count > 0 ? builder->indices + primitive->index_first : NULL;
    const uint32_t corners = primitive_corner_count(primitive);
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

/* Sets rows with a number that is not finite to 0. Returns their number. */
static uint32_t clear_not_finite(float *values, uint32_t width, uint32_t count)
{
    uint32_t cleared = 0;
    if (floats_are_finite(values, (uint64_t)width * count))
        return 0;
    for (uint32_t row = 0; row < count; row++, values += width)
        if (!floats_are_finite(values, width)) {
            memset(values, 0, width * sizeof *values);
            cleared++;
        }
    return cleared;
}

static void clear_attributes(struct import *import, const struct primitive *primitive, const char *where)
{
    struct bake_builder *builder = import->builder;
    const uint32_t first = primitive->vertex_first, count = primitive->vertex_count;
    uint32_t cleared = clear_not_finite(&builder->normals[first].x, 3, count);
    if ((primitive->flags & PRIMITIVE_TANGENTS) != 0)
        cleared += clear_not_finite(&builder->tangents[first].x, 4, count);
    if ((primitive->flags & PRIMITIVE_TEXCOORDS) != 0)
        cleared += clear_not_finite(&builder->texcoords[first].x, 2, count);
    if ((primitive->flags & PRIMITIVE_SECOND_TEXCOORDS) != 0)
        cleared += clear_not_finite(&builder->second_texcoords[first].x, 2, count);
    if (cleared > 0)
        bake_warn(import->builder, "not_finite_repaired",
                  "%s: %u normals, tangents or texture coordinates are not finite: they count as 0", where, cleared);
}

/* --- normals that give no direction --- */

static bool has_direction(const struct vec3 *v) { return dot3(DOUBLE3(*v), DOUBLE3(*v)) > 1e-24; }

/* Adds a triangle's normal to those of its corners that are made. Weighted by the angle at each corner, the sum does
 * not depend on how a surface is cut into triangles (Thuermer and Wuethrich, "Computing vertex normals from polygonal
 * facets", 1998). */
static void add_triangle(const struct vec3 *positions, const uint32_t corners[3], const uint8_t *is_made,
                         struct vec3 *normals)
{
    double sides[3][3], normal[3];
    for (int i = 0; i < 3; i++) {
        const double *from = DOUBLE3(positions[corners[i]]), *to = DOUBLE3(positions[corners[(i + 1) % 3]]);
        for (int k = 0; k < 3; k++)
            sides[i][k] = to[k] - from[k];
    }
    cross3(sides[0], sides[1], normal);
    const double length = unit3(normal);
    for (int i = 0; i < 3 && length > 0; i++) {
        const double angle = atan2(length, -dot3(sides[i], sides[(i + 2) % 3]));
        struct vec3 *sum = &normals[corners[i]];
        if (is_made[corners[i]] != 0)
            *sum =
                (struct vec3){(float)((double)sum->x + angle * normal[0]), (float)((double)sum->y + angle * normal[1]),
                              (float)((double)sum->z + angle * normal[2])};
    }
}

static void make_normals(struct bake_builder *builder, const struct primitive *primitive)
{
    struct vec3 *normals = builder->normals + primitive->vertex_first;
    uint8_t *is_made = mem_zalloc((size_t)primitive->vertex_count + 1, sizeof *is_made);
    uint32_t made = 0;
    for (uint32_t v = 0; v < primitive->vertex_count; v++)
        if (!has_direction(&normals[v])) {
            normals[v] = (struct vec3){0, 0, 0};
            is_made[v] = 1;
            made++;
        }
    for (uint32_t i = 0; made > 0 && primitive->topology == TOPOLOGY_TRIANGLES && i + 2 < primitive->index_count;
         i += 3)
        add_triangle(&builder->positions[primitive->vertex_first], &builder->indices[primitive->index_first + i],
                     is_made, normals);
    for (uint32_t v = 0; made > 0 && v < primitive->vertex_count; v++) {
        double n[3] = {(double)normals[v].x, (double)normals[v].y, (double)normals[v].z};
        if (is_made[v] != 0)
            normals[v] =
                unit3(n) > 1e-9 ? (struct vec3){(float)n[0], (float)n[1], (float)n[2]} : (struct vec3){0, 0, 1};
    }
    free(is_made);
}

void mesh_repair(struct import *import, struct primitive *primitive, const char *where)
{
    if (primitive->vertex_count == 0)
        return;
    leave_out_not_finite(import, primitive, where);
    clear_attributes(import, primitive, where);
    make_normals(import->builder, primitive);
}

/* --- the primitive --- */

static void repair_deltas(struct import *import, const struct primitive *primitive, const char *where)
{
    struct bake_builder *builder = import->builder;
    uint32_t cleared = 0;
    for (uint32_t t = 0; t < primitive->morph_target_count; t++) {
        const struct morph_target *target = &builder->morph_targets[primitive->morph_target_first + t];
        const uint32_t firsts[2] = {target->position_first, target->normal_first};
        for (int i = 0; i < 2; i++)
            if (firsts[i] != UINT32_MAX)
                cleared += clear_not_finite(&builder->morph_deltas[firsts[i]].x, 3, primitive->vertex_count);
    }
    if (cleared > 0)
        bake_warn(builder, "not_finite_repaired",
                  "%s: %u times a morph target moves a vertex by numbers that are not finite: it does not move it",
                  where, cleared);
}

/* Whether a mesh needs coordinates for the texture. What Blender computes takes mostly the vertices' places. */
static bool is_laid_on(const struct model *model, int32_t texture)
{
    if (texture < 0)
        return false;
    const struct str uri = model->textures[texture].uri;
    return uri.offset == STR_NONE || !texture_name_is_procedural(model->text + uri.offset, uri.size_bytes);
}

static void check_texcoords(struct import *import, const struct primitive *primitive, const char *where)
{
    const struct model view = bake_builder_view(import->builder);
    uint32_t wanted = 0;
    for (uint32_t slot = 0; primitive->material >= 0 && slot < TEXTURE_ALL_COUNT; slot++) {
        const struct material_texture *use = material_texture_at(&view, &view.materials[primitive->material], slot);
        if (is_laid_on(&view, use->texture))
            wanted |= use->texcoord_set == 0 ? PRIMITIVE_TEXCOORDS : PRIMITIVE_SECOND_TEXCOORDS;
    }
    if ((wanted & ~primitive->flags) != 0 && primitive->topology == TOPOLOGY_TRIANGLES && primitive->index_count > 0)
        bake_warn(import->builder, "texcoord_missing",
                  "%s lacks texture coordinates that a texture of its material uses", where);
}

int mesh_put(struct import *import, const struct primitive *primitive, const char *where, struct err *err)
{
    repair_deltas(import, primitive, where);
    check_texcoords(import, primitive, where);
    return import_put_primitive(import, primitive, err);
}

/* export_optimize_vertices.c - optimize=1: welds the vertices of a primitive and writes them as integers. */
#include "anim/model/mat.h"
#include "base/sort.h"
#include "wire/encode/meshopt.h"
#include "wire/export/export_optimize.h"
#include "wire/glb/primitives.h"
#include "wire/optimize/quantize.h"
#include "wire/optimize/weld.h"

#include <math.h>
#include <stdlib.h>

/* --- what the materials need --- */

static bool material_has_texcoords(const struct export *e, uint32_t primitive __attribute__((unused)), int32_t material,
                                   uint32_t set)
{
    return surfaces_is_textured(&e->surfaces, material, set);
}

static bool material_has_normals(const struct export *e, uint32_t primitive, int32_t material,
                                 uint32_t set __attribute__((unused)))
{
    return surfaces_wants_tangents(&e->surfaces, &e->model->primitives[primitive], material);
}

static bool material_is_blended(const struct export *e, uint32_t primitive __attribute__((unused)), int32_t material,
                                uint32_t set __attribute__((unused)))
{
    return material >= 0 && e->model->materials[material].alpha_mode == ALPHA_BLEND;
}

/* Whether this holds for a material of the primitive, its own or a variant's. */
static bool is_any(const struct export *e, uint32_t primitive, uint32_t set,
                   bool (*holds)(const struct export *e, uint32_t primitive, int32_t material, uint32_t set))
{
    const struct model *model = e->model;
    const struct variant_material *all = model->variant_materials;
    bool is_found = holds(e, primitive, model->primitives[primitive].material, set);
    for (uint32_t v = LOWER_BOUND(all, model->variant_material_count, primitive, primitive);
         !is_found && v < model->variant_material_count && all[v].primitive == primitive; v++)
        is_found = holds(e, primitive, all[v].material, set);
    return is_found;
}

static bool has_texcoords(const struct export *e, uint32_t primitive, uint32_t set)
{
    const uint32_t flag = set == 0 ? PRIMITIVE_TEXCOORDS : PRIMITIVE_SECOND_TEXCOORDS;
    return (e->model->primitives[primitive].flags & flag) != 0 && is_any(e, primitive, set, material_has_texcoords);
}

static bool has_tangents(const struct export *e, uint32_t primitive)
{
    return is_any(e, primitive, 0, material_has_normals);
}

/* --- welding --- */

static size_t list_streams(const struct export *e, uint32_t primitive, struct weld_stream *out)
{
    const struct model *model = e->model;
    const struct primitive *p = &model->primitives[primitive];
    const uint32_t first = p->vertex_first;
    size_t count = 0;
    out[count++] = (struct weld_stream){model->positions + first, sizeof *model->positions};
    if (glb_has_normals(p))
        out[count++] = (struct weld_stream){model->normals + first, sizeof *model->normals};
    if (has_tangents(e, primitive))
        out[count++] = (struct weld_stream){model->tangents + first, sizeof *model->tangents};
    if (has_texcoords(e, primitive, 0))
        out[count++] = (struct weld_stream){model->texcoords + first, sizeof *model->texcoords};
    if (has_texcoords(e, primitive, 1))
        out[count++] = (struct weld_stream){model->second_texcoords + first, sizeof *model->second_texcoords};
    if ((p->flags & PRIMITIVE_COLORS) != 0)
        out[count++] = (struct weld_stream){model->colors + first, sizeof *model->colors};
    for (uint32_t t = p->morph_target_first; t < p->morph_target_first + p->morph_target_count; t++) {
        const struct morph_target *target = &model->morph_targets[t];
        if (target->position_first != UINT32_MAX)
            out[count++] =
                (struct weld_stream){model->morph_deltas + target->position_first, sizeof *model->morph_deltas};
        if (target->normal_first != UINT32_MAX && glb_has_normals(p))
            out[count++] =
                (struct weld_stream){model->morph_deltas + target->normal_first, sizeof *model->morph_deltas};
    }
    return count;
}

/* Fills e->optimizing->places of the primitive, and returns its indices, which the caller frees. NULL: the reply is an
 * error. */
static uint32_t *weld(struct export *e, uint32_t primitive)
{
    enum { OTHER_STREAMS = 6 };
    struct export_optimizing *optimizing = e->optimizing;
    const struct model *model = e->model;
    const struct primitive *p = &model->primitives[primitive];
    if ((uint64_t)p->index_count * sizeof(uint32_t) > e->context->limit_bytes) {
        context_fail_too_large(e->context);
        return NULL;
    }
    struct weld_stream *streams = malloc((2 * (size_t)p->morph_target_count + OTHER_STREAMS) * sizeof *streams);
    uint32_t *indices = malloc(((size_t)p->index_count + 1) * sizeof *indices);
    uint32_t count = 0;
    if (streams != NULL && indices != NULL) {
        const uint32_t *firsts = model->influence_firsts + p->vertex_first;
        const struct weld_input input = {.streams = streams,
                                         .stream_count = list_streams(e, primitive, streams),
                                         .run_firsts = firsts,
                                         .run_rows = model->influences + firsts[0],
                                         .run_row_bytes = sizeof *model->influences,
                                         .indices = model->indices + p->index_first,
                                         .vertex_count = p->vertex_count,
                                         .index_count = p->index_count,
                                         .is_triangles = p->topology == TOPOLOGY_TRIANGLES,
                                         .keeps_order = is_any(e, primitive, 0, material_is_blended)};
        count = weld_vertices(&input, optimizing->places + optimizing->place_firsts[primitive], indices);
    }
    free(streams);
    optimizing->place_counts[primitive] = count;
    optimizing->vertices += p->vertex_count;
    optimizing->kept_vertices += count;
    if (count > 0)
        return indices;
    free(indices);
    context_fail_memory(e->context);
    return NULL;
}

/* --- arrays --- */

/* A primitive that is written. */
struct small {
    struct export *e;
    const struct primitive *p;
    const uint32_t *places;
    uint32_t count;
};

/* Returns memory for an array in the file's order, or NULL when the reply is an error. */
static void *room_for(const struct small *small, size_t item_bytes)
{
    return context_array(small->e->context, &small->e->context->workspace->vertices, small->count, item_bytes);
}

static uint32_t add_as_is(const struct small *small, enum glb_array array, const void *rows, size_t row_bytes)
{
    char *out = room_for(small, row_bytes);
    for (uint32_t v = 0; out != NULL && v < small->p->vertex_count; v++)
        if (small->places[v] != WELDED_AWAY)
            memcpy(out + small->places[v] * row_bytes, (const char *)rows + v * row_bytes, row_bytes);
    return out == NULL ? GLB_NONE : glb_add(small->e->glb, array, out, small->count);
}

static uint32_t add_positions(const struct small *small)
{
    const struct export_optimizing *optimizing = small->e->optimizing;
    const struct vec3 *positions = small->e->model->positions + small->p->vertex_first;
    const struct grid *grid = &optimizing->grids[optimizing->mesh_grids[small->p->mesh]];
    if (grid->bits == 0)
        return add_as_is(small, GLB_POSITION, positions, sizeof *positions);
    int16_t(*out)[4] = room_for(small, sizeof *out);
    if (out == NULL)
        return GLB_NONE;
    quantize_positions(grid, positions, small->places, small->p->vertex_count, out);
    small->e->extensions |= 1U << GLB_MESH_QUANTIZATION;
    return glb_add(small->e->glb, GLB_SHORT_POSITION, out, small->count);
}

/* Fills out[count] with unit vectors and their fourth numbers, of normals or tangents. */
static void gather_units(const struct small *small, const float *rows, size_t width, struct vec4 *out)
{
    for (uint32_t v = 0; v < small->p->vertex_count; v++) {
        const float *row = rows + v * width;
        const struct vec3 unit = export_unit(&(struct vec3){row[0], row[1], row[2]});
        if (small->places[v] != WELDED_AWAY)
            out[small->places[v]] = (struct vec4){unit.x, unit.y, unit.z, width == 4 && row[3] < 0 ? -1 : 1};
    }
}

static void measure_normals(const struct small *small, const struct vec4 *units, const int8_t *filtered)
{
    struct buf decoded = {.limit_bytes = SIZE_MAX / 4};
    buf_put(&decoded, filtered, 4 * (size_t)small->count);
    const int8_t *seen = (const int8_t *)decoded.data;
    if (!buf_failed(&decoded))
        meshopt_unfilter(MESHOPT_OCTAHEDRAL, decoded.data, small->count, 4);
    for (uint32_t v = 0; v < small->count && !buf_failed(&decoded); v++) {
        double unit[3] = {seen[4 * (size_t)v], seen[4 * (size_t)v + 1], seen[4 * (size_t)v + 2]}, across[3];
        const double own[3] = {(double)units[v].x, (double)units[v].y, (double)units[v].z};
        unit3(unit);
        cross3(unit, own, across);
        const double degrees = atan2(sqrt(dot3(across, across)), dot3(unit, own)) * 57.29577951308232;
        small->e->optimizing->normal_degrees = fmax(small->e->optimizing->normal_degrees, degrees);
    }
    buf_fini(&decoded);
}

static uint32_t add_units(const struct small *small, const float *rows, size_t width)
{
    struct export *e = small->e;
    struct vec4 *units = room_for(small, sizeof *units);
    const bool is_normal = width == 3;
    if (units == NULL)
        return GLB_NONE;
    gather_units(small, rows, width, units);
    if (!(e->optimizing->units > 0) && !is_normal)
        return glb_add(e->glb, GLB_TANGENT, units, small->count);
    if (!(e->optimizing->units > 0)) {
        struct vec3 *normals = (struct vec3 *)(void *)units;
        for (uint32_t v = 0; v < small->count; v++)
            normals[v] = (struct vec3){units[v].x, units[v].y, units[v].z};
        return glb_add(e->glb, GLB_NORMAL, normals, small->count);
    }
    int8_t *filtered = malloc(4 * (size_t)small->count + 1);
    if (filtered == NULL) {
        context_fail_memory(e->context);
        return GLB_NONE;
    }
    meshopt_filter_vectors(&units->x, small->count, filtered);
    measure_normals(small, units, filtered);
    e->extensions |= 1U << GLB_MESH_QUANTIZATION;
    const uint32_t accessor = glb_add(e->glb, is_normal ? GLB_BYTE_NORMAL : GLB_BYTE_TANGENT, filtered, small->count);
    free(filtered);
    return accessor;
}

/* Returns how many bits place a coordinate within an eighth of a pixel of the largest texture. */
static int texcoord_bits(const struct model *model)
{
    enum { LEAST = 12, MOST = 16 };
    uint32_t side = 1;
    for (uint32_t t = 0; t < model->texture_count; t++) {
        side = model->textures[t].width > side ? model->textures[t].width : side;
        side = model->textures[t].height > side ? model->textures[t].height : side;
    }
    int bits = 2;
    while (bits < MOST && (UINT32_C(4) << (bits - 2)) < 4 * side)
        bits++;
    return bits < LEAST ? LEAST : bits;
}

/* A material with a texture, of a primitive without coordinates: as in surfaces_add_texcoords(). */
static uint32_t add_zero_texcoords(const struct small *small, uint32_t set)
{
    struct vec2 *zeros = room_for(small, sizeof *zeros);
    if (zeros == NULL)
        return GLB_NONE;
    memset(zeros, 0, small->count * sizeof *zeros);
    return glb_add(small->e->glb, set == 0 ? GLB_TEXCOORD : GLB_SECOND_TEXCOORD, zeros, small->count);
}

static uint32_t add_texcoords(const struct small *small, uint32_t set)
{
    struct export *e = small->e;
    const struct vec2 *texcoords =
        (set == 0 ? e->model->texcoords : e->model->second_texcoords) + small->p->vertex_first;
    float most = 0, least = 0;
    for (uint32_t v = 0; v < small->p->vertex_count; v++) {
        least = fminf(least, fminf(texcoords[v].x, texcoords[v].y));
        most = fmaxf(most, fmaxf(texcoords[v].x, texcoords[v].y));
    }
    const int bits = texcoord_bits(e->model);
    if (e->optimizing->units > 0 && least >= 0 && most <= 1) {
        uint16_t(*out)[2] = room_for(small, sizeof *out);
        if (out == NULL)
            return GLB_NONE;
        quantize_texcoords(texcoords, bits, small->places, small->p->vertex_count, out);
        e->extensions |= 1U << GLB_MESH_QUANTIZATION;
        return glb_add(e->glb, set == 0 ? GLB_SHORT_TEXCOORD : GLB_SECOND_SHORT_TEXCOORD, out, small->count);
    }
    return add_as_is(small, set == 0 ? GLB_TEXCOORD : GLB_SECOND_TEXCOORD, texcoords, sizeof *texcoords);
}

static uint32_t add_colors(const struct small *small)
{
    struct rgba16 *out = room_for(small, sizeof *out);
    const struct rgba16 *colors = small->e->model->colors + small->p->vertex_first;
    for (uint32_t v = 0; out != NULL && v < small->p->vertex_count; v++)
        if (small->places[v] != WELDED_AWAY)
            out[small->places[v]] = colors[v];
    return out == NULL ? GLB_NONE : glb_add_colors(small->e->glb, out, small->count);
}

/* Narrows the indices in place if it can. */
static uint32_t add_indices(const struct small *small, uint32_t *indices)
{
    const bool has_triangles = small->p->topology == TOPOLOGY_TRIANGLES;
    if (small->count > UINT16_MAX)
        return glb_add(small->e->glb, has_triangles ? GLB_INDICES : GLB_OTHER_INDICES, indices, small->p->index_count);
    uint16_t *shorts = (uint16_t *)(void *)indices;
    for (uint32_t i = 0; i < small->p->index_count; i++) {
        const uint16_t index = (uint16_t)indices[i];
        memcpy(&shorts[i], &index, sizeof index);
    }
    return glb_add(small->e->glb, has_triangles ? GLB_SHORT_INDICES : GLB_OTHER_SHORT_INDICES, shorts,
                   small->p->index_count);
}

static struct small small_of(struct export *e, const struct primitive *p)
{
    const ptrdiff_t index = p - e->model->primitives;
    return (struct small){e, p, e->optimizing->places + e->optimizing->place_firsts[index],
                          e->optimizing->place_counts[index]};
}

/* Remembers which attributes of the primitive nothing in the file uses. */
static void note_dropped(struct export *e, uint32_t primitive)
{
    const uint32_t flags = e->model->primitives[primitive].flags;
    bool *dropped = e->optimizing->dropped_attributes;
    dropped[0] = dropped[0] || ((flags & PRIMITIVE_TEXCOORDS) != 0 && !has_texcoords(e, primitive, 0));
    dropped[1] = dropped[1] || ((flags & PRIMITIVE_SECOND_TEXCOORDS) != 0 && !has_texcoords(e, primitive, 1));
    dropped[2] = dropped[2] || ((flags & PRIMITIVE_TANGENTS) != 0 && !has_tangents(e, primitive));
}

bool export_add_small_vertices(struct export *e, uint32_t primitive, uint32_t *accessors)
{
    const struct model *model = e->model;
    const struct primitive *p = &model->primitives[primitive];
    uint32_t *indices = weld(e, primitive);
    if (indices == NULL)
        return false;
    const struct small small = small_of(e, p);
    accessors[GLB_POSITION] = add_positions(&small);
    if (glb_has_normals(p))
        accessors[GLB_NORMAL] = add_units(&small, &model->normals[p->vertex_first].x, 3);
    note_dropped(e, primitive);
    if (glb_has_normals(p) && has_tangents(e, primitive))
        accessors[GLB_TANGENT] = add_units(&small, &model->tangents[p->vertex_first].x, 4);
    for (uint32_t set = 0; set < 2; set++)
        if (is_any(e, primitive, set, material_has_texcoords))
            accessors[set == 0 ? GLB_TEXCOORD : GLB_SECOND_TEXCOORD] =
                has_texcoords(e, primitive, set) ? add_texcoords(&small, set) : add_zero_texcoords(&small, set);
    if (accessors[GLB_TEXCOORD] == GLB_NONE)
        accessors[GLB_TEXCOORD] = accessors[GLB_SECOND_TEXCOORD]; /* glTF has no second set without a first */
    if ((p->flags & PRIMITIVE_COLORS) != 0)
        accessors[GLB_COLOR] = add_colors(&small);
    accessors[GLB_INDICES] = add_indices(&small, indices);
    free(indices);
    return e->context->reply->code == 0;
}

/* --- morph targets --- */

static bool are_within_one(const struct vec3 *vectors, uint32_t count)
{
    float most = 0;
    for (uint32_t v = 0; v < count; v++)
        most = fmaxf(most, fmaxf(fabsf(vectors[v].x), fmaxf(fabsf(vectors[v].y), fabsf(vectors[v].z))));
    return most <= 1;
}

uint32_t export_add_small_deltas(struct export *e, const struct primitive *p, uint32_t first, enum glb_array array)
{
    static const struct vec3 ZERO;
    const struct small small = small_of(e, p);
    const struct vec3 *deltas = first == UINT32_MAX ? NULL : e->model->morph_deltas + first;
    const struct grid *grid = &e->optimizing->grids[e->optimizing->mesh_grids[p->mesh]];
    if (array == GLB_DELTA && grid->bits > 0) {
        int16_t(*shorts)[4] = room_for(&small, sizeof *shorts);
        if (shorts == NULL)
            return GLB_NONE;
        quantize_deltas(grid, deltas, small.places, p->vertex_count, shorts);
        return glb_add(e->glb, GLB_SHORT_DELTA, shorts, small.count);
    }
    if (array == GLB_NORMAL_DELTA && deltas != NULL && e->optimizing->units > 0 &&
        are_within_one(deltas, p->vertex_count)) {
        int8_t(*bytes)[4] = room_for(&small, sizeof *bytes);
        if (bytes == NULL)
            return GLB_NONE;
        quantize_bytes(deltas, small.places, p->vertex_count, bytes);
        e->extensions |= 1U << GLB_MESH_QUANTIZATION;
        return glb_add(e->glb, GLB_BYTE_NORMAL_DELTA, bytes, small.count);
    }
    if (deltas != NULL)
        return add_as_is(&small, array, deltas, sizeof *deltas);
    struct vec3 *zeros = room_for(&small, sizeof *zeros);
    for (uint32_t v = 0; zeros != NULL && v < small.count; v++)
        zeros[v] = ZERO;
    return zeros == NULL ? GLB_NONE : glb_add(e->glb, array, zeros, small.count);
}

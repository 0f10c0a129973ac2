/* export_optimize_measure.c - measures by how much optimize=1 moves vertices. */
#include "anim/pose/skin.h"
#include "wire/export/export_optimize.h"
#include "wire/optimize/quantize.h"

#include <math.h>
#include <stdlib.h>

/* The model with the vertices that readers of the file see, and memory for a comparison. */
struct stored {
    struct vec3 *positions;       /* [position_count] */
    struct vec3 *deltas;          /* [morph_delta_count] */
    struct influence *influences; /* [influence_count]: those that are left out have weight 0 */
    struct mat4 *matrices[2];     /* [most joints of a skin] */
    struct vec3 *vertices[2];     /* [most vertices of a primitive] */
};

static void stored_free(struct stored *stored)
{
    free(stored->positions);
    free(stored->deltas);
    free(stored->influences);
    for (int i = 0; i < 2; i++) {
        free(stored->matrices[i]);
        free(stored->vertices[i]);
    }
}

static bool stored_alloc(const struct model *model, struct stored *stored)
{
    size_t joints = 0, vertices = 0;
    for (uint32_t s = 0; s < model->skin_count; s++)
        joints = model->skins[s].joint_count > joints ? model->skins[s].joint_count : joints;
    for (uint32_t p = 0; p < model->primitive_count; p++)
        vertices = model->primitives[p].vertex_count > vertices ? model->primitives[p].vertex_count : vertices;
    stored->positions = malloc(((size_t)model->position_count + 1) * sizeof *stored->positions);
    stored->deltas = malloc(((size_t)model->morph_delta_count + 1) * sizeof *stored->deltas);
    stored->influences = malloc(((size_t)model->influence_count + 1) * sizeof *stored->influences);
    bool has_all = stored->positions != NULL && stored->deltas != NULL && stored->influences != NULL;
    for (int i = 0; i < 2; i++) {
        stored->matrices[i] = malloc((joints + 1) * sizeof *stored->matrices[i]);
        stored->vertices[i] = malloc((vertices + 1) * sizeof *stored->vertices[i]);
        has_all = has_all && stored->matrices[i] != NULL && stored->vertices[i] != NULL;
    }
    return has_all;
}

static void store_weights(const struct export *e, uint32_t vertex, struct influence *out)
{
    const uint32_t first = e->model->influence_firsts[vertex], end = e->model->influence_firsts[vertex + 1];
    struct export_influences influences;
    uint16_t weights[EXPORT_INFLUENCES_MAX];
    const int bits = e->optimizing->weight_bits;
    static const double WHOLE = UINT16_MAX;
    if (first == end || !export_merge_influences(e->model, vertex, &influences))
        return; /* writing them refuses the latter */
    export_round_influences(&influences, bits, weights);
    for (uint32_t i = first; i < end; i++)
        out[i] = i - first < influences.count
                     ? (struct influence){influences.all[i - first].joint, (float)(weights[i - first] / WHOLE)}
                     : (struct influence){influences.all[0].joint, 0};
}

/* Fills the vertices of the meshes of the file as readers see them. Meshes that share deltas share their grid, or the
 * last one counts. */
static void store(const struct export *e, struct stored *stored)
{
    const struct model *model = e->model;
    if (model->influence_count > 0)
        memcpy(stored->influences, model->influences, model->influence_count * sizeof *stored->influences);
    if (model->morph_delta_count > 0)
        memcpy(stored->deltas, model->morph_deltas, model->morph_delta_count * sizeof *stored->deltas);
    memcpy(stored->positions, model->positions, model->position_count * sizeof *stored->positions);
    for (uint32_t i = 0; i < model->primitive_count; i++) {
        const struct primitive *p = &model->primitives[i];
        const struct grid *grid = &e->optimizing->grids[e->optimizing->mesh_grids[p->mesh]];
        for (uint32_t v = p->vertex_first; v < p->vertex_first + p->vertex_count; v++) {
            if (grid->bits > 0)
                stored->positions[v] = grid_position(grid, &model->positions[v]);
            store_weights(e, v, stored->influences);
        }
        for (uint32_t t = p->morph_target_first; t < p->morph_target_first + p->morph_target_count; t++) {
            const uint32_t first = model->morph_targets[t].position_first;
            for (uint32_t v = 0; first != UINT32_MAX && grid->bits > 0 && v < p->vertex_count; v++)
                stored->deltas[first + v] = grid_delta(grid, &model->morph_deltas[first + v]);
        }
    }
}

/* Compares all vertices of the poses e->before, of `before`, and e->after, of `after`. */
static void compare(struct export *e, const struct model *before, const struct model *after,
                    const struct stored *stored, double time_s)
{
    struct export_distance *worst = &e->optimizing->worst;
    struct skin_palette palettes[2] = {{.matrices = stored->matrices[0]}, {.matrices = stored->matrices[1]}};
    uint32_t skin = UINT32_MAX;
    bool is_finite = false;
    for (uint32_t d = 0; d < before->draw_count; d++) {
        const struct draw *draw = &before->draws[d];
        if (export_mesh_of(e, draw->node) == GLB_NONE)
            continue;
        if (draw->skin != skin) {
            skin = draw->skin;
            is_finite = pose_palette(&e->before, before, skin, &DMAT4_IDENTITY, palettes[0].matrices, NULL) == 0 &&
                        pose_palette(&e->after, after, skin, &DMAT4_IDENTITY, palettes[1].matrices, NULL) == 0;
        }
        if (!is_finite)
            continue;
        skin_draw(before, d, &e->before, &palettes[0], false, stored->vertices[0]);
        skin_draw(after, d, &e->after, &palettes[1], false, stored->vertices[1]);
        for (uint32_t v = 0; v < before->primitives[draw->primitive].vertex_count; v++) {
            const struct vec3 *a = &stored->vertices[0][v], *b = &stored->vertices[1][v];
            const double away[3] = {(double)a->x - (double)b->x, (double)a->y - (double)b->y,
                                    (double)a->z - (double)b->z};
            const double units = sqrt(dot3(away, away));
            if (units > worst->units)
                *worst = (struct export_distance){units, time_s, draw->node};
        }
    }
    e->optimizing->compared++;
}

static void take_vertices(struct model *model, const struct stored *stored)
{
    model->positions = stored->positions;
    model->morph_deltas = stored->deltas;
    model->influences = stored->influences;
}

/* Compares at the keys that the clip had and between them; of many, at evenly spaced ones. */
static bool compare_clip(struct export *e, uint32_t clip, const struct stored *stored, uint64_t steps, uint64_t most)
{
    struct clip clips[2];
    const struct model before = export_plain_view(e, &clips[0], clip);
    struct model after = export_decoded_view(e, &clips[1], clip);
    struct export_times times = {.times = NULL};
    take_vertices(&after, stored);
    if (!export_list_keys(e, before.channels + clips[0].channel_first, clips[0].channel_count, before.key_times,
                          &times)) {
        free(times.times);
        return false;
    }
    export_sort_times(&times);
    uint64_t looks = 0;
    for (size_t i = 0; i < times.count && !buf_failed(e->out); i += 1 + 2 * times.count / most)
        for (size_t half = 0; half < 2 && i + half < times.count; half++, looks++) {
            const double time_s = half == 0 ? times.times[i] : (times.times[i] + times.times[i + 1]) / 2;
            pose_evaluate(&e->before, &before, 0, time_s);
            pose_evaluate(&e->after, &after, 0, time_s);
            compare(e, &before, &after, stored, time_s);
            context_check_stop(e->context);
        }
    free(times.times);
    return export_is_affordable(e, looks * steps);
}

static void compare_rest(struct export *e, const struct stored *stored)
{
    struct model before = *e->model, after;
    after = before;
    take_vertices(&after, stored);
    pose_evaluate(&e->before, &before, POSE_REST, 0);
    pose_evaluate(&e->after, &after, POSE_REST, 0);
    compare(e, &before, &after, stored, 0);
}

bool export_measure_vertices(struct export *e)
{
    enum { VERTICES_PER_STEP = 2, DELTAS_PER_STEP = 32, LEAST = 4, PARTS = 48 };
    const struct model *model = e->model;
    uint64_t vertices = 0, joints = 0, deltas = 0; /* deltas: and influences */
    for (uint32_t d = 0; d < model->draw_count; d++) {
        const struct primitive *p = &model->primitives[model->draws[d].primitive];
        const uint32_t *firsts = model->influence_firsts + p->vertex_first;
        vertices += p->vertex_count;
        deltas += (uint64_t)p->vertex_count * p->morph_target_count + (firsts[p->vertex_count] - firsts[0]);
        if (d == 0 || model->draws[d].skin != model->draws[d - 1].skin)
            joints += model->skins[model->draws[d].skin].joint_count;
    }
    const uint64_t steps =
        2 * (model->node_count + model->draw_count + joints + vertices / VERTICES_PER_STEP + deltas / DELTAS_PER_STEP) +
        1;
    const uint64_t most = e->context->limits->value[LIMIT_EVALUATIONS] / PARTS / (e->clips.count + 1) / steps + LEAST;
    struct stored stored = {.positions = NULL};
    bool is_good = export_is_affordable(e, 2 * steps + export_merge_steps(model, 0, model->position_count));
    if (is_good && !stored_alloc(model, &stored))
        is_good = context_fail_memory(e->context);
    if (is_good) {
        store(e, &stored);
        compare_rest(e, &stored);
    }
    for (uint32_t i = 0; i < e->clips.count && is_good; i++)
        is_good = compare_clip(e, i, &stored, steps, most);
    stored_free(&stored);
    return is_good;
}

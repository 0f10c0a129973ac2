#include "anim/entity/entity_given.h"

#include "anim/pose/give.h"

#include <string.h>

bool entity_given_split(const struct entity *entity, struct blend_layer clips[BLEND_LAYERS_MAX], uint32_t *clip_count)
{
    bool has_given = false;
    *clip_count = 0;
    for (uint32_t i = 0; i < entity->layer_count; i++) {
        const struct blend_layer *layer = &entity->layers[i];
        if (!(layer->weight > 0))
            continue;
        if (layer->given == NULL && has_given && layer->is_additive)
            return false; /* it comes after a given pose */
        if (layer->given == NULL) {
            clips[(*clip_count)++] = *layer;
            continue;
        }
        has_given = true;
        if ((layer->given->flags & GIVEN_MODEST) == 0 || layer->mask_count > 0)
            return false;
    }
    return true;
}

/* --- matrices --- */

static bool is_f64(const struct entity_work *work) { return work->compiled.is_f64 && !work->compiled.is_widened; }

static struct dmat4 matrix_of(const struct entity_work *work, uint32_t place)
{
    const float *rows = work->compiled.matrices + KERNEL_MATRIX * (size_t)place;
    const double *exact = work->compiled.f64 + 12 * (size_t)place;
    struct dmat4 matrix = DMAT4_IDENTITY;
    for (int e = 0; e < 12; e++)
        matrix.m[e % 4 * 4 + e / 4] = is_f64(work) ? exact[e] : (double)rows[e];
    return matrix;
}

static void put_matrix(struct entity_work *work, uint32_t place, const struct dmat4 *matrix)
{
    double rows[12];
    dmat4_rows(matrix, rows);
    if (is_f64(work)) {
        memcpy(work->compiled.f64 + 12 * (size_t)place, rows, sizeof rows);
        return;
    }
    for (int e = 0; e < 12; e++)
        work->compiled.matrices[KERNEL_MATRIX * (size_t)place + (size_t)e] = (float)rows[e];
}

/* True when the node's matrix at rest is no product of translation, rotation and scale. */
static bool is_sheared(const struct model *model, uint32_t node)
{
    return (model->nodes[node].flags & NODE_SHEAR) != 0;
}

static bool give_node(struct entity_work *work, const struct model *model, const struct give *give,
                      const struct given_node *of, const struct given_moment *moment)
{
    const uint32_t place = model->rig_places[of->node];
    const struct trs rest = pose_rest_transform(&model->nodes[of->node]);
    const bool is_whole = of->parts == GIVEN_WHOLE && !give->is_additive && give->weight >= 1;
    struct trs local = rest;
    if (place == UINT32_MAX)
        return true; /* it moves no joint */
    if (!is_whole) {
        const struct dmat4 matrix = matrix_of(work, place);
        if (is_sheared(model, of->node) || !trs_from_dmat4(&matrix, &local))
            return false;
    }
    give_local(give, of, moment, &rest, &local);
    const struct dmat4 changed = dmat4_from_trs(&local);
    put_matrix(work, place, &changed);
    return true;
}

bool entity_given_apply(struct entity_work *work, const struct entity *entity)
{
    bool is_good = entity->model->rig_place_count > 0;
    for (uint32_t i = 0; i < entity->layer_count && is_good; i++) {
        const struct blend_layer *layer = &entity->layers[i];
        if (layer->given == NULL || !(layer->weight > 0))
            continue;
        const struct given_moment moment = given_pose_moment(layer->given, layer->clip_time_s);
        const struct give give = {.given = layer->given, .weight = layer->weight, .is_additive = layer->is_additive};
        for (uint32_t n = 0; n < layer->given->node_count && is_good; n++)
            is_good = give_node(work, entity->model, &give, &layer->given->nodes[n], &moment);
    }
    return is_good;
}

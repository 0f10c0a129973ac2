#include "anim/pose/give_rows.h"

#include "base/sort.h"

/* Finds the rotation in the rows. */
static bool take_rotation(const double rows[12], const double scale[3], double rotation[4])
{
    struct dmat4 turned = DMAT4_IDENTITY;
    struct trs parts;
    for (int c = 0; c < 3; c++) {
        if (scale[c] == 0)
            return false;
        for (int r = 0; r < 3; r++)
            turned.m[4 * c + r] = rows[4 * r + c] / scale[c];
    }
    if (!trs_from_dmat4(&turned, &parts) || parts.scale[0] < 0)
        return false;
    memcpy(rotation, parts.rotation, sizeof parts.rotation);
    return true;
}

bool give_rows(const struct give *give, const struct given_node *of, const struct given_moment *moment,
               const struct model *model, const double scale[3], double rows[12])
{
    struct trs local, rest;
    const bool is_replaced = !give->is_additive && give->weight >= 1;
    if (give_is_whole(give, of)) {
        given_pose_local(give->given, of, moment, &local);
        const struct dmat4 whole = dmat4_from_trs(&local);
        dmat4_rows(&whole, rows);
        return true;
    }
    if ((model->nodes[of->node].flags & NODE_SHEAR) != 0)
        return false;
    for (int i = 0; i < 3; i++) {
        local.translation[i] = rows[4 * i + 3];
        local.scale[i] = scale[i];
    }
    if (is_replaced && (of->parts & GIVEN_ROTATION) != 0) {
        given_pose_local(give->given, of, moment, &local); /* what was turned does not matter */
    } else {
        static const double NO_ROTATION[4] = {0, 0, 0, 1};
        memcpy(local.rotation, NO_ROTATION, sizeof local.rotation);
        if (of->parts != GIVEN_TRANSLATION && !take_rotation(rows, scale, local.rotation))
            return false;
        rest = pose_rest_transform(&model->nodes[of->node]);
        give_local(give, of, moment, &rest, &local);
    }
    if (of->parts == GIVEN_TRANSLATION) {
        for (int i = 0; i < 3; i++)
            rows[4 * i + 3] = local.translation[i];
        return true;
    }
    const struct dmat4 changed = dmat4_from_trs(&local);
    dmat4_rows(&changed, rows);
    return true;
}

/* --- whole transforms --- */

/* Whole transforms that wait for each other, because the kernels make several matrices at once. */
struct waiting {
    const struct rig_rows *to;
    const double *from[GIVE_WHOLE];
    size_t places[GIVE_WHOLE];
    uint32_t count;
};

static void flush(struct waiting *waiting)
{
    const struct rig_rows *to = waiting->to;
    const bool is_direct = to->element_step == 1;
    float spare[GIVE_WHOLE][12], *rows[GIVE_WHOLE];
    if (waiting->count == 0)
        return;
    for (uint32_t i = 0; i < GIVE_WHOLE; i++) {
        rows[i] = is_direct && i < waiting->count ? to->rows + waiting->places[i] * to->node_step : spare[i];
        waiting->from[i] = waiting->from[i < waiting->count ? i : 0];
    }
    to->whole(waiting->from, rows);
    for (uint32_t i = 0; i < waiting->count && !is_direct; i++)
        for (size_t e = 0; e < 12; e++)
            to->rows[waiting->places[i] * to->node_step + e * to->element_step] = rows[i][e];
    waiting->count = 0;
}

static inline void add_whole(struct waiting *waiting, const double *from, size_t place)
{
    waiting->from[waiting->count] = from;
    waiting->places[waiting->count++] = place;
    if (waiting->count == GIVE_WHOLE)
        flush(waiting);
}

/* --- all layers --- */

static struct give give_of(const struct blend_layer *layer)
{
    return (struct give){.given = layer->given, .weight = layer->weight, .is_additive = layer->is_additive};
}

static bool gives(const struct blend_layer *layer) { return layer->given != NULL && layer->weight > 0; }

/* Finds the scale that a node has below layers[count]. */
static void find_scale(const struct blend_layer *layers, uint32_t count, const struct model *model, uint32_t node,
                       bool is_sized, double out[3])
{
    struct trs rest = pose_rest_transform(&model->nodes[node]), local = rest;
    for (int i = 0; i < 3; i++)
        local.scale[i] = is_sized ? rest.scale[i] : 1;
    for (uint32_t l = 0; l < count; l++) {
        const struct given_pose *given = layers[l].given;
        if (!gives(&layers[l]))
            continue;
        const uint32_t at = LOWER_BOUND(given->nodes, given->node_count, node, node);
        if (at == given->node_count || given->nodes[at].node != node)
            continue;
        const struct give give = give_of(&layers[l]);
        const struct given_moment moment = given_pose_moment(given, layers[l].clip_time_s);
        give_local(&give, &given->nodes[at], &moment, &rest, &local);
    }
    memcpy(out, local.scale, sizeof local.scale);
}

static void load(const struct rig_rows *from, size_t place, double rows[12])
{
    const float *at = from->rows + place * from->node_step;
    if (from->f64 != NULL)
        memcpy(rows, from->f64 + place * from->node_step, 12 * sizeof *rows);
    for (size_t e = 0; e < 12 && from->f64 == NULL; e++)
        rows[e] = (double)at[e * from->element_step];
}

static inline void store(const struct rig_rows *to, size_t place, const double rows[12])
{
    float *at = to->rows + place * to->node_step;
    if (to->f64 != NULL)
        memcpy(to->f64 + place * to->node_step, rows, 12 * sizeof *rows);
    for (size_t e = 0; e < 12 && to->f64 == NULL; e++)
        at[e * to->element_step] = (float)rows[e];
}

/* Changes the matrices by layers[index]. */
static bool give_layer(const struct blend_layer *layers, uint32_t index, const struct model *model, bool is_sized,
                       const struct rig_rows *to)
{
    const struct blend_layer *layer = &layers[index];
    const struct given_moment moment = given_pose_moment(layer->given, layer->clip_time_s);
    const struct give give = give_of(layer);
    const double *frame = layer->given->values + (size_t)moment.from * layer->given->frame_values;
    const bool is_at_frame = to->f64 == NULL && !(moment.u > 0) && !layer->is_additive && layer->weight >= 1;
    struct waiting waiting = {.to = to};
    for (uint32_t n = 0; n < layer->given->node_count; n++) {
        const struct given_node *of = &layer->given->nodes[n];
        const uint32_t place = model->rig_places[of->node];
        double rows[12], scale[3];
        if (place == UINT32_MAX)
            continue; /* it moves no joint */
        if (is_at_frame && of->parts == GIVEN_WHOLE) {
            add_whole(&waiting, frame + of->first, place);
            continue;
        }
        if (!give_is_whole(&give, of)) {
            find_scale(layers, index, model, of->node, is_sized, scale);
            load(to, place, rows);
        }
        if (!give_rows(&give, of, &moment, model, scale, rows))
            return false;
        store(to, place, rows);
    }
    flush(&waiting);
    return true;
}

bool give_layers(const struct blend_layer *layers, uint32_t count, const struct model *model, bool is_sized,
                 const struct rig_rows *to)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < count; i++)
        first = give_covers(&layers[i]) ? i : first;
    for (uint32_t i = first; i < count; i++)
        if (gives(&layers[i]) && !give_layer(layers, i, model, is_sized, to))
            return false;
    return true;
}

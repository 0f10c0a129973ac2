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

/* Numbers side by side, which one instruction computes. */
typedef double two __attribute__((vector_size(16)));
typedef float two_floats __attribute__((vector_size(8)));

/* Returns 2 / |q|^2, by which products of a quaternion's numbers become a matrix, for rotations that quat_repair()
 * normalizes, and 2 for the others. It takes no root, and for usual rotations no division. */
static double factor_of(double square)
{
    static const double FLOAT_ROUNDING = 2e-6, FILE_LEAST = 0.999 * 0.999, FILE_MOST = 1.001 * 1.001;
    const double error = square - 1;
    if (fabs(error) <= FLOAT_ROUNDING)
        return 2 - 2 * error + 2 * error * error; /* the next term is below 2e-17 */
    return square >= FILE_LEAST && square <= FILE_MOST ? 2 : 2 / square;
}

/* The matrix of ten numbers: translation, rotation, scale. Pairs of elements follow each other as in rows. */
static inline void pairs_of_whole(const double *given, double factor, two pairs[6])
{
    const double *t = given, *q = given + 3, *s = given + 7;
    const double x = factor * q[0], y = factor * q[1], z = factor * q[2];
    const double xx = x * q[0], yy = y * q[1], zz = z * q[2], xy = x * q[1], xz = x * q[2], yz = y * q[2];
    const double xw = x * q[3], yw = y * q[3], zw = z * q[3];
    const two scale = {s[0], s[1]};
    pairs[0] = (two){1 - (yy + zz), xy - zw} * scale;
    pairs[1] = (two){(xz + yw) * s[2], t[0]};
    pairs[2] = (two){xy + zw, 1 - (xx + zz)} * scale;
    pairs[3] = (two){(yz - xw) * s[2], t[1]};
    pairs[4] = (two){xz - yw, yz + xw} * scale;
    pairs[5] = (two){(1 - (xx + yy)) * s[2], t[2]};
}

/* Replaces the matrix of a node by what is given of all of it, at one frame. False: the rotation is tiny, and its
 * square may be a rounded 0. */
static inline bool replace_matrix(const double *given, size_t place, const struct rig_rows *to)
{
    static const double SHORTEST = 1e-200; /* the square of a length */
    const double square = dot4(given + 3, given + 3);
    float *at = to->rows + place * to->node_step;
    two pairs[6];
    if (!(square > SHORTEST))
        return false;
    pairs_of_whole(given, factor_of(square), pairs);
    for (size_t p = 0; p < 6; p++) {
        const two_floats rounded = __builtin_convertvector(pairs[p], two_floats);
        if (to->f64 != NULL) {
            memcpy(to->f64 + place * to->node_step + 2 * p, &pairs[p], sizeof pairs[p]);
        } else if (to->element_step == 1) {
            memcpy(at + 2 * p, &rounded, sizeof rounded);
        } else {
            at[2 * p * to->element_step] = rounded[0];
            at[(2 * p + 1) * to->element_step] = rounded[1];
        }
    }
    return true;
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
    const bool is_at_frame = !(moment.u > 0) && !layer->is_additive && layer->weight >= 1;
    for (uint32_t n = 0; n < layer->given->node_count; n++) {
        const struct given_node *of = &layer->given->nodes[n];
        const uint32_t place = model->rig_places[of->node];
        double rows[12], scale[3];
        if (place == UINT32_MAX)
            continue; /* it moves no joint */
        if (is_at_frame && of->parts == GIVEN_WHOLE && replace_matrix(frame + of->first, place, to))
            continue;
        if (!give_is_whole(&give, of)) {
            find_scale(layers, index, model, of->node, is_sized, scale);
            load(to, place, rows);
        }
        if (!give_rows(&give, of, &moment, model, scale, rows))
            return false;
        store(to, place, rows);
    }
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

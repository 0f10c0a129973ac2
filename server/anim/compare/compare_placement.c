/* compare_placement.c - finds that the whole new model is elsewhere, turned or of another size, as by a node above all
 * others or by another unit in an exporter. Then it is compared without that. */
#include "anim/compare/compare_internal.h"
#include "anim/model/mat3.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

enum { NODES_MOST = 256, CANDIDATES_MOST = 8, CLIPS_LOOKED_AT = 4, MOMENTS = 2 };
#define NODES_MAJORITY 0.9  /* share of the nodes that have to be where the placement puts them */
#define SIMILAR        1e-3 /* relative difference of lengths and cosines, up to which a matrix scales evenly */

/* A similarity: rotation, even scale and translation. */
struct placement {
    struct dmat4 new_from_old;
    double scale;
};

/* Nodes that both models have, spread over all. */
struct placed_nodes {
    uint32_t nodes[COMPARE_SIDES][NODES_MOST];
    uint32_t count;
};

static bool counts(const struct compare_model *side, uint32_t node)
{
    return side->is_joint[node] != 0 || side->model->nodes[node].mesh >= 0;
}

static void list_nodes(const struct compare *compare, struct placed_nodes *out)
{
    const struct compare_model *old = &compare->sides[COMPARE_OLD], *new = &compare->sides[COMPARE_NEW];
    uint32_t all = 0, seen = 0;
    out->count = 0;
    for (uint32_t n = 0; n < old->model->node_count; n++)
        all += old->partners[n] >= 0 && counts(old, n) && counts(new, (uint32_t)old->partners[n]);
    const uint32_t step = 1 + all / NODES_MOST;
    for (uint32_t n = 0; n < old->model->node_count; n++) {
        if (old->partners[n] < 0 || !counts(old, n) || !counts(new, (uint32_t)old->partners[n]) || seen++ % step != 0)
            continue;
        out->nodes[COMPARE_OLD][out->count] = n;
        out->nodes[COMPARE_NEW][out->count++] = (uint32_t)old->partners[n];
    }
}

/* --- candidates --- */

/* Sets the scale of a matrix. False: it shears, mirrors or scales unevenly. */
static bool is_similarity(struct placement *placement)
{
    const double *m = placement->new_from_old.m;
    const double lengths[3] = {sqrt(dot3(m, m)), sqrt(dot3(m + 4, m + 4)), sqrt(dot3(m + 8, m + 8))};
    placement->scale = (lengths[0] + lengths[1] + lengths[2]) / 3;
    if (!(placement->scale > 1e-9) || !(placement->scale < 1e9) || !(determinant3(m, m + 4, m + 8) > 0))
        return false;
    for (int i = 0; i < 3; i++) {
        const double cosine = dot3(m + 4 * i, m + 4 * ((i + 1) % 3)) / (placement->scale * placement->scale);
        if (!(fabs(lengths[i] / placement->scale - 1) <= SIMILAR) || !(fabs(cosine) <= SIMILAR))
            return false;
    }
    return true;
}

/* By which the matrix of one node differs. */
static bool by_node(const struct compare *compare, const struct placed_nodes *nodes, uint32_t at, struct placement *out)
{
    struct dmat4 old_from_node;
    if (!dmat4_invert(&compare->sides[COMPARE_OLD].rest[nodes->nodes[COMPARE_OLD][at]], &old_from_node))
        return false;
    out->new_from_old = dmat4_mul(&compare->sides[COMPARE_NEW].rest[nodes->nodes[COMPARE_NEW][at]], &old_from_node);
    return is_similarity(out);
}

/* By which the boxes differ, if one is the other, scaled and moved. */
static bool by_boxes(const struct box boxes[COMPARE_SIDES], double size, struct placement *out)
{
    const struct box *old = &boxes[COMPARE_OLD], *new = &boxes[COMPARE_NEW];
    if (box_is_empty(old) || box_is_empty(new) || !(box_size(old) > 0))
        return false;
    const double scale = box_size(new) / box_size(old);
    out->new_from_old = DMAT4_IDENTITY;
    for (int i = 0; i < 3; i++) {
        const double sides[COMPARE_SIDES] = {old->max[i] - old->min[i], new->max[i] - new->min[i]};
        if (!(fabs(sides[COMPARE_NEW] - scale * sides[COMPARE_OLD]) <= SIMILAR * scale * size))
            return false;
        out->new_from_old.m[5 * i] = scale;
        out->new_from_old.m[12 + i] = (new->min[i] + new->max[i] - scale *(old->min[i] + old->max[i])) / 2;
    }
    return is_similarity(out);
}

/* --- checks --- */

/* Returns the share of the nodes whose origins are, in the current poses, where the placement puts them. */
static double share_of_nodes(const struct compare *compare, const struct placed_nodes *nodes,
                             const struct placement *placement)
{
    const double near = compare->tolerance * compare->size * placement->scale;
    uint32_t count = 0;
    for (uint32_t i = 0; i < nodes->count; i++) {
        double places[COMPARE_SIDES][3], wanted[3];
        for (int s = 0; s < COMPARE_SIDES; s++) {
            const struct dmat4 matrix = compare_node_matrix(&compare->sides[s], nodes->nodes[s][i]);
            for (int k = 0; k < 3; k++)
                places[s][k] = matrix.m[12 + k];
        }
        dmat4_point(&placement->new_from_old, places[COMPARE_OLD], wanted);
        const double way[3] = {places[1][0] - wanted[0], places[1][1] - wanted[1], places[1][2] - wanted[2]};
        count += sqrt(dot3(way, way)) <= near;
    }
    return nodes->count == 0 ? 1 : (double)count / nodes->count;
}

/* Returns how far the corners of the old box, as placed, are from the corners of the new one. A rotation has to take
 * axes to axes for them to meet. */
static double boxes_apart(const struct box boxes[COMPARE_SIDES], const struct dmat4 *new_from_old)
{
    struct box placed = BOX_EMPTY;
    double apart = 0;
    for (int i = 0; i < 8; i++) {
        const struct box *box = &boxes[COMPARE_OLD];
        const double corner[3] = {(i & 1) != 0 ? box->max[0] : box->min[0], (i & 2) != 0 ? box->max[1] : box->min[1],
                                  (i & 4) != 0 ? box->max[2] : box->min[2]};
        double place[3];
        dmat4_point(new_from_old, corner, place);
        box_add(&placed, place);
    }
    for (int i = 0; i < 3; i++)
        apart = fmax(apart, fmax(fabs(placed.min[i] - boxes[COMPARE_NEW].min[i]),
                                 fabs(placed.max[i] - boxes[COMPARE_NEW].max[i])));
    return isfinite(placed.max[0] - placed.min[0]) ? apart : HUGE_VAL;
}

/* True unless most of the looked at poses of clips contradict. */
static bool holds_in_clips(struct compare *compare, const struct placed_nodes *nodes, const struct placement *placement)
{
    const struct model *old = compare->sides[COMPARE_OLD].model, *new = compare->sides[COMPARE_NEW].model;
    int32_t *partners[COMPARE_SIDES];
    uint32_t looked = 0, held = 0;
    const uint64_t steps = pose_step_count(old) + pose_step_count(new);
    clips_match_names(compare, partners);
    for (uint32_t c = 0; c < old->clip_count && looked < CLIPS_LOOKED_AT * MOMENTS; c++)
        for (int moment = 0; moment < MOMENTS && partners[COMPARE_OLD][c] >= 0; moment++, looked++) {
            if (compare->steps_left < compare->options->steps / 2)
                break;
            compare_charge(compare, steps);
            compare->out->step_count += steps;
            const struct clip *clips[COMPARE_SIDES] = {&old->clips[c], &new->clips[partners[COMPARE_OLD][c]]};
            for (int s = 0; s < COMPARE_SIDES; s++)
                pose_evaluate(&compare->sides[s].pose, compare->sides[s].model,
                              s == COMPARE_OLD ? (int32_t)c : partners[COMPARE_OLD][c],
                              clips[s]->start_s + (clips[s]->duration_s - clips[s]->start_s) * moment / MOMENTS);
            held += share_of_nodes(compare, nodes, placement) >= NODES_MAJORITY;
        }
    for (int s = 0; s < COMPARE_SIDES; s++) {
        pose_evaluate(&compare->sides[s].pose, compare->sides[s].model, POSE_REST, 0);
        free(partners[s]);
    }
    return 2 * held >= looked;
}

/* --- report --- */

/* Hides rounding noise. */
static double told(double value, double unit) { return fabs(value) < 1e-3 * unit ? 0 : value; }

/* Returns the angle of the rotation, and its unit axis. Near half a turn both directions of the axis are right: then
 * its first component is positive. */
static double rotation_of(const struct placement *placement, double axis[3])
{
    const double *m = placement->new_from_old.m;
    struct mat3 rotation = mat3_from_columns(m, m + 4, m + 8);
    double q[4];
    for (int i = 0; i < 9; i++)
        rotation.m[i] /= placement->scale;
    mat3_to_quat(&rotation, q);
    const double first = fabs(q[0]) > 1e-3 ? q[0] : fabs(q[1]) > 1e-3 ? q[1] : q[2];
    const double side = (fabs(q[3]) > 1e-6 ? q[3] : first) < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++)
        axis[i] = side * q[i];
    return 2 * atan2(unit3(axis), fabs(q[3]));
}

static void tell(struct compare *compare, const struct placement *placement, double distance)
{
    const double *m = placement->new_from_old.m, scale = placement->scale, near = compare->tolerance * compare->size;
    double axis[3];
    const double angle = rotation_of(placement, axis);
    char parts[3][160] = {"", "", ""};
    struct difference *difference = difference_add(compare, DIFFERENCE_PLACEMENT);
    if (difference == NULL)
        return;
    if (fabs(scale - 1) > compare->tolerance)
        snprintf(parts[0], sizeof parts[0], " %.6g times as large,", scale);
    if (angle > 10 * compare->tolerance)
        snprintf(parts[1], sizeof parts[1], " turned by %.4g degrees about (%.3g, %.3g, %.3g),", angle * 180 / M_PI,
                 told(axis[0], 1), told(axis[1], 1), told(axis[2], 1));
    if (sqrt(dot3(m + 12, m + 12)) > near)
        snprintf(parts[2], sizeof parts[2], " moved by (%.4g, %.4g, %.4g),", told(m[12], near) / compare->unit,
                 told(m[13], near) / compare->unit, told(m[14], near) / compare->unit);
    difference->distance = distance / compare->unit;
    difference->angle_deg = angle * 180 / M_PI;
    difference_set_number(difference, COMPARE_OLD, 1);
    difference_set_number(difference, COMPARE_NEW, scale);
    difference_say(difference, "the whole model is%s%s%s and compared without that", parts[0], parts[1], parts[2]);
}

void placement_find(struct compare *compare, const struct box boxes[COMPARE_SIDES])
{
    const struct placement none = {.new_from_old = DMAT4_IDENTITY, .scale = 1};
    const double near = compare->tolerance * compare->size;
    struct placed_nodes *nodes = mem_alloc(sizeof *nodes);
    list_nodes(compare, nodes);
    const bool has_boxes = !box_is_empty(&boxes[COMPARE_OLD]) && !box_is_empty(&boxes[COMPARE_NEW]);
    bool is_found = false;
    struct placement placement = none;
    for (uint32_t i = 0; i <= CANDIDATES_MOST && has_boxes && !is_found; i++) {
        const uint32_t step = 1 + nodes->count / CANDIDATES_MOST;
        const bool is_candidate = i < CANDIDATES_MOST
                                      ? i * step < nodes->count && by_node(compare, nodes, i * step, &placement)
                                      : by_boxes(boxes, compare->size, &placement);
        is_found = is_candidate && boxes_apart(boxes, &placement.new_from_old) <= 2 * near * placement.scale &&
                   share_of_nodes(compare, nodes, &placement) >= NODES_MAJORITY;
    }
    const bool is_seen = is_found && (share_of_nodes(compare, nodes, &none) < NODES_MAJORITY ||
                                      boxes_apart(boxes, &none.new_from_old) > 2 * near);
    struct dmat4 old_from_new;
    if (is_seen && holds_in_clips(compare, nodes, &placement) && dmat4_invert(&placement.new_from_old, &old_from_new)) {
        struct compare_model *new = &compare->sides[COMPARE_NEW];
        tell(compare, &placement, boxes_apart(boxes, &none.new_from_old));
        new->common_from_scene = dmat4_mul(&old_from_new, &new->common_from_scene);
        new->has_frame = true;
    }
    free(nodes);
}

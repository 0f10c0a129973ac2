/* compare_probes.c - chooses the measure of each pair of joints: a space in which both models are alike, and a few
 * points that the joint carries. */
#include "anim/compare/compare_internal.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { DIRECTIONS = PROBES_MOST - 1 };
#define BIND_SHARE 1e-3 /* distance at which a joint is in the same place, of the extent of all in bind space */

/* --- spaces --- */

bool bind_origin(const struct compare_model *side, uint32_t node, double out[3])
{
    const int32_t joint = side->bind_joints[node];
    struct dmat4 bind_from_joint, joint_from_bind;
    if (joint < 0)
        return false;
    joint_from_bind = dmat4_from_mat4(&side->model->joints[joint].joint_from_bind);
    if (!dmat4_invert(&joint_from_bind, &bind_from_joint))
        return false;
    memcpy(out, bind_from_joint.m + 12, 3 * sizeof *out);
    return true;
}

/* Bind spaces are the same when the joint has the same place in both. Then they do not depend on the rest pose. */
static bool has_same_bind(const struct compare *compare, const struct joint_pair *pair, double near)
{
    double places[COMPARE_SIDES][3];
    for (int s = 0; s < COMPARE_SIDES; s++)
        if (!bind_origin(&compare->sides[s], pair->nodes[s], places[s]))
            return false;
    const double way[3] = {places[0][0] - places[1][0], places[0][1] - places[1][1], places[0][2] - places[1][2]};
    return sqrt(dot3(way, way)) <= near;
}

/* Returns the extent of the old joints in bind space. */
static double bind_extent(const struct compare *compare)
{
    struct box box = BOX_EMPTY;
    double place[3];
    for (uint32_t i = 0; i < compare->pair_count; i++)
        if (bind_origin(&compare->sides[COMPARE_OLD], compare->pairs[i].nodes[COMPARE_OLD], place))
            box_add(&box, place);
    return box_is_empty(&box) ? 0 : box_size(&box);
}

static void choose_spaces(struct compare *compare)
{
    const double near = BIND_SHARE * bind_extent(compare);
    struct dmat4 *turns = compare->has_met ? turns_find(compare) : NULL;
    for (uint32_t i = 0; i < compare->pair_count; i++) {
        struct joint_pair *pair = &compare->pairs[i];
        pair->is_bind = !pair->is_rebound && has_same_bind(compare, pair, near);
        for (int s = 0; s < COMPARE_SIDES; s++) {
            const struct compare_model *side = &compare->sides[s];
            const uint32_t node = pair->nodes[s];
            if (pair->is_bind)
                pair->node_from_ref[s] = dmat4_from_mat4(&side->model->joints[side->bind_joints[node]].joint_from_bind);
            else
                dmat4_invert(&side->reference[node], &pair->node_from_ref[s]);
            if (!pair->is_bind && turns != NULL && s == COMPARE_NEW)
                pair->node_from_ref[s] = dmat4_mul(&pair->node_from_ref[s], &turns[i]);
            pair->common_from_ref[s] = dmat4_mul(&side->reference[node], &pair->node_from_ref[s]);
        }
        const double *m = pair->common_from_ref[COMPARE_OLD].m;
        pair->scale = (sqrt(dot3(m, m)) + sqrt(dot3(m + 4, m + 4)) + sqrt(dot3(m + 8, m + 8))) / 3;
    }
    free(turns);
}

/* --- points --- */

/* The extreme points of a pair along each axis, in the common frame at rest. */
struct extremes {
    double most[DIRECTIONS];
    double points[DIRECTIONS][3];
};

static void note_point(struct extremes *extremes, const double point[3])
{
    for (int i = 0; i < DIRECTIONS; i++) {
        const double along = i % 2 == 0 ? point[i / 2] : -point[i / 2];
        if (along > extremes->most[i]) {
            extremes->most[i] = along;
            memcpy(extremes->points[i], point, sizeof extremes->points[i]);
        }
    }
}

/* Notes the place of vertex `v` at rest, as moved by the joint that it follows most. */
static void note_vertex(const struct compare *compare, const struct skin *skin, uint32_t v, struct extremes *extremes)
{
    const struct compare_model *side = &compare->sides[COMPARE_OLD];
    const struct joint *joint = &side->model->joints[skin->joint_first + side->main_joints[v]];
    const int32_t pair = side->pairs[joint->node];
    double in_joint[3], point[3];
    if (pair < 0)
        return;
    const float *m = joint->joint_from_bind.m;
    const struct vec3 p = side->model->positions[v];
    for (int r = 0; r < 3; r++)
        in_joint[r] = (double)m[r] * (double)p.x + (double)m[4 + r] * (double)p.y + (double)m[8 + r] * (double)p.z +
                      (double)m[12 + r];
    dmat4_point(&side->reference[joint->node], in_joint, point);
    if (isfinite(point[0]) && isfinite(point[1]) && isfinite(point[2]))
        note_point(&extremes[pair], point);
}

static void note_vertices(struct compare *compare, struct extremes *extremes)
{
    const struct model *model = compare->sides[COMPARE_OLD].model;
    uint64_t count = 0;
    for (uint32_t d = 0; d < model->draw_count && !compare_is_stopped(compare); d++) {
        const struct draw *draw = &model->draws[d];
        const struct primitive *primitive = &model->primitives[draw->primitive];
        if ((draw->flags & DRAW_IN_SCENE) == 0 || count + primitive->vertex_count > COMPARE_VERTICES_MOST)
            continue;
        count += primitive->vertex_count;
        for (uint32_t v = 0; v < primitive->vertex_count; v++)
            note_vertex(compare, &model->skins[draw->skin], primitive->vertex_first + v, extremes);
    }
}

static void add_probe(struct joint_pair *pair, const struct dmat4 *ref_from_common, const double point[3])
{
    double probe[3];
    dmat4_point(ref_from_common, point, probe);
    for (uint32_t i = 0; i < pair->probe_count; i++)
        if (memcmp(pair->probes[i], probe, sizeof probe) == 0)
            return;
    memcpy(pair->probes[pair->probe_count++], probe, sizeof probe);
}

static void set_probes(struct compare *compare, uint32_t index, const struct extremes *extremes)
{
    struct joint_pair *pair = &compare->pairs[index];
    const struct compare_model *side = &compare->sides[COMPARE_OLD];
    struct dmat4 ref_from_common;
    dmat4_invert(&pair->common_from_ref[COMPARE_OLD], &ref_from_common);
    add_probe(pair, &ref_from_common, side->reference[pair->nodes[COMPARE_OLD]].m + 12);
    pair->vertex_first = pair->probe_count;
    for (int i = 0; i < DIRECTIONS; i++)
        if (extremes->most[i] > -HUGE_VAL)
            add_probe(pair, &ref_from_common, extremes->points[i]);
}

/* Adds the joints below a joint, which it carries as well. */
static void add_children(struct compare *compare)
{
    const struct compare_model *side = &compare->sides[COMPARE_OLD];
    for (uint32_t i = 0; i < compare->pair_count; i++) {
        const struct joint_pair *child = &compare->pairs[i];
        struct joint_pair *pair = child->parent < 0 ? NULL : &compare->pairs[child->parent];
        if (pair == NULL)
            continue;
        pair->has_children = true;
        if (pair->child_count == PROBE_CHILDREN_MOST)
            continue;
        struct dmat4 ref_from_common;
        dmat4_invert(&pair->common_from_ref[COMPARE_OLD], &ref_from_common);
        dmat4_point(&ref_from_common, side->reference[child->nodes[COMPARE_OLD]].m + 12,
                    pair->children[pair->child_count++]);
    }
}

void probes_choose(struct compare *compare)
{
    struct extremes *extremes = mem_alloc(((size_t)compare->pair_count + 1) * sizeof *extremes);
    for (uint32_t i = 0; i < compare->pair_count; i++) {
        compare->pairs[i].probe_count = compare->pairs[i].child_count = 0;
        for (int k = 0; k < DIRECTIONS; k++)
            extremes[i].most[k] = -HUGE_VAL;
    }
    choose_spaces(compare);
    note_vertices(compare, extremes);
    for (uint32_t i = 0; i < compare->pair_count; i++)
        set_probes(compare, i, &extremes[i]);
    add_children(compare);
    free(extremes);
}

/* compare_binds.c - bind poses: joints that are bound in another pose and move the same vertices in the same way, and
 * models that rest in their bind pose. */
#include "anim/compare/compare_drawn.h"
#include "base/mem.h"

#include <stdlib.h>

#define VERTICES_MAJORITY 0.9 /* share of the vertices of a joint that must be at the same place */

/* --- other bind poses --- */

/* The old vertices that follow a joint most. */
struct joint_vertices {
    uint32_t count, found; /* and those at the same place in both models */
};

static void count_vertices(struct compare *compare, struct joint_vertices *joints)
{
    const struct compare_model *side = &compare->sides[COMPARE_OLD];
    struct surface *surface = mem_zalloc(1, sizeof *surface);
    compare->surface = surface;
    vertices_match_in_scene(compare);
    const struct drawn_vertices *old = &surface->drawn[COMPARE_OLD];
    for (uint32_t i = 0; i < old->count; i++) {
        const int32_t pair = side->pairs[drawn_joint_node(old, i, side->main_joints[old->vertices[i]])];
        if (pair < 0)
            continue;
        joints[pair].count++;
        joints[pair].found += old->partners[i] >= 0;
    }
    compare->surface = NULL;
    for (int s = 0; s < COMPARE_SIDES; s++)
        drawn_vertices_free(&surface->drawn[s]);
    free(surface);
}

/* True for a joint which is where it was, while bind space moves otherwise with it. */
static bool is_suspect(const struct compare *compare, uint32_t index, const struct pair_error *errors)
{
    const struct joint_pair *pair = &compare->pairs[index];
    return pair->is_bind && errors[index].score > 1 &&
           origins_compare(compare, pair).distance <= compare->tolerance * compare->size;
}

bool binds_check(struct compare *compare, const struct pair_error *errors)
{
    enum { CHECKS_MOST = 8 }; /* each places all vertices */
    uint32_t count = 0, suspects = 0;
    for (uint32_t i = 0; i < compare->pair_count; i++)
        suspects += is_suspect(compare, i, errors);
    if (suspects == 0 || compare->looks_left == 0 || compare->bind_checks++ >= CHECKS_MOST)
        return false;
    struct joint_vertices *joints = mem_zalloc((size_t)compare->pair_count + 1, sizeof *joints);
    count_vertices(compare, joints);
    for (uint32_t i = 0; i < compare->pair_count; i++) {
        if (!is_suspect(compare, i, errors) || joints[i].found < VERTICES_MAJORITY * joints[i].count)
            continue;
        compare->pairs[i].is_rebound = true;
        count++;
    }
    free(joints);
    compare->rebound_count += count;
    if (count > 0)
        probes_choose(compare);
    return count > 0;
}

/* --- rest in the bind pose --- */

/* Returns the box around the new joints in bind space. */
static struct box bind_box(const struct compare *compare)
{
    struct box box = BOX_EMPTY;
    double place[3];
    for (uint32_t i = 0; i < compare->pair_count; i++)
        if (bind_origin(&compare->sides[COMPARE_NEW], compare->pairs[i].nodes[COMPARE_NEW], place))
            box_add(&box, place);
    return box;
}

static double corners_apart(const struct box *box, const struct dmat4 *a, const struct dmat4 *b)
{
    double most = 0;
    for (int i = 0; i < 8; i++) {
        const double corner[3] = {(i & 1) != 0 ? box->max[0] : box->min[0], (i & 2) != 0 ? box->max[1] : box->min[1],
                                  (i & 4) != 0 ? box->max[2] : box->min[2]};
        double p[3], q[3];
        dmat4_point(a, corner, p);
        dmat4_point(b, corner, q);
        const double way[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
        most = fmax(most, sqrt(dot3(way, way)));
    }
    return most;
}

bool rests_in_bind_pose(const struct compare *compare)
{
    const struct compare_model *new = &compare->sides[COMPARE_NEW];
    const struct box box = bind_box(compare);
    uint8_t *is_skinned = mem_zalloc((size_t)compare->pair_count + 1, sizeof *is_skinned); /* or follows one that is */
    struct dmat4 first = DMAT4_IDENTITY;
    bool has_first = false, is_bind = true;
    for (uint32_t i = 0; i < compare->pair_count && is_bind; i++) {
        const struct joint_pair *pair = &compare->pairs[i];
        const int32_t joint = new->bind_joints[pair->nodes[COMPARE_NEW]];
        is_skinned[i] = joint >= 0 || (pair->parent >= 0 && is_skinned[pair->parent] != 0);
        if (joint < 0) {
            is_bind = is_skinned[i] != 0 || origins_compare(compare, pair).score <= 1;
            continue;
        }
        const struct dmat4 joint_from_bind = dmat4_from_mat4(&new->model->joints[joint].joint_from_bind);
        const struct dmat4 common_from_bind = dmat4_mul(&new->rest[pair->nodes[COMPARE_NEW]], &joint_from_bind);
        if (!has_first)
            first = common_from_bind;
        has_first = true;
        is_bind = corners_apart(&box, &first, &common_from_bind) <= 2 * compare->tolerance * compare->size;
    }
    free(is_skinned);
    return is_bind && has_first;
}

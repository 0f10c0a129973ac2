/* compare_skinned.c - compares the places of skinned vertices at rest, which show changes of inverse bind matrices. */
#include "anim/compare/compare_drawn.h"
#include "base/mem.h"

#include <stdlib.h>

enum { VERTICES_MOST = 20000 }; /* that are compared, spread over all */

/* Morph targets are compared separately. */
static void skinned_place(const struct drawn_vertices *drawn, uint32_t at, double out[3])
{
    const struct dmat4 matrix = drawn_common_from_bind(drawn, at);
    const struct vec3 p = drawn->model->positions[drawn->vertices[at]];
    dmat4_point(&matrix, DOUBLE3(p), out);
}

/* The farthest vertices of each joint. */
struct joint_apart {
    double distance;
    uint32_t vertex, count; /* in the old list; how many differ */
};

static void look_at(const struct compare *compare, uint32_t at, struct joint_apart *joints)
{
    const struct drawn_vertices *drawn = compare->surface->drawn;
    const struct drawn_vertices *old = &drawn[COMPARE_OLD];
    const uint32_t joint = compare->sides[COMPARE_OLD].main_joints[old->vertices[at]];
    const int32_t pair = compare->sides[COMPARE_OLD].pairs[drawn_joint_node(old, at, joint)];
    double places[COMPARE_SIDES][3];
    if (pair < 0 || compare->pairs[pair].is_elsewhere)
        return;
    skinned_place(old, at, places[COMPARE_OLD]);
    skinned_place(&drawn[COMPARE_NEW], (uint32_t)old->partners[at], places[COMPARE_NEW]);
    const double way[3] = {places[0][0] - places[1][0], places[0][1] - places[1][1], places[0][2] - places[1][2]};
    const double distance = sqrt(dot3(way, way));
    if (!(distance > 2 * compare->tolerance * compare->size)) /* its bind place may be off by half of it */
        return;
    joints[pair].count++;
    if (distance > joints[pair].distance) {
        joints[pair].distance = distance;
        joints[pair].vertex = at;
    }
}

static void tell(struct compare *compare, const struct joint_pair *pair, const struct joint_apart *joint)
{
    const struct drawn_vertices *drawn = compare->surface->drawn;
    const uint32_t ats[COMPARE_SIDES] = {joint->vertex, (uint32_t)drawn[COMPARE_OLD].partners[joint->vertex]};
    const struct model *new = compare->sides[COMPARE_NEW].model;
    const uint32_t node = pair->nodes[COMPARE_NEW];
    char name[THING_SIZE];
    struct difference *difference = difference_add(compare, DIFFERENCE_REST);
    if (difference == NULL)
        return;
    for (int s = 0; s < COMPARE_SIDES; s++) {
        difference->nodes[s] = (int32_t)pair->nodes[s];
        difference->meshes[s] = (int32_t)drawn_mesh(&drawn[s], ats[s]);
    }
    difference->distance = difference->vertex_distance = joint->distance / compare->unit;
    difference_say(difference, "the vertices of %s are %.4g units (%.3g %% of the size) elsewhere at rest",
                   compare_thing(new, "joint", new->nodes[node].name, node, name), difference->distance,
                   100 * joint->distance / compare->size);
}

void skinned_compare(struct compare *compare)
{
    const struct drawn_vertices *old = &compare->surface->drawn[COMPARE_OLD];
    struct joint_apart *joints = mem_zalloc((size_t)compare->pair_count + 1, sizeof *joints);
    const uint32_t step = 1 + old->count / VERTICES_MOST;
    for (uint32_t i = 0; i < old->count && !compare_is_stopped(compare); i += step)
        if (old->partners[i] >= 0 && old->is_moved[i] == 0 && compare_takes_influences(compare, i))
            look_at(compare, i, joints);
    for (uint32_t p = 0; p < compare->pair_count; p++)
        if (joints[p].count > 0)
            tell(compare, &compare->pairs[p], &joints[p]);
    free(joints);
}

/* compare_rest.c - where the joints of both models are at rest. */
#include "anim/compare/compare_parts.h"
#include "base/mem.h"

#include <stdlib.h>

/* Where the new joint is seen from the old one, at rest. */
static void moved(const struct compare *compare, const struct joint_pair *pair, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = compare->sides[COMPARE_NEW].rest[pair->nodes[COMPARE_NEW]].m[12 + i] -
                 compare->sides[COMPARE_OLD].rest[pair->nodes[COMPARE_OLD]].m[12 + i];
}

/* Of pairs whose ref space is the scene at rest, so that only their origins tell of it. Moved with the joint above it,
 * a joint is not off by itself. */
static void measure_origin(const struct compare *compare, const struct joint_pair *pair, struct pair_error *error)
{
    double way[3], above[3] = {0};
    moved(compare, pair, way);
    if (pair->parent >= 0)
        moved(compare, &compare->pairs[pair->parent], above);
    const double own[3] = {way[0] - above[0], way[1] - above[1], way[2] - above[2]};
    *error = (struct pair_error){.distance = sqrt(dot3(way, way)),
                                 .vertex_distance = NAN,
                                 .score = sqrt(dot3(own, own)) / (compare->tolerance * compare->size)};
}

static void tell(struct compare *compare, struct joint_pair *pair, const struct pair_error *error)
{
    pair->is_elsewhere = true;
    const struct model *new = compare->sides[COMPARE_NEW].model;
    const uint32_t node = pair->nodes[COMPARE_NEW];
    char name[THING_SIZE];
    struct difference *difference = difference_add(compare, DIFFERENCE_REST);
    if (difference == NULL)
        return;
    for (int s = 0; s < COMPARE_SIDES; s++)
        difference->nodes[s] = (int32_t)pair->nodes[s];
    difference->distance = error->distance / compare->unit;
    difference->vertex_distance = error->vertex_distance / compare->unit;
    difference->angle_deg = error->angle * 180 / M_PI;
    difference_say(difference, "%s is %.4g units (%.3g %% of the size) and %.3g degrees away at rest",
                   compare_thing(new, "joint", new->nodes[node].name, node, name), difference->distance,
                   100 * error->distance / compare->size, difference->angle_deg);
}

int rest_compare(struct compare *compare)
{
    struct pair_error *errors = mem_alloc(((size_t)compare->pair_count + 1) * sizeof *errors);
    char name[THING_SIZE];
    int rc = 0;
    poses_measure(compare, (const int32_t[]){POSE_REST, POSE_REST}, (const double[]){0, 0}, errors);
    for (uint32_t i = 0; i < compare->pair_count && rc == 0; i++) {
        struct joint_pair *pair = &compare->pairs[i];
        const uint32_t node = pair->nodes[COMPARE_NEW];
        const struct model *new = compare->sides[COMPARE_NEW].model;
        if (pair->parent >= 0 && compare->pairs[pair->parent].is_elsewhere)
            pair->is_elsewhere = true;
        if (!pair->is_bind)
            measure_origin(compare, pair, &errors[i]);
        if (!isfinite(errors[i].distance))
            rc = err_set(compare->err, ERR_NOT_FINITE, "the place of %s at rest is not finite",
                         compare_thing(new, "joint", new->nodes[node].name, node, name));
        else if (errors[i].score > 1)
            tell(compare, pair, &errors[i]);
    }
    free(errors);
    return rc;
}

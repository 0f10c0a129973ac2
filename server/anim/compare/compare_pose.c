/* compare_pose.c - measures how far two poses differ, joint by joint, and which joints cause it. */
#include "anim/compare/compare_internal.h"

/* Relative to the tolerance: a rotation by this many radians, or a scale by this share, counts as much as a distance of
 * 1. This also makes rotations of small joints count. */
#define TURN_FACTOR 10.0
#define IDLE_SHARE  0.05 /* of the tolerance: smaller differences need no closer look */

static double distance_between(const struct dmat4 *a, const struct dmat4 *b, const double ref[3])
{
    double p[3], q[3];
    dmat4_point(a, ref, p);
    dmat4_point(b, ref, q);
    const double way[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
    return sqrt(dot3(way, way));
}

/* Compares what both matrices do to the axes: the angle between the results, and the ratio of their lengths. */
static void compare_axes(const struct dmat4 *a, const struct dmat4 *b, double scale, double *angle, double *stretch)
{
    double apart = 0;
    *stretch = 0;
    for (int c = 0; c < 3; c++) {
        double x[3] = {a->m[4 * c], a->m[4 * c + 1], a->m[4 * c + 2]};
        double y[3] = {b->m[4 * c], b->m[4 * c + 1], b->m[4 * c + 2]};
        const double lengths[2] = {unit3(x), unit3(y)};
        *stretch = fmax(*stretch, fabs(lengths[0] - lengths[1]) / (scale > 0 ? scale : 1));
        if (lengths[0] < 1e-4 * scale || lengths[1] < 1e-4 * scale)
            continue; /* collapsed: its direction is not visible */
        for (int r = 0; r < 3; r++)
            apart += (x[r] - y[r]) * (x[r] - y[r]);
    }
    /* |R - I|^2 = 8 sin^2(angle / 2), summed over the columns */
    *angle = 2 * asin(fmin(1, sqrt(apart / 8)));
}

/* Returns the larger one; NaN and infinity stay. */
static double farther(double a, double b) { return isfinite(a) && !(b <= a) ? b : a; }

/* Measures the distances of the pair's points under two matrices from its ref space. */
static void measure(const struct joint_pair *pair, const struct dmat4 *a, const struct dmat4 *b, double *distance,
                    double *vertex_distance)
{
    *distance = *vertex_distance = 0;
    for (uint32_t i = 0; i < pair->probe_count; i++) {
        const double way = distance_between(a, b, pair->probes[i]);
        *distance = farther(*distance, way);
        if (i >= pair->vertex_first)
            *vertex_distance = farther(*vertex_distance, way);
    }
    for (uint32_t i = 0; i < pair->child_count; i++)
        *distance = farther(*distance, distance_between(a, b, pair->children[i]));
}

double pair_distance(const struct joint_pair *pair, const struct dmat4 *a, const struct dmat4 *b)
{
    double distance, vertex_distance;
    measure(pair, a, b, &distance, &vertex_distance);
    return distance;
}

/* Scores the joint's own share, as if the joint above it did in the new model what it does in the old; at most what is
 * seen of it, since it may make up for the joint above. */
static double score_of(const struct compare *compare, const struct joint_pair *pair, const struct pair_error *error)
{
    const struct dmat4 *old = &pair->common_from_ref[COMPARE_OLD];
    struct dmat4 own = pair->common_from_ref[COMPARE_NEW];
    double distance = error->distance, vertex_distance, angle, stretch;
    if (pair->parent >= 0) {
        const struct joint_pair *above = &compare->pairs[pair->parent];
        const struct dmat4 from_above = dmat4_mul(&above->ref_from_common, &own);
        own = dmat4_mul(&above->common_from_ref[COMPARE_OLD], &from_above);
        measure(pair, old, &own, &distance, &vertex_distance);
    }
    compare_axes(old, &own, pair->scale, &angle, &stretch);
    const double score = fmax(distance / compare->size, fmax(angle, stretch) / TURN_FACTOR);
    const double seen = fmax(error->distance / compare->size, fmax(error->angle, error->stretch) / TURN_FACTOR);
    return (isfinite(seen) ? fmin(score, seen) : score) / compare->tolerance;
}

/* True when neither the pair nor the one above it moves differently. */
static bool is_idle(const struct compare *compare, const struct joint_pair *pair, const struct pair_error *errors,
                    const struct pair_error *error)
{
    const double near = IDLE_SHARE * compare->tolerance;
    const struct pair_error *above = pair->parent < 0 ? error : &errors[pair->parent];
    return error->distance <= near * compare->size && error->angle <= near && error->stretch <= near &&
           above->distance <= near * compare->size && above->angle <= near && above->stretch <= near;
}

void poses_measure(struct compare *compare, const int32_t clips[COMPARE_SIDES], const double times_s[COMPARE_SIDES],
                   struct pair_error *errors)
{
    for (int s = 0; s < COMPARE_SIDES; s++) {
        struct compare_model *side = &compare->sides[s];
        const uint64_t steps = pose_step_count(side->model);
        pose_evaluate(&side->pose, side->model, clips[s], times_s[s]);
        compare_charge(compare, steps);
        compare->out->step_count += steps;
    }
    compare->out->pose_count++;
    for (uint32_t i = 0; i < compare->pair_count; i++) {
        struct joint_pair *pair = &compare->pairs[i];
        struct pair_error *error = &errors[i];
        for (int s = 0; s < COMPARE_SIDES; s++) {
            const struct dmat4 common_from_node = compare_node_matrix(&compare->sides[s], pair->nodes[s]);
            pair->common_from_ref[s] = dmat4_mul(&common_from_node, &pair->node_from_ref[s]);
        }
        if (pair->has_children)
            dmat4_invert(&pair->common_from_ref[COMPARE_NEW], &pair->ref_from_common);
        measure(pair, &pair->common_from_ref[COMPARE_OLD], &pair->common_from_ref[COMPARE_NEW], &error->distance,
                &error->vertex_distance);
        compare_axes(&pair->common_from_ref[COMPARE_OLD], &pair->common_from_ref[COMPARE_NEW], pair->scale,
                     &error->angle, &error->stretch);
        error->score = is_idle(compare, pair, errors, error) ? 0 : score_of(compare, pair, error);
    }
}

/* hull_corners.c - finds the four points that a hull starts with, far from each other. */
#include "anim/camera/hull_corners.h"

/* Sets thinner than this, relative to their size, count as flat: the precision of float32. */
static const double FLAT = 1e-6;

/* Finds the point farthest from the line through a and b, or from the plane through a, b and c (c HULL_NONE: the line).
 */
static uint32_t farthest_from(const struct hull_points *set, uint32_t a, uint32_t b, uint32_t c, double *distance)
{
    double ab[3], ac[3], normal[3] = {0}, most = -1;
    uint32_t found = a;
    subtract3(set->points[b], set->points[a], ab);
    if (c != HULL_NONE) {
        subtract3(set->points[c], set->points[a], ac);
        cross3(ab, ac, normal);
    }
    const double length = sqrt(c != HULL_NONE ? dot3(normal, normal) : dot3(ab, ab));
    for (uint32_t p = 0; p < set->count; p++) {
        double ap[3], across[3];
        subtract3(set->points[p], set->points[a], ap);
        cross3(ab, ap, across);
        const double value = c != HULL_NONE ? fabs(dot3(normal, ap)) : sqrt(dot3(across, across));
        if (value > most) {
            most = value;
            found = p;
        }
    }
    *distance = most / length;
    return found;
}

/* Adds a helper point away from the others along `direction`, so that a flat set becomes the base of a cone. */
static uint32_t add_helper(struct hull_points *set, uint32_t from, const double direction[3])
{
    const double length = sqrt(dot3(direction, direction));
    for (int i = 0; i < 3; i++)
        set->points[set->point_count][i] = set->points[from][i] + direction[i] / length;
    return set->point_count++;
}

bool hull_find_corners(struct hull_points *set, uint32_t corners[4])
{
    double ab[3], ac[3], across[3], helper[3] = {0, 0, 0}, distance;
    uint32_t low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    int axis = 0;
    for (uint32_t p = 1; p < set->count; p++)
        for (int i = 0; i < 3; i++) {
            low[i] = set->points[p][i] < set->points[low[i]][i] ? p : low[i];
            high[i] = set->points[p][i] > set->points[high[i]][i] ? p : high[i];
        }
    for (int i = 1; i < 3; i++)
        if (set->points[high[i]][i] - set->points[low[i]][i] >
            set->points[high[axis]][axis] - set->points[low[axis]][axis])
            axis = i;
    corners[0] = low[axis];
    corners[1] = high[axis];
    subtract3(set->points[corners[1]], set->points[corners[0]], ab);
    if (!(dot3(ab, ab) > 0))
        return false;
    corners[2] = farthest_from(set, corners[0], corners[1], HULL_NONE, &distance);
    if (!(distance > FLAT)) {
        helper[axis == 0 ? 1 : 0] = 1;
        cross3(ab, helper, across);
        corners[2] = add_helper(set, corners[0], across);
    }
    corners[3] = farthest_from(set, corners[0], corners[1], corners[2], &distance);
    if (!(distance > FLAT)) {
        subtract3(set->points[corners[2]], set->points[corners[0]], ac);
        cross3(ab, ac, across);
        corners[3] = add_helper(set, corners[0], across);
    }
    return true;
}

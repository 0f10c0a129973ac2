/* hull.h - the few of many points that are outermost. Pure; any thread.
 *
 * The convex hull of points in space by the quickhull algorithm (C. B. Barber, D. P. Dobkin, H. Huhdanpaa, "The
 * Quickhull Algorithm for Convex Hulls", 1996), which ends early: a point that lies outside of what was found so far by
 * less than a tolerance is left out. */
#pragma once

#include "anim/model/model.h"

#include <stdint.h>

/* Writes the indices of points that span the hull of points[count] to out[count], rising, and returns how many there
 * are: at least 1 when there is a point. What sticks out of the hull of those that are returned does so by about
 * `tolerance` (>= 0, in the points' unit) or a millionth of their size at most. Flat and straight sets have the hull
 * that they span. Where rounding spoils the algorithm, or memory for it is not there, all points are returned. Points
 * must be finite. */
uint32_t hull_pick(const struct vec3 *points, uint32_t count, double tolerance, uint32_t *out);

/* Moves these points to the front of points[count] and returns how many there are. */
uint32_t hull_reduce(struct vec3 *points, uint32_t count, double tolerance);

/* hull.h - picks the outermost of many points. Pure; any thread.
 *
 * It computes the convex hull by the quickhull algorithm (C. B. Barber, D. P. Dobkin, H. Huhdanpaa, "The Quickhull
 * Algorithm for Convex Hulls", 1996), but stops early: it leaves out a point that lies outside the hull found so far by
 * less than a tolerance. */
#pragma once

#include "anim/model/model.h"

#include <stdint.h>

/* Writes the rising indices of points that span the hull of points[count] to out[count] and returns their number, at
 * least 1 when there is a point. Other points lie outside the hull of the returned ones by at most about `tolerance`
 * (>= 0, in the points' unit) or a millionth of the set's size. Flat and straight sets get the hull that they span.
 * Returns all points where rounding breaks the algorithm or memory runs out. Points must be finite. */
uint32_t hull_pick(const struct vec3 *points, uint32_t count, double tolerance, uint32_t *out);

/* Moves the points of the hull to the front of points[count] and returns their number. */
uint32_t hull_reduce(struct vec3 *points, uint32_t count, double tolerance);

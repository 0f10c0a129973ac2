/* hull_corners.h - the points of a hull and the four corners that it starts with. Private to hull*.c. Pure; any thread.
 */
#pragma once

#include "anim/model/mat.h"

#include <math.h>

#define HULL_NONE UINT32_MAX

struct hull_points {
    double (*points)[3];  /* relative to their middle, in units of their size; has room for two more than `count` */
    uint32_t count;       /* points that were given */
    uint32_t point_count; /* with the points that were added */
};

static inline void subtract3(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - b[i];
}

/* Finds four points that span a tetrahedron. A flat or straight set has none, so points beside it are added, which
 * makes it the base of a cone. False when all points coincide. */
bool hull_find_corners(struct hull_points *set, uint32_t corners[4]);

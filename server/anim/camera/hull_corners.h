/* hull_parts.h - what the files of the hull share. Private to hull*.c. Pure. */
#pragma once

#include "anim/model/mat.h"

#include <math.h>

#define HULL_NONE UINT32_MAX

struct hull_points {
    double (*points)[3];  /* relative to their middle, in units of their size; room for two more than `count` */
    uint32_t count;       /* that were given */
    uint32_t point_count; /* with those that were added */
};

static inline void subtract3(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - b[i];
}

/* Four points that span a tetrahedron. A set that has none, flat or straight, is given points that nobody gave, to the
 * side of it: then it is what the tip of a cone stands over. False when all points are one. */
bool hull_find_corners(struct hull_points *set, uint32_t corners[4]);

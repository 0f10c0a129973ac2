/* dualquat_point.h - transforms a point by a dual quaternion. */
#pragma once

#include "anim/pose/dualquat.h"

/* p + 2 r x (r x p + w p) + 2 (w d - e r + r x d), with r, w of the real and d, e of the dual part. */
static inline void dualquat_point(const struct dualquat *q, const double p[3], double out[3])
{
    const double *r = q->real, *d = q->dual, w = q->real[3], e = q->dual[3];
    double inner[3], outer[3], shift[3];
    cross3(r, p, inner);
    for (int i = 0; i < 3; i++)
        inner[i] += w * p[i];
    cross3(r, inner, outer);
    cross3(r, d, shift);
    for (int i = 0; i < 3; i++)
        out[i] = p[i] + 2 * outer[i] + 2 * (w * d[i] - e * r[i] + shift[i]);
}

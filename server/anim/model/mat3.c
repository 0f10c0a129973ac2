#include "anim/model/mat3.h"

#include <math.h>

const struct mat3 MAT3_IDENTITY = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};

struct mat3 mat3_mul(const struct mat3 *a, const struct mat3 *b)
{
    struct mat3 out;
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            out.m[3 * c + r] = a->m[r] * b->m[3 * c] + a->m[3 + r] * b->m[3 * c + 1] + a->m[6 + r] * b->m[3 * c + 2];
    return out;
}

static struct mat3 transpose(const struct mat3 *m)
{
    return (struct mat3){{m->m[0], m->m[3], m->m[6], m->m[1], m->m[4], m->m[7], m->m[2], m->m[5], m->m[8]}};
}

struct mat3 mat3_transpose_mul(const struct mat3 *a, const struct mat3 *b)
{
    const struct mat3 inverse = transpose(a);
    return mat3_mul(&inverse, b);
}

struct mat3 mat3_mul_transpose(const struct mat3 *a, const struct mat3 *b)
{
    const struct mat3 inverse = transpose(b);
    return mat3_mul(a, &inverse);
}

void mat3_direction(const struct mat3 *m, const double v[3], double out[3])
{
    const double x = v[0], y = v[1], z = v[2]; /* v and out may be the same array */
    for (int r = 0; r < 3; r++)
        out[r] = m->m[r] * x + m->m[3 + r] * y + m->m[6 + r] * z;
}

struct mat3 mat3_from_columns(const double x[3], const double y[3], const double z[3])
{
    return (struct mat3){{x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]}};
}

static struct mat3 upper(const struct dmat4 *m) { return mat3_from_columns(&m->m[0], &m->m[4], &m->m[8]); }

struct mat3 mat3_from_quat(const double q[4])
{
    const struct trs trs = {.rotation = {q[0], q[1], q[2], q[3]}, .scale = {1, 1, 1}};
    const struct dmat4 matrix = dmat4_from_trs(&trs);
    return upper(&matrix);
}

void mat3_to_quat(const struct mat3 *m, double q[4])
{
    double axes[3][3], trace[4] = {m->m[0], m->m[4], m->m[8], m->m[0] + m->m[4] + m->m[8]};
    int big = 0;
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            axes[c][r] = m->m[3 * c + r];
    for (int i = 1; i < 4; i++)
        if (trace[i] > trace[big])
            big = i;
    quat_from_axes(axes, big, q);
    quat_normalize(q);
}

/* Computes the inverse of the transpose: cofactors divided by the determinant. */
static bool invert_transpose(const struct mat3 *m, struct mat3 *out)
{
    const double *x = m->m, *y = m->m + 3, *z = m->m + 6, determinant = determinant3(x, y, z);
    cross3(y, z, &out->m[0]);
    cross3(z, x, &out->m[3]);
    cross3(x, y, &out->m[6]);
    for (int i = 0; i < 9; i++)
        out->m[i] /= determinant;
    return isfinite(determinant) && isfinite(1 / determinant);
}

bool mat3_nearest(const struct dmat4 *m, struct mat3 *out)
{
    enum { STEPS_MAX = 40 };
    struct mat3 at = upper(m), inverse;
    /* Scales by about the cube root of the determinant, so that few steps suffice. A power of two causes no rounding.
     */
    const double size = scalbn(1, ilogb(determinant3(at.m, at.m + 3, at.m + 6)) / 3);
    double change = 1;
    *out = MAT3_IDENTITY;
    for (int i = 0; i < 9; i++)
        at.m[i] /= size;
    for (int step = 0; step < STEPS_MAX && change > 1e-14; step++) {
        if (!invert_transpose(&at, &inverse))
            return false;
        change = 0;
        for (int i = 0; i < 9; i++) {
            const double next = (at.m[i] + inverse.m[i]) / 2;
            change = fmax(change, fabs(next - at.m[i]));
            at.m[i] = next;
        }
    }
    *out = at;
    return change <= 1e-14;
}

/* I + [v] + [v]^2 / (1 + c) with v = from x to, c = from . to (Rodrigues' formula for the angle between them). */
struct mat3 mat3_between(const double from[3], const double to[3])
{
    const double c = dot3(from, to);
    double v[3];
    cross3(from, to, v);
    if (c < -1 + 1e-12) {
        const double helper[3] = {fabs(from[0]) < 0.6, fabs(from[0]) >= 0.6, 0};
        double axis[3];
        cross3(from, helper, axis);
        unit3(axis);
        const double half_turn[4] = {axis[0], axis[1], axis[2], 0};
        return mat3_from_quat(half_turn);
    }
    const double k = 1 / (1 + c);
    return (struct mat3){{c + k * v[0] * v[0], k * v[0] * v[1] + v[2], k * v[0] * v[2] - v[1], k * v[0] * v[1] - v[2],
                          c + k * v[1] * v[1], k * v[1] * v[2] + v[0], k * v[0] * v[2] + v[1], k * v[1] * v[2] - v[0],
                          c + k * v[2] * v[2]}};
}

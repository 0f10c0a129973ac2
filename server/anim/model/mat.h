/* mat.h - small double-precision vectors, quaternions and matrices for evaluation.
 *
 * Pure; any thread. Matrices are column-major 4x4 for column vectors: element (row r, column c) is m[4*c + r].
 * Quaternions are x, y, z, w. Numbers are doubles, because a chain of a hundred float products loses the last digits
 * that "exact" promises. Results are rounded to float once, on output. */
#pragma once

#include "anim/model/model.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

struct dmat4 {
    double m[16];
};

/* A local transform: parent_from_node = T * R * S. */
struct trs {
    double translation[3];
    double rotation[4];
    double scale[3];
};

extern const struct dmat4 DMAT4_IDENTITY;

/* Converts a struct vec3 to doubles. */
#define DOUBLE3(v) ((const double[3]){(double)(v).x, (double)(v).y, (double)(v).z})

static inline double dot3(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline double dot4(const double *a, const double *b) { return dot3(a, b) + a[3] * b[3]; }
static inline void cross3(const double *a, const double *b, double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Determinant of the 3x3 matrix with these columns. */
static inline double determinant3(const double *x, const double *y, const double *z)
{
    double across[3];
    cross3(y, z, across);
    return dot3(x, across);
}

/* fmax(), which compilers do not inline. */
static inline double larger_of(double a, double b) { return isnan(a) || b > a ? b : a; }

/* Returns the distance of a point from the nearest point between two others, in their unit. */
double segment_distance(const double point[3], const double from[3], const double to[3]);

static inline bool vec3_is_finite(const struct vec3 *v) { return isfinite(v->x) && isfinite(v->y) && isfinite(v->z); }
static inline bool floats_are_finite(const float *values, uint64_t count)
{
    /* 0 times an infinity or NaN is NaN, and so is every sum with it. */
    typedef float four __attribute__((vector_size(16)));
    four sums = {0, 0, 0, 0}, more = sums, here, next;
    uint64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        memcpy(&here, values + i, sizeof here);
        memcpy(&next, values + i + 4, sizeof next);
        sums += here * 0.0f;
        more += next * 0.0f;
    }
    sums += more;
    float sum = sums[0] + sums[1] + sums[2] + sums[3];
    for (; i < count; i++)
        sum += values[i] * 0.0f;
    return sum == 0; /* false for NaN */
}

/* Normalizes a vector unless its length is 0 or not finite. Returns the length before. */
double unit3(double v[3]);

/* An axis-aligned box. Points on its sides are inside. */
struct box {
    double min[3], max[3]; /* min > max: empty */
};

extern const struct box BOX_EMPTY;
bool box_is_empty(const struct box *box);
void box_add(struct box *box, const double point[3]);
void box_join(struct box *box, const struct box *other); /* an empty box adds nothing */
double box_size(const struct box *box);                  /* longest side; 0 when empty */

struct dmat4 dmat4_mul(const struct dmat4 *a, const struct dmat4 *b); /* a * b */
struct dmat4 dmat4_from_mat4(const struct mat4 *m);
struct mat4 mat4_from_dmat4(const struct dmat4 *m);
/* Copies the upper three rows, one after the other. */
static inline void dmat4_rows(const struct dmat4 *m, double rows[12])
{
    for (int e = 0; e < 12; e++)
        rows[e] = m->m[e % 4 * 4 + e / 4];
}
/* The rotation goes through quat_repair() first. A zero quaternion is the identity. */
struct dmat4 dmat4_from_trs(const struct trs *trs);
/* Returns the rotation about a unit axis, by the cosine and the sine of its angle (Rodrigues' formula). */
struct dmat4 dmat4_from_axis(const double axis[3], double cosine, double sine);
/* Inverts any matrix. False, with *out the identity, when the determinant is 0 or not finite. */
bool dmat4_invert(const struct dmat4 *m, struct dmat4 *out);
/* Decomposes an affine matrix into T * R * S; a mirrored one gets a negative x scale. False when the product does not
 * give the matrix within 1e-6 of its largest element (shear, or a collapsed axis that lost the rotation). */
bool trs_from_dmat4(const struct dmat4 *m, struct trs *out);
/* Computes the quaternion of a rotation to these unit axes. It takes component `big` from the diagonal and divides the
 * others by it. The result is not normalized (S. W. Shepperd, "Quaternion from rotation matrix", 1978). */
void quat_from_axes(double axes[3][3], int big, double q[4]);
/* out = m * (p, 1); m is affine. */
void dmat4_point(const struct dmat4 *m, const double p[3], double out[3]);
/* out = m * (v, 0). */
void dmat4_direction(const struct dmat4 *m, const double v[3], double out[3]);

/* Computes the Hamilton product a * b; out may be a or b. */
static inline void quat_mul(const double a[4], const double b[4], double out[4])
{
    const double q[4] = {
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
    for (int i = 0; i < 4; i++)
        out[i] = q[i];
}

/* A zero quaternion becomes 0,0,0,1. */
static inline void quat_normalize(double q[4])
{
    const double length = sqrt(dot4(q, q));
    for (int i = 0; i < 4; i++)
        q[i] = length > 0 ? q[i] / length : i == 3;
}

/* Normalizes quaternions whose length differs from 1 by more than 1e-3 or by less than 1e-6. The latter is float32
 * rounding, which would add up along a chain of joints. In between lies a file's own rounding (three decimals). Such a
 * rotation is used unchanged, as the formulas of glTF 2.0 use a key's, because normalizing it moves joints by twice the
 * error. */
void quat_repair(double q[4]);
/* Returns the angle between two unit quaternions, the second multiplied by `side`, 1 or -1. */
double quat_angle(const double a[4], const double b[4], double side);
/* Interpolates two unit quaternions spherically along the shorter arc, u in 0..1 (glTF 2.0, appendix C.5; Shoemake
 * 1985). The result is as close to unit length as they are, within quat_repair()'s 1e-3. */
void quat_slerp(const double a[4], const double b[4], double u, double out[4]);

/* mat3.h - orthogonal 3x3 matrices: rotations and reflections. Pure; any thread.
 *
 * Column-major: row r, column c is m[3 * c + r]. Retargeting uses them instead of quaternions because a mirrored rig
 * (with a negative scale above it) has scene axes that no rotation gives. */
#pragma once

#include "anim/model/mat.h"

struct mat3 {
    double m[9];
};

extern const struct mat3 MAT3_IDENTITY;

struct mat3 mat3_mul(const struct mat3 *a, const struct mat3 *b);           /* a * b */
struct mat3 mat3_transpose_mul(const struct mat3 *a, const struct mat3 *b); /* transpose(a) * b = inverse(a) * b */
struct mat3 mat3_mul_transpose(const struct mat3 *a, const struct mat3 *b); /* a * transpose(b) */
void mat3_direction(const struct mat3 *m, const double v[3], double out[3]);
struct mat3 mat3_from_columns(const double x[3], const double y[3], const double z[3]);
struct mat3 mat3_from_quat(const double q[4]); /* unit */
void mat3_to_quat(const struct mat3 *m, double q[4]);

/* Finds the orthogonal matrix nearest to the upper 3x3 of `m`, so that `m` is the result times a stretch (polar
 * decomposition by Newton's iteration: N. J. Higham, "Computing the polar decomposition - with applications", 1986).
 * False, with *out the identity, when `m` is flat or not finite. */
bool mat3_nearest(const struct dmat4 *m, struct mat3 *out);
/* Returns the smallest rotation from one unit vector to another. For opposite vectors it is half a turn about a
 * perpendicular axis. */
struct mat3 mat3_between(const double from[3], const double to[3]);

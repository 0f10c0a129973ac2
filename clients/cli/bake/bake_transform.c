/* Makes the matrices of sockets, and splits matrices into translation, rotation and scale. */
#include "clients/cli/bake/bake.h"

#include <math.h>
#include <string.h>

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double out[3])
{
    const double v[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    memcpy(out, v, sizeof v);
}

static bool make_unit(double v[3])
{
    const double length = sqrt(dot(v, v));
    for (int i = 0; i < 3; i++)
        v[i] = length > 0 ? v[i] / length : 0;
    return length > 0;
}

/* Replaces the axes that a scale of 0 has removed: the result is a complete set of axes. */
static void complete(double axes[3][3], const double scale[3])
{
    int known = -1, count = 0;
    for (int c = 0; c < 3; c++) {
        known = scale[c] > 0 ? c : known;
        count += scale[c] > 0;
    }
    if (count == 0)
        for (int c = 0; c < 3; c++)
            axes[c][c] = 1;
    if (count == 1) { /* a second axis: perpendicular to the known one, towards the unit axis farthest from it */
        const double *a = axes[known];
        const double helper[3] = {fabs(a[0]) < 0.6, fabs(a[0]) >= 0.6, 0};
        cross(a, helper, axes[(known + 1) % 3]);
        make_unit(axes[(known + 1) % 3]);
    }
    for (int c = 0; c < 3; c++)
        if (!(scale[c] > 0) && (count == 2 || (count == 1 && c == (known + 2) % 3)))
            cross(axes[(c + 1) % 3], axes[(c + 2) % 3], axes[c]);
}

/* Returns the unit quaternion of a rotation matrix, by its largest component (S. W. Shepperd, "Quaternion from rotation
 * matrix", 1978). */
static void quaternion(double axes[3][3], double q[4])
{
    const double xx = axes[0][0], yy = axes[1][1], zz = axes[2][2];
    const double squares[4] = {1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz};
    const double xy = axes[0][1] + axes[1][0], xz = axes[0][2] + axes[2][0], yz = axes[1][2] + axes[2][1];
    const double wx = axes[1][2] - axes[2][1], wy = axes[2][0] - axes[0][2], wz = axes[0][1] - axes[1][0];
    const double rows[4][4] = {
        {squares[0], xy, xz, wx}, {xy, squares[1], yz, wy}, {xz, yz, squares[2], wz}, {wx, wy, wz, squares[3]}};
    int big = 0;
    for (int i = 1; i < 4; i++)
        big = squares[i] > squares[big] ? i : big;
    double length = 0;
    for (int i = 0; i < 4; i++)
        length += rows[big][i] * rows[big][i];
    for (int i = 0; i < 4; i++)
        q[i] = rows[big][i] / sqrt(length);
}

/* Returns whether T * R * S is the matrix, within the precision of float32. */
static bool is_same(double axes[3][3], const double scale[3], const float matrix[16])
{
    double largest = 0, worst = 0;
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) {
            const double value = (double)matrix[4 * c + r];
            largest = fmax(largest, fabs(value));
            worst = fmax(worst, fabs(value - axes[c][r] * scale[c]));
        }
    return worst <= 1e-5 * largest;
}

/* Gram-Schmidt, which keeps the first axis. is_same() detects a shear, which this removes. */
static void make_square(double axes[3][3])
{
    for (int c = 1; c < 3; c++) {
        for (int other = 0; other < c; other++) {
            const double along = dot(axes[c], axes[other]);
            for (int i = 0; i < 3; i++)
                axes[c][i] -= along * axes[other][i];
        }
        make_unit(axes[c]);
    }
}

bool bake_trs(const float matrix[16], const float *before, float out[10])
{
    double axes[3][3], scale[3], q[4], side, turned[3];
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++)
            axes[c][r] = (double)matrix[4 * c + r];
        scale[c] = sqrt(dot(axes[c], axes[c]));
        make_unit(axes[c]);
        out[c] = matrix[12 + c];
    }
    complete(axes, scale);
    make_square(axes);
    cross(axes[0], axes[1], turned);
    if (dot(turned, axes[2]) < 0) { /* mirrored */
        scale[0] = -scale[0];
        for (int i = 0; i < 3; i++)
            axes[0][i] = -axes[0][i];
    }
    quaternion(axes, q);
    side = q[3];
    if (before != NULL)
        side =
            q[0] * (double)before[3] + q[1] * (double)before[4] + q[2] * (double)before[5] + q[3] * (double)before[6];
    for (int i = 0; i < 4; i++)
        out[3 + i] = (float)((side < 0 ? -q[i] : q[i]) + 0);
    for (int i = 0; i < 3; i++)
        out[7 + i] = (float)scale[i];
    return is_same(axes, scale, matrix);
}

void bake_socket_matrix(const struct bake_item *item, const float scene_from_joint[16], float scene_from_socket[16])
{
    const double degree = 3.14159265358979323846 / 180;
    const double cx = cos(item->turn_deg[0] * degree), sx = sin(item->turn_deg[0] * degree);
    const double cy = cos(item->turn_deg[1] * degree), sy = sin(item->turn_deg[1] * degree);
    const double cz = cos(item->turn_deg[2] * degree), sz = sin(item->turn_deg[2] * degree);
    const double *p = item->place;
    /* Rz * Ry * Rx, and the translation */
    const double columns[4][4] = {{cz * cy, sz * cy, -sy, 0},
                                  {cz * sy * sx - sz * cx, sz * sy * sx + cz * cx, cy * sx, 0},
                                  {cz * sy * cx + sz * sx, sz * sy * cx - cz * sx, cy * cx, 0},
                                  {p[0], p[1], p[2], 1}};
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 4; r++) {
            double sum = 0;
            for (int k = 0; k < 4; k++)
                sum += (double)scene_from_joint[4 * k + r] * columns[c][k];
            scene_from_socket[4 * c + r] = (float)sum;
        }
}

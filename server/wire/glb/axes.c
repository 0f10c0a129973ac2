#include "wire/glb/axes.h"

#include "anim/model/mat.h"

#include <math.h>
#include <string.h>

/* Finds the axes of glTF in the scene: x, +Y up, +Z front. */
static void find_rows(const struct model_info *info, double rows[3][3])
{
    for (int i = 0; i < 3; i++) {
        rows[1][i] = (double)info->up[i];
        rows[2][i] = (double)info->forward[i];
    }
    const double along = dot3(rows[1], rows[2]);
    for (int i = 0; i < 3; i++)
        rows[2][i] -= along * rows[1][i];
    if (!(dot3(rows[2], rows[2]) > 1e-6)) { /* front equals up: any perpendicular direction will do */
        const double x = rows[1][0], y = rows[1][1], z = rows[1][2];
        const double across[3] = {fabs(x) > 0.5 ? -y : 0, fabs(x) > 0.5 ? x : -z, fabs(x) > 0.5 ? 0 : y};
        memcpy(rows[2], across, sizeof across);
    }
    unit3(rows[2]);
    cross3(rows[1], rows[2], rows[0]);
}

/* Returns false for the identity. */
static bool put_matrix(const double rows[3][3], double scale, float out[16])
{
    bool is_same = true;
    memset(out, 0, 16 * sizeof *out);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            out[4 * c + r] = (float)(rows[r][c] * scale) + 0.0f; /* avoids -0 */
            is_same = is_same && out[4 * c + r] == (r == c ? 1.0f : 0.0f);
        }
    out[15] = 1;
    return !is_same;
}

bool axes_find(const struct model_info *info, float gltf_from_scene[16])
{
    double rows[3][3];
    find_rows(info, rows);
    return put_matrix((const double(*)[3])rows, (double)info->unit_m, gltf_from_scene);
}

bool axes_are_up(const struct model_info *info, uint32_t axis) { return (double)info->up[axis] > 1 - 1e-6; }

/* Rotates +Y up and +Z front by a quarter turn to another up axis. For z up the front becomes -Y, as is usual for such
 * programs. */
static void turn_up(double rows[3][3], uint32_t axis)
{
    double from[3][3];
    memcpy(from, rows, sizeof from);
    for (int c = 0; c < 3 && axis == 2; c++) {
        rows[1][c] = -from[2][c];
        rows[2][c] = from[1][c];
    }
    for (int c = 0; c < 3 && axis == 0; c++) {
        rows[0][c] = from[1][c];
        rows[1][c] = -from[0][c];
    }
}

bool axes_convert(const struct model_info *info, int32_t axis, double scale, float out[16])
{
    double rows[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (axis >= 0 && !axes_are_up(info, (uint32_t)axis)) {
        find_rows(info, rows);
        turn_up(rows, (uint32_t)axis);
    }
    return put_matrix((const double(*)[3])rows, scale, out);
}

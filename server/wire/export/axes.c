#include "wire/export/axes.h"

#include "anim/model/mat.h"

#include <math.h>
#include <string.h>

bool axes_find(const struct model_info *info, float gltf_from_scene[16])
{
    double rows[3][3];
    for (int i = 0; i < 3; i++) {
        rows[1][i] = (double)info->up[i];
        rows[2][i] = (double)info->forward[i];
    }
    const double along = dot3(rows[1], rows[2]);
    for (int i = 0; i < 3; i++)
        rows[2][i] -= along * rows[1][i];
    if (!(dot3(rows[2], rows[2]) > 1e-6)) { /* front is up: any direction across will do */
        const double x = rows[1][0], y = rows[1][1], z = rows[1][2];
        const double across[3] = {fabs(x) > 0.5 ? -y : 0, fabs(x) > 0.5 ? x : -z, fabs(x) > 0.5 ? 0 : y};
        memcpy(rows[2], across, sizeof across);
    }
    unit3(rows[2]);
    cross3(rows[1], rows[2], rows[0]);
    memset(gltf_from_scene, 0, 16 * sizeof *gltf_from_scene);
    bool is_same = true;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            gltf_from_scene[4 * c + r] = (float)(rows[r][c] * (double)info->unit_m) + 0.0f; /* not -0 */
            is_same = is_same && gltf_from_scene[4 * c + r] == (r == c ? 1.0f : 0.0f);
        }
    gltf_from_scene[15] = 1;
    return !is_same;
}

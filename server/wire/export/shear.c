#include "wire/export/shear.h"

/* Makes columns a and b of w orthogonal by a rotation, and applies it to v. True if they were not orthogonal. */
static bool rotate(double w[3][3], double v[3][3], int a, int b)
{
    const double aa = dot3(w[a], w[a]), bb = dot3(w[b], w[b]), ab = dot3(w[a], w[b]);
    if (!(fabs(ab) > 1e-15 * sqrt(aa * bb)))
        return false;
    const double zeta = (bb - aa) / (2 * ab);
    const double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    const double c = 1 / sqrt(1 + t * t), s = c * t;
    for (int i = 0; i < 3; i++) {
        const double wa = w[a][i], va = v[a][i];
        w[a][i] = c * wa - s * w[b][i];
        w[b][i] = s * wa + c * w[b][i];
        v[a][i] = c * va - s * v[b][i];
        v[b][i] = s * va + c * v[b][i];
    }
    return true;
}

/* Completes columns of length 0 by directions perpendicular to the others. */
static void complete(double u[3][3], const double scale[3])
{
    int most = 0;
    for (int i = 1; i < 3; i++)
        most = scale[i] > scale[most] ? i : most;
    const int second = scale[(most + 1) % 3] >= scale[(most + 2) % 3] ? (most + 1) % 3 : (most + 2) % 3;
    const int third = 3 - most - second;
    const double tiny = 1e-12 * scale[most];
    if (!(scale[most] > 0))
        for (int i = 0; i < 3; i++)
            u[most][i] = i == most;
    if (!(scale[second] > tiny)) {
        const double *x = u[most];
        const double across[3] = {fabs(x[0]) > 0.5 ? -x[1] : 0, fabs(x[0]) > 0.5 ? x[0] : -x[2],
                                  fabs(x[0]) > 0.5 ? 0 : x[1]};
        for (int i = 0; i < 3; i++)
            u[second][i] = across[i];
        unit3(u[second]);
    }
    if (!(scale[third] > tiny)) {
        cross3(u[(third + 1) % 3], u[(third + 2) % 3], u[third]);
        unit3(u[third]);
    }
}

static void put_rotation(const double axes[3][3], float out[4])
{
    struct dmat4 matrix = DMAT4_IDENTITY;
    struct trs trs;
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            matrix.m[4 * c + r] = axes[c][r];
    trs_from_dmat4(&matrix, &trs);
    for (int i = 0; i < 4; i++)
        out[i] = (float)trs.rotation[i];
}

void shear_take_apart(const struct mat4 *matrix, struct shear_parts *out)
{
    enum { SWEEPS_MAX = 40 };
    double w[3][3], v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, scale[3], transposed[3][3];
    bool is_moved = true;
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            w[c][r] = (double)matrix->m[4 * c + r];
    for (int sweep = 0; sweep < SWEEPS_MAX && is_moved; sweep++) {
        is_moved = rotate(w, v, 0, 1);
        is_moved = rotate(w, v, 0, 2) || is_moved;
        is_moved = rotate(w, v, 1, 2) || is_moved;
    }
    for (int c = 0; c < 3; c++)
        scale[c] = unit3(w[c]);
    complete(w, scale);
    if (determinant3(w[0], w[1], w[2]) < 0) {
        scale[0] = -scale[0];
        for (int i = 0; i < 3; i++)
            w[0][i] = -w[0][i];
    }
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            transposed[c][r] = v[r][c];
    put_rotation((const double(*)[3])w, out->outer_rotation);
    put_rotation((const double(*)[3])transposed, out->inner_rotation);
    for (int i = 0; i < 3; i++) {
        out->translation[i] = matrix->m[12 + i];
        out->scale[i] = (float)scale[i];
    }
}

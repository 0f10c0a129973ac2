/* affine.c - matrix algebra that casts need for each joint. */
#include "anim/shape/affine.h"

bool affine_invert(const struct dmat4 *m, struct dmat4 *out)
{
    const double *x = m->m, *y = m->m + 4, *z = m->m + 8, *t = m->m + 12;
    double rows[3][3];
    cross3(y, z, rows[0]);
    cross3(z, x, rows[1]);
    cross3(x, y, rows[2]);
    const double determinant = dot3(x, rows[0]);
    if (!(fabs(determinant) > 0))
        return false;
    double sum = 0;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            out->m[4 * c + r] = rows[r][c] / determinant;
            sum += fabs(out->m[4 * c + r]);
        }
        out->m[12 + r] = -dot3(rows[r], t) / determinant;
        out->m[4 * r + 3] = 0;
        sum += fabs(out->m[12 + r]);
    }
    out->m[15] = 1;
    return sum < HUGE_VAL;
}

double affine_stretch(const struct dmat4 *m)
{
    const double *x = m->m, *y = m->m + 4, *z = m->m + 8;
    const double xy = fabs(dot3(x, y)), xz = fabs(dot3(x, z)), yz = fabs(dot3(y, z));
    const double a = dot3(x, x) + xy + xz, b = dot3(y, y) + xy + yz, c = dot3(z, z) + xz + yz;
    return sqrt(fmax(fmax(a, b), c));
}

void affine_between(const struct dmat4 *a, const struct dmat4 *b, double u, struct dmat4 *out)
{
    for (int i = 0; i < 16; i++)
        out->m[i] = (1 - u) * a->m[i] + u * b->m[i];
}

void affine_times_rows(const struct dmat4 *world, const float rows[12], struct dmat4 *out)
{
    const double *w = world->m;
    for (int c = 0; c < 4; c++) {
        const double x = (double)rows[c], y = (double)rows[4 + c], z = (double)rows[8 + c];
        for (int r = 0; r < 3; r++)
            out->m[4 * c + r] = w[r] * x + w[4 + r] * y + w[8 + r] * z + (c == 3 ? w[12 + r] : 0);
        out->m[4 * c + 3] = c == 3;
    }
}

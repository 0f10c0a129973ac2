/* skin_dual.c - decomposes matrices and blends the parts. */
#include "anim/pose/skin_dual.h"

#include <string.h>

/* Computes unit axes and their lengths; flips one of a mirroring matrix. An axis without length stays 0. */
static void take_axes(const struct dmat4 *m, double axes[3][3], double lengths[3])
{
    for (int c = 0; c < 3; c++) {
        memcpy(axes[c], &m->m[4 * c], sizeof axes[c]);
        lengths[c] = unit3(axes[c]);
    }
    if (!(determinant3(m->m, m->m + 4, m->m + 8) < 0))
        return;
    const int turned = lengths[0] > 0 ? 0 : lengths[1] > 0 ? 1 : 2;
    lengths[turned] = -lengths[turned];
    for (int r = 0; r < 3; r++)
        axes[turned][r] = -axes[turned][r];
}

static void take_rotation(double axes[3][3], double q[4])
{
    static const double NONE[4] = {0, 0, 0, 1};
    const double xx = axes[0][0], yy = axes[1][1], zz = axes[2][2];
    const int big = xx + yy + zz > 0 ? 3 : xx > yy && xx > zz ? 0 : yy > zz ? 1 : 2;
    quat_from_axes(axes, big, q);
    const double square = dot4(q, q);
    if (!(square > 0)) {
        memcpy(q, NONE, sizeof NONE);
        return;
    }
    for (int i = 0; i < 4; i++)
        q[i] /= square;
}

void skin_part_from_matrix(const struct dmat4 *m, struct skin_part *out)
{
    double axes[3][3];
    take_axes(m, axes, out->scale);
    take_rotation(axes, out->real);
    const double half[4] = {0.5 * m->m[12], 0.5 * m->m[13], 0.5 * m->m[14], 0};
    quat_mul(half, out->real, out->dual);
}

/* (v + e t v / 2) (r + e d) = v r + e (v d + t v r / 2), with e * e = 0. */
void skin_part_move(const struct dmat4 *motion, struct skin_part *part)
{
    struct trs trs;
    trs_from_dmat4(motion, &trs);
    const double half[4] = {0.5 * trs.translation[0], 0.5 * trs.translation[1], 0.5 * trs.translation[2], 0};
    double moved[4];
    quat_mul(trs.rotation, part->real, part->real);
    quat_mul(trs.rotation, part->dual, part->dual);
    quat_mul(half, part->real, moved);
    for (int i = 0; i < 4; i++)
        part->dual[i] += moved[i];
}

static const struct skin_part *part_of_most_weight(const struct influence *influences, uint32_t count,
                                                   const struct skin_part *parts)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i < count; i++)
        if (influences[i].weight > influences[most].weight)
            most = i;
    return &parts[influences[most].joint];
}

/* Sums by weight, with normalised weights for the scales. */
static void sum_parts(const struct influence *influences, uint32_t count, const struct skin_part *parts,
                      const struct skin_part *first, struct skin_part *sum)
{
    double total = 0;
    *sum = (struct skin_part){0};
    for (uint32_t i = 0; i < count; i++) {
        const struct skin_part *part = &parts[influences[i].joint];
        const double weight = (double)influences[i].weight;
        const double side = dot4(part->real, first->real) < 0 ? -weight : weight;
        total += weight;
        for (int e = 0; e < 4; e++) {
            sum->real[e] += side * part->real[e];
            sum->dual[e] += side * part->dual[e];
        }
        for (int e = 0; e < 3; e++)
            sum->scale[e] += weight * part->scale[e];
    }
    for (int e = 0; e < 3; e++)
        sum->scale[e] /= total;
}

void skin_dual_matrix(const struct influence *influences, uint32_t count, const struct skin_part *parts,
                      struct dmat4 *out)
{
    const struct skin_part *first = part_of_most_weight(influences, count, parts);
    struct skin_part sum;
    sum_parts(influences, count, parts, first, &sum);
    /* all are within a right angle of `first`, which has the largest weight, so the sum is not 0 */
    const double square = dot4(sum.real, sum.real), length = sqrt(square);
    const double back[4] = {-sum.real[0], -sum.real[1], -sum.real[2], sum.real[3]};
    double half[4];
    quat_mul(sum.dual, back, half);
    struct trs trs;
    for (int i = 0; i < 4; i++)
        trs.rotation[i] = sum.real[i] / length;
    for (int i = 0; i < 3; i++) {
        trs.translation[i] = 2 * half[i] / square;
        trs.scale[i] = sum.scale[i];
    }
    *out = dmat4_from_trs(&trs);
}

/* skin_dual.h - the matrix of a vertex by dual quaternions. For skin.h. Pure; any thread.
 *
 * A joint's matrix is taken apart into translation * rotation * scale. Of a vertex' joints the dual quaternions of
 * translation and rotation are summed by weight and normalised (L. Kavan, S. Collins, J. Zara, C. O'Sullivan,
 * "Geometric Skinning with Approximate Dual Quaternion Blending", 2008, section 4), the scales are summed by weight;
 * the vertex is scaled first, as in the two phases of section 4.2. */
#pragma once

#include "anim/model/mat.h"

/* A joint's matrix in parts. real: its rotation; dual = (translation, 0) * real / 2; x, y, z, w. */
struct skin_part {
    double real[4], dual[4], scale[3];
};

/* Scales are the lengths of the columns, and one of a mirroring matrix is negative. What shears has no such parts: its
 * rotation is what the columns' directions give when the quaternion's w is taken from the trace where that is above 0,
 * and it counts by the inverse of its length. So the reference implementation does (ufbx_matrix_to_transform()), and
 * others do not say. */
void skin_part_from_matrix(const struct dmat4 *m, struct skin_part *out);

/* Puts a motion that is rotation and translation alone in front. */
void skin_part_move(const struct dmat4 *motion, struct skin_part *part);

/* The matrix of a vertex with these influences, `count` > 0; weights may have any sum. The two signs of a dual
 * quaternion mean the same: each gets the one that is nearer to that of the influence with the largest weight. */
void skin_dual_matrix(const struct influence *influences, uint32_t count, const struct skin_part *parts,
                      struct dmat4 *out);

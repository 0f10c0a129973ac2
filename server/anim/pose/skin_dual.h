/* skin_dual.h - the matrix of a vertex from dual quaternions. For skin.h. Pure; any thread.
 *
 * Each joint's matrix is decomposed into translation * rotation * scale. The dual quaternions (translation and
 * rotation) of a vertex's joints are summed by weight and normalised (L. Kavan, S. Collins, J. Zara, C. O'Sullivan,
 * "Geometric Skinning with Approximate Dual Quaternion Blending", 2008, section 4). Their scales are summed by weight,
 * and the vertex is scaled first, as in the two phases of section 4.2. */
#pragma once

#include "anim/model/mat.h"

/* A decomposed joint matrix. real: its rotation; dual = (translation, 0) * real / 2; x, y, z, w. */
struct skin_part {
    double real[4], dual[4], scale[3];
};

/* Decomposes a matrix. Scales are the lengths of the columns, one of them negative when the matrix mirrors. A sheared
 * matrix has no exact decomposition: its rotation is computed from the columns' directions, with the quaternion's w
 * from the trace where that is above 0, and it counts by the inverse of its length. The reference implementation does
 * so (ufbx_matrix_to_transform()); no specification defines it. */
void skin_part_from_matrix(const struct dmat4 *m, struct skin_part *out);

/* Multiplies a rigid motion from the left. */
void skin_part_move(const struct dmat4 *motion, struct skin_part *part);

/* Computes the matrix of a vertex with these influences, `count` > 0; weights may have any sum. As a dual quaternion
 * and its negative are the same motion, each gets the sign closer to that of the influence with the largest weight. */
void skin_dual_matrix(const struct influence *influences, uint32_t count, const struct skin_part *parts,
                      struct dmat4 *out);

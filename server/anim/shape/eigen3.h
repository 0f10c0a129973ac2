/* eigen3.h - the principal axes of a symmetric 3x3 matrix. Pure; any thread. */
#pragma once

/* m: column-major, symmetric, finite; becomes diagonal, the diagonal is the eigenvalues. axes: its eigenvectors, column
 * c at axes + 3 * c, orthonormal. By C. G. J. Jacobi's rotations. */
void eigen3(double m[9], double axes[9]);

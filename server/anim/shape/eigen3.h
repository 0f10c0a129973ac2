/* eigen3.h - the principal axes of a symmetric 3x3 matrix. Pure; any thread. */
#pragma once

/* m: column-major, symmetric, finite; becomes a diagonal matrix of the eigenvalues. axes: the orthonormal eigenvectors,
 * column c at axes + 3 * c. Uses C. G. J. Jacobi's rotations. */
void eigen3(double m[9], double axes[9]);

/* eigen3.c - Jacobi's rotations, repeated until the matrix is diagonal. */
#include "anim/shape/eigen3.h"

#include <math.h>
#include <string.h>

/* Rotates rows and columns p and q so that m[p][q] becomes 0 (Golub and Van Loan, "Matrix Computations", 8.5.2). */
static void rotate(double m[9], double axes[9], int p, int q)
{
    const double off = m[3 * p + q];
    if (!(fabs(off) > 0))
        return;
    const double tau = (m[3 * q + q] - m[3 * p + p]) / (2 * off);
    const double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau));
    const double c = 1 / sqrt(1 + t * t), s = t * c;
    for (int i = 0; i < 3; i++) {
        const double a = m[3 * p + i], b = m[3 * q + i];
        m[3 * p + i] = c * a - s * b;
        m[3 * q + i] = s * a + c * b;
    }
    for (int i = 0; i < 3; i++) {
        const double a = m[3 * i + p], b = m[3 * i + q];
        m[3 * i + p] = c * a - s * b;
        m[3 * i + q] = s * a + c * b;
    }
    m[3 * p + q] = m[3 * q + p] = 0;
    for (int i = 0; i < 3; i++) {
        const double a = axes[3 * p + i], b = axes[3 * q + i];
        axes[3 * p + i] = c * a - s * b;
        axes[3 * q + i] = s * a + c * b;
    }
}

void eigen3(double m[9], double axes[9])
{
    static const double IDENTITY[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    enum { SWEEPS_MAX = 30 }; /* 6 are enough in practice */
    memcpy(axes, IDENTITY, sizeof IDENTITY);
    for (int sweep = 0; sweep < SWEEPS_MAX; sweep++) {
        const double off = fabs(m[1]) + fabs(m[2]) + fabs(m[5]);
        const double on = fabs(m[0]) + fabs(m[4]) + fabs(m[8]);
        if (!(off > 1e-18 * on))
            return;
        rotate(m, axes, 0, 1);
        rotate(m, axes, 0, 2);
        rotate(m, axes, 1, 2);
    }
}

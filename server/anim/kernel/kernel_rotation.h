/* kernel_rotation.h - the 3x3 matrix of a rotation. A template for kernel_*.c and *.h, which define REAL (float, double
 * or vectors of them) and ROTATION (the function's name) and include it. The quaternion may have any length but 0
 * (Shoemake, "Animating rotation with quaternion curves", 1985). */
#include "anim/kernel/kernel_simd.h"

/* m: row-major. */
KERNEL_INLINE void ROTATION(const REAL q[4], REAL m[9])
{
    const REAL square = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]), n = 2 / square;
    const REAL x = q[0] * n, y = q[1] * n, z = q[2] * n;
    const REAL xx = q[0] * x, yy = q[1] * y, zz = q[2] * z, xy = q[0] * y, xz = q[0] * z, yz = q[1] * z;
    const REAL wx = q[3] * x, wy = q[3] * y, wz = q[3] * z;
    m[0] = 1 - (yy + zz);
    m[1] = xy - wz;
    m[2] = xz + wy;
    m[3] = xy + wz;
    m[4] = 1 - (xx + zz);
    m[5] = yz - wx;
    m[6] = xz - wy;
    m[7] = yz + wx;
    m[8] = 1 - (xx + yy);
}
#undef ROTATION

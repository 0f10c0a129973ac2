/* dualquat.c - converts matrices to dual quaternions. */
#include "anim/pose/dualquat.h"

#include <math.h>

static int check_rigid(const struct dmat4 *m, struct err *err)
{
    const double *x = m->m, *y = m->m + 4, *z = m->m + 8;
    const double lengths[3] = {sqrt(dot3(x, x)), sqrt(dot3(y, y)), sqrt(dot3(z, z))};
    for (int i = 0; i < 3; i++)
        if (!(fabs(lengths[i] - 1) <= DUALQUAT_TOLERANCE))
            return err_set(err, ERR_NOT_RIGID, "scales by %.6g, %.6g, %.6g: no dual quaternion can say that",
                           lengths[0], lengths[1], lengths[2]);
    if (!(fabs(dot3(x, y)) <= DUALQUAT_TOLERANCE && fabs(dot3(x, z)) <= DUALQUAT_TOLERANCE &&
          fabs(dot3(y, z)) <= DUALQUAT_TOLERANCE))
        return err_set(err, ERR_NOT_RIGID, "shears: no dual quaternion can say that");
    if (determinant3(x, y, z) < 0)
        return err_set(err, ERR_NOT_RIGID, "mirrors: no dual quaternion can say that");
    return 0;
}

static void negate(struct dualquat *q)
{
    for (int i = 0; i < 4; i++) {
        q->real[i] = 0 - q->real[i]; /* not -0 */
        q->dual[i] = 0 - q->dual[i];
    }
}

static bool is_lower_half(const double q[4])
{
    for (int i = 3; i >= 0; i--)
        if (q[i] != 0)
            return q[i] < 0;
    return false;
}

int dualquat_from_matrix(const struct dmat4 *m, struct dualquat *out, struct err *err)
{
    const int rc = check_rigid(m, err);
    if (rc < 0)
        return rc;
    struct trs trs;
    trs_from_dmat4(m, &trs); /* its check is stricter than this one's */
    const double *q = trs.rotation, *t = trs.translation;
    double turned[3];
    cross3(t, q, turned);
    for (int i = 0; i < 4; i++)
        out->real[i] = q[i] + 0;
    for (int i = 0; i < 3; i++)
        out->dual[i] = 0.5 * (t[i] * q[3] + turned[i]);
    out->dual[3] = -0.5 * dot3(t, q) + 0;
    if (is_lower_half(out->real))
        negate(out);
    return 0;
}

void dualquat_align_sign(struct dualquat *q, const double real[4])
{
    if (dot4(q->real, real) < 0)
        negate(q);
}

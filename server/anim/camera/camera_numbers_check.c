/* camera_numbers_check.c - which numbers are those of a camera. */
#include "anim/camera/camera_numbers.h"

/* Places as everywhere in pictures, and what floats multiply without overflow. */
static const double LENGTH_MOST = 1e30, PIXELS_MOST = 1e9;
/* How far the columns of a rotation may be from unit length and from right angles: numbers with five decimals pass. */
static const double RIGID_MOST = 1e-4;

static int check_number(const char *name, double value, double least, double most, struct err *err)
{
    if (value >= least && value <= most) /* false for NaN */
        return 0;
    return err_set(err, ERR_BAD_PARAMETER, "camera: '%s' is %.9g; it takes a number from %.9g to %.9g", name, value,
                   least, most);
}

static double column_dot(const double *m, int a, int b)
{
    return m[4 * a] * m[4 * b] + m[4 * a + 1] * m[4 * b + 1] + m[4 * a + 2] * m[4 * b + 2];
}

static double determinant(const double *m)
{
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[4] * (m[1] * m[10] - m[2] * m[9]) +
           m[8] * (m[1] * m[6] - m[2] * m[5]);
}

/* The last row, and whether the matrix is written row by row. */
static int check_last_row(const double *m, struct err *err)
{
    if (m[3] == 0 && m[7] == 0 && m[11] == 0 && m[15] == 1)
        return 0;
    const bool is_transposed = m[12] == 0 && m[13] == 0 && m[14] == 0 && m[15] == 1;
    return err_set(err, ERR_BAD_PARAMETER,
                   "camera: 'camera_from_scene' has the last row %.6g, %.6g, %.6g, %.6g; it must be 0, 0, 0, 1%s", m[3],
                   m[7], m[11], m[15],
                   is_transposed ? ". The numbers go column by column: these look as if they went row by row" : "");
}

static int check_rigid(const double *m, struct err *err)
{
    double off = 0;
    const double square = (column_dot(m, 0, 0) + column_dot(m, 1, 1) + column_dot(m, 2, 2)) / 3;
    for (int a = 0; a < 3; a++)
        for (int b = a; b < 3; b++)
            off = fmax(off, fabs(column_dot(m, a, b) - (a == b ? square : 0)));
    if (!(off <= RIGID_MOST * fmax(square, 1)) || !(square > 0))
        return err_set(err, ERR_BAD_PARAMETER,
                       "camera: 'camera_from_scene' is no rotation and translation: its axes are not of one length and "
                       "at right angles");
    if (fabs(square - 1) > RIGID_MOST)
        return err_set(err, ERR_BAD_PARAMETER,
                       "camera: 'camera_from_scene' scales by %.6g, and a camera has no scale: divide its first three "
                       "rows by that",
                       sqrt(square));
    return determinant(m) > 0
               ? 0
               : err_set(err, ERR_BAD_PARAMETER, "camera: 'camera_from_scene' mirrors: its determinant is -1, not 1");
}

static int check_matrix(const double *m, struct err *err)
{
    for (int k = 0; k < 16; k++)
        if (!(fabs(m[k]) <= LENGTH_MOST))
            return err_set(err, ERR_BAD_PARAMETER,
                           "camera: 'camera_from_scene' has %.9g at place %d; it takes numbers from -1e30 to 1e30",
                           m[k], k);
    return check_last_row(m, err) < 0 ? err->code : check_rigid(m, err);
}

static int check_depth(const char *name, double value, struct err *err)
{
    return value == 0 ? 0 : check_number(name, value, 1 / LENGTH_MOST, LENGTH_MOST, err);
}

int camera_numbers_check(const struct picture_camera *camera, struct err *err)
{
    if (check_number("fx", camera->fx, 1 / LENGTH_MOST, LENGTH_MOST, err) < 0 ||
        check_number("fy", camera->fy, 1 / LENGTH_MOST, LENGTH_MOST, err) < 0 ||
        check_number("cx", camera->cx, -PIXELS_MOST, PIXELS_MOST, err) < 0 ||
        check_number("cy", camera->cy, -PIXELS_MOST, PIXELS_MOST, err) < 0 ||
        check_matrix(camera->view_from_scene, err) < 0 || check_depth("near", camera->near, err) < 0 ||
        check_depth("far", camera->far, err) < 0)
        return err->code;
    if (camera->near == 0 || camera->far == 0 || camera->near < camera->far)
        return 0;
    return err_set(err, ERR_BAD_PARAMETER, "camera: 'near' is %.9g and 'far' is %.9g; near must be below far",
                   camera->near, camera->far);
}

/* mat.c - vectors, boxes, matrices and quaternions in double precision. */
#include "anim/model/mat.h"

#include "anim/model/trig.h"

#include <math.h>
#include <string.h>

const struct dmat4 DMAT4_IDENTITY = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};

struct dmat4 dmat4_mul(const struct dmat4 *a, const struct dmat4 *b)
{
    struct dmat4 out;
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 4; r++)
            out.m[4 * c + r] = a->m[r] * b->m[4 * c] + a->m[4 + r] * b->m[4 * c + 1] + a->m[8 + r] * b->m[4 * c + 2] +
                               a->m[12 + r] * b->m[4 * c + 3];
    return out;
}

struct dmat4 dmat4_from_mat4(const struct mat4 *m)
{
    struct dmat4 out;
    for (int i = 0; i < 16; i++)
        out.m[i] = (double)m->m[i];
    return out;
}

struct mat4 mat4_from_dmat4(const struct dmat4 *m)
{
    struct mat4 out;
    for (int i = 0; i < 16; i++)
        out.m[i] = (float)m->m[i];
    return out;
}

/* The rotation matrix of a unit quaternion: Shoemake, "Animating rotation with quaternion curves", 1985. */
struct dmat4 dmat4_from_trs(const struct trs *trs)
{
    double q[4];
    memcpy(q, trs->rotation, sizeof q);
    quat_repair(q);
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double *s = trs->scale, *t = trs->translation;
    return (struct dmat4){{
        (1 - 2 * (y * y + z * z)) * s[0],
        2 * (x * y + z * w) * s[0],
        2 * (x * z - y * w) * s[0],
        0, /* x axis */
        2 * (x * y - z * w) * s[1],
        (1 - 2 * (x * x + z * z)) * s[1],
        2 * (y * z + x * w) * s[1],
        0, /* y axis */
        2 * (x * z + y * w) * s[2],
        2 * (y * z - x * w) * s[2],
        (1 - 2 * (x * x + y * y)) * s[2],
        0, /* z axis */
        t[0],
        t[1],
        t[2],
        1,
    }};
}

struct dmat4 dmat4_from_axis(const double axis[3], double cosine, double sine)
{
    struct dmat4 out = DMAT4_IDENTITY;
    for (int c = 0; c < 3; c++) {
        const double unit[3] = {c == 0, c == 1, c == 2};
        double across[3];
        cross3(axis, unit, across);
        for (int r = 0; r < 3; r++)
            out.m[4 * c + r] = cosine * unit[r] + sine * across[r] + (1 - cosine) * axis[c] * axis[r];
    }
    return out;
}

/* Uses the six 2x2 minors of the first and of the last two columns (Laplace expansion). */
bool dmat4_invert(const struct dmat4 *matrix, struct dmat4 *out)
{
    const double *m = matrix->m;
    const double a0 = m[0] * m[5] - m[1] * m[4], a1 = m[0] * m[6] - m[2] * m[4], a2 = m[0] * m[7] - m[3] * m[4];
    const double a3 = m[1] * m[6] - m[2] * m[5], a4 = m[1] * m[7] - m[3] * m[5], a5 = m[2] * m[7] - m[3] * m[6];
    const double b0 = m[8] * m[13] - m[9] * m[12], b1 = m[8] * m[14] - m[10] * m[12];
    const double b2 = m[8] * m[15] - m[11] * m[12], b3 = m[9] * m[14] - m[10] * m[13];
    const double b4 = m[9] * m[15] - m[11] * m[13], b5 = m[10] * m[15] - m[11] * m[14];
    const double determinant = a0 * b5 - a1 * b4 + a2 * b3 + a3 * b2 - a4 * b1 + a5 * b0;
    const double k = 1 / determinant;
    const struct dmat4 inverse = {{
        (m[5] * b5 - m[6] * b4 + m[7] * b3) * k,
        (-m[1] * b5 + m[2] * b4 - m[3] * b3) * k,
        (m[13] * a5 - m[14] * a4 + m[15] * a3) * k,
        (-m[9] * a5 + m[10] * a4 - m[11] * a3) * k,
        (-m[4] * b5 + m[6] * b2 - m[7] * b1) * k,
        (m[0] * b5 - m[2] * b2 + m[3] * b1) * k,
        (-m[12] * a5 + m[14] * a2 - m[15] * a1) * k,
        (m[8] * a5 - m[10] * a2 + m[11] * a1) * k,
        (m[4] * b4 - m[5] * b2 + m[7] * b0) * k,
        (-m[0] * b4 + m[1] * b2 - m[3] * b0) * k,
        (m[12] * a4 - m[13] * a2 + m[15] * a0) * k,
        (-m[8] * a4 + m[9] * a2 - m[11] * a0) * k,
        (-m[4] * b3 + m[5] * b1 - m[6] * b0) * k,
        (m[0] * b3 - m[1] * b1 + m[2] * b0) * k,
        (-m[12] * a3 + m[13] * a1 - m[14] * a0) * k,
        (m[8] * a3 - m[9] * a1 + m[10] * a0) * k,
    }};
    const bool is_invertible = isfinite(determinant) && isfinite(k);
    *out = is_invertible ? inverse : DMAT4_IDENTITY;
    return is_invertible;
}

void dmat4_direction(const struct dmat4 *m, const double v[3], double out[3])
{
    const double x = v[0], y = v[1], z = v[2]; /* v and out may be the same array */
    for (int r = 0; r < 3; r++)
        out[r] = m->m[r] * x + m->m[4 + r] * y + m->m[8 + r] * z;
}

void dmat4_point(const struct dmat4 *m, const double p[3], double out[3])
{
    dmat4_direction(m, p, out);
    for (int r = 0; r < 3; r++)
        out[r] += m->m[12 + r];
}

double unit3(double v[3])
{
    const double length = sqrt(dot3(v, v));
    for (int i = 0; i < 3 && length > 0; i++)
        v[i] /= length;
    return length;
}

const struct box BOX_EMPTY = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};

bool box_is_empty(const struct box *box) { return !(box->min[0] <= box->max[0]); }

void box_add(struct box *box, const double point[3])
{
    for (int i = 0; i < 3; i++) {
        box->min[i] = fmin(box->min[i], point[i]);
        box->max[i] = fmax(box->max[i], point[i]);
    }
}

void box_join(struct box *box, const struct box *other)
{
    for (int i = 0; i < 3; i++) {
        box->min[i] = fmin(box->min[i], other->min[i]);
        box->max[i] = fmax(box->max[i], other->max[i]);
    }
}

double box_size(const struct box *box)
{
    double size = 0;
    for (int i = 0; i < 3; i++)
        size = fmax(size, box->max[i] - box->min[i]);
    return size;
}

/* axes[to] = unit(axes[a] x axes[b]), so that a collapsed axis does not lose the rotation of the others. */
static void axis_from_others(double axes[3][3], int to, int a, int b)
{
    cross3(axes[a], axes[b], axes[to]);
    unit3(axes[to]);
}

/* Returns any unit vector perpendicular to the unit vector `axis`. */
static void any_perpendicular(const double axis[3], double out[3])
{
    double helper[3] = {0, 0, 0};
    helper[fabs(axis[0]) < 0.6 ? 0 : 1] = 1;
    cross3(axis, helper, out);
    unit3(out);
}

/* Makes unit axes of the columns of a matrix. A column of length 0 gets an axis that completes the others. */
static void complete_axes(double axes[3][3], const double lengths[3])
{
    int alive = 0, last_alive = 0;
    for (int c = 0; c < 3; c++)
        if (lengths[c] > 0) {
            alive++;
            last_alive = c;
        }
    if (alive == 0) {
        for (int c = 0; c < 3; c++)
            for (int r = 0; r < 3; r++)
                axes[c][r] = c == r;
        return;
    }
    if (alive == 1) {
        const int next = (last_alive + 1) % 3;
        any_perpendicular(axes[last_alive], axes[next]);
        axis_from_others(axes, (last_alive + 2) % 3, last_alive, next);
        return;
    }
    for (int c = 0; c < 3; c++)
        if (!(lengths[c] > 0))
            axis_from_others(axes, c, (c + 1) % 3, (c + 2) % 3);
}

/* Computes four times the squares of the quaternion's components for these axes. */
static void quat_squares(double axes[3][3], double squares[4])
{
    const double xx = axes[0][0], yy = axes[1][1], zz = axes[2][2];
    squares[0] = 1 + xx - yy - zz;
    squares[1] = 1 - xx + yy - zz;
    squares[2] = 1 - xx - yy + zz;
    squares[3] = 1 + xx + yy + zz;
}

void quat_from_axes(double axes[3][3], int big, double q[4])
{
    double squares[4];
    quat_squares(axes, squares);
    const double twice = sqrt(fmax(0, squares[big])), k = twice > 0 ? 0.5 / twice : 0;
    const double xy = axes[0][1] + axes[1][0], xz = axes[0][2] + axes[2][0], yz = axes[1][2] + axes[2][1];
    const double wx = axes[1][2] - axes[2][1], wy = axes[2][0] - axes[0][2], wz = axes[0][1] - axes[1][0];
    const double rows[4][4] = {{0, xy, xz, wx}, {xy, 0, yz, wy}, {xz, yz, 0, wz}, {wx, wy, wz, 0}};
    for (int i = 0; i < 4; i++)
        q[i] = i == big ? 0.5 * twice : rows[big][i] * k;
}

/* Starts from the largest of the four components: the candidates sum to 4, so the root is of at least 1. */
static void unit_quat_from_axes(double axes[3][3], double q[4])
{
    double squares[4];
    int big = 0;
    quat_squares(axes, squares);
    for (int i = 1; i < 4; i++)
        if (squares[i] > squares[big])
            big = i;
    quat_from_axes(axes, big, q);
    quat_normalize(q);
}

static bool is_near(const struct dmat4 *a, const struct dmat4 *b)
{
    double largest = 0, worst = 0;
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) {
            largest = fmax(largest, fabs(a->m[4 * c + r]));
            worst = fmax(worst, fabs(a->m[4 * c + r] - b->m[4 * c + r]));
        }
    return worst <= 1e-6 * largest;
}

bool trs_from_dmat4(const struct dmat4 *m, struct trs *out)
{
    double axes[3][3];
    for (int c = 0; c < 3; c++) {
        memcpy(axes[c], &m->m[4 * c], sizeof axes[c]);
        out->translation[c] = m->m[12 + c];
        out->scale[c] = unit3(axes[c]);
    }
    complete_axes(axes, out->scale);
    if (determinant3(axes[0], axes[1], axes[2]) < 0) {
        out->scale[0] = -out->scale[0];
        for (int r = 0; r < 3; r++)
            axes[0][r] = -axes[0][r];
    }
    unit_quat_from_axes(axes, out->rotation);
    const struct dmat4 again = dmat4_from_trs(out);
    return is_near(m, &again);
}

void quat_repair(double q[4])
{
    static const double DOUBLE_ROUNDING = 1e-15, FLOAT_ROUNDING = 1e-6, FILE_ROUNDING = 1e-3;
    const double error = fabs(sqrt(dot4(q, q)) - 1);
    if (error <= DOUBLE_ROUNDING || (error > FLOAT_ROUNDING && error <= FILE_ROUNDING))
        return;
    quat_normalize(q);
}

double quat_angle(const double a[4], const double b[4], double side)
{
    double sum = 0, difference = 0;
    for (int i = 0; i < 4; i++) {
        const double plus = a[i] + side * b[i], minus = a[i] - side * b[i];
        sum += plus * plus;
        difference += minus * minus;
    }
    /* Uses both diagonals of the rhombus, which is exact near 0, where acos(dot) loses half its digits. */
    return 2 * trig_atan(sqrt(difference), sqrt(sum));
}

void quat_slerp(const double a[4], const double b[4], double u, double out[4])
{
    const double dot = dot4(a, b);
    const double sign = dot < 0 ? -1 : 1;
    const double angle = quat_angle(a, b, sign), sine = trig_sin(angle);
    /* Below this the arc and its chord are equal in double precision. */
    const bool is_chord = sine < 1e-8;
    const double wa = is_chord ? 1 - u : trig_sin((1 - u) * angle) / sine;
    const double wb = sign * (is_chord ? u : trig_sin(u * angle) / sine);
    for (int i = 0; i < 4; i++)
        out[i] = wa * a[i] + wb * b[i];
    quat_repair(out);
}

double segment_distance(const double point[3], const double from[3], const double to[3])
{
    double along[3], apart[3];
    for (int i = 0; i < 3; i++) {
        along[i] = to[i] - from[i];
        apart[i] = point[i] - from[i];
    }
    const double square = dot3(along, along);
    const double share = square > 0 ? fmin(fmax(dot3(along, apart) / square, 0), 1) : 0;
    for (int i = 0; i < 3; i++)
        apart[i] -= share * along[i];
    return sqrt(dot3(apart, apart));
}

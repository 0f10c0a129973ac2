/* fbx_transform.c - converts pivots, offsets and Euler angles to one translation, rotation and scale. */
#include "import/fbx_take/fbx_transform.h"

#include <math.h>
#include <string.h>

static const double RAD_PER_DEG = 3.14159265358979323846 / 180;
/* The cosine of the middle angle up to which the first and the last axis are taken as one: beyond it each of the other
 * angles has this error at most, below it the axes differ by no more. */
static const double LOCKED_COSINE = 1e-8;

const struct fbx_transform_values FBX_TRANSFORM_NONE = {
    .scaling = {1, 1, 1},
    .order = FBX_ORDER_XYZ,
    .is_rotation_space = true,
};
const struct fbx_geometric_values FBX_GEOMETRIC_NONE = {.scaling = {1, 1, 1}};

/* The axes in rotation order. */
static const uint8_t AXES[FBX_ORDER_COUNT][3] = {
    [FBX_ORDER_XYZ] = {0, 1, 2},     [FBX_ORDER_XZY] = {0, 2, 1}, [FBX_ORDER_YZX] = {1, 2, 0},
    [FBX_ORDER_YXZ] = {1, 0, 2},     [FBX_ORDER_ZXY] = {2, 0, 1}, [FBX_ORDER_ZYX] = {2, 1, 0},
    [FBX_ORDER_SPHERIC] = {0, 1, 2},
};

static void set3(double out[3], double x, double y, double z)
{
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static void add3(double out[3], const double v[3])
{
    for (int i = 0; i < 3; i++)
        out[i] += v[i];
}

static void subtract3(double out[3], const double v[3])
{
    for (int i = 0; i < 3; i++)
        out[i] -= v[i];
}

static bool is_zero3(const double v[3]) { return v[0] == 0 && v[1] == 0 && v[2] == 0; }

/* Rotates v by the unit quaternion q: v + 2 * (w * (q x v) + q x (q x v)). */
static void rotate3(double v[3], const double q[4])
{
    double once[3], twice[3];
    cross3(q, v, once);
    cross3(q, once, twice);
    for (int i = 0; i < 3; i++)
        v[i] += 2 * (q[3] * once[i] + twice[i]);
}

/* q = turn * q, where `turn` has this sine and cosine of half its angle about an axis: quat_mul() without the products
 * with 0. */
static inline void turn_about(int axis, double sine, double cosine, double q[4])
{
    const int next = (axis + 1) % 3, last = (axis + 2) % 3;
    const double along = q[axis], b = q[next], c = q[last], w = q[3];
    q[axis] = cosine * along + sine * w;
    q[next] = cosine * b - sine * c;
    q[last] = cosine * c + sine * b;
    q[3] = cosine * w - sine * along;
}

/* All three angles are not 0. With the axes a, b, c in this order, an odd permutation of x, y, z mirrors the space,
 * which turns the sign of what a turn about one axis mixes of the other two. */
static void three_turns(const double angles_deg[3], const uint8_t axes[3], double out[4])
{
    const uint8_t a = axes[0], b = axes[1], c = axes[2];
    const double side = (b - a + 3) % 3 == 1 ? 1 : -1;
    double sine_a, cosine_a, sine_b, cosine_b, sine_c, cosine_c;
    sincos(angles_deg[a] * RAD_PER_DEG / 2, &sine_a, &cosine_a);
    sincos(angles_deg[b] * RAD_PER_DEG / 2, &sine_b, &cosine_b);
    sincos(angles_deg[c] * RAD_PER_DEG / 2, &sine_c, &cosine_c);
    const double qa = cosine_b * sine_a, qb = sine_b * cosine_a, qc = -side * (sine_b * sine_a),
                 w = cosine_b * cosine_a;
    out[a] = cosine_c * qa - side * sine_c * qb;
    out[b] = cosine_c * qb + side * sine_c * qa;
    out[c] = cosine_c * qc + sine_c * w;
    out[3] = cosine_c * w - sine_c * qc;
}

void fbx_quat_from_euler(const double angles_deg[3], enum fbx_rotation_order order, double out[4])
{
    if (order != FBX_ORDER_SPHERIC && angles_deg[0] != 0 && angles_deg[1] != 0 && angles_deg[2] != 0) {
        three_turns(angles_deg, AXES[order], out);
        return;
    }
    bool is_first = true;
    double q[4] = {0, 0, 0, 1};
    for (int i = 0; i < 3 && order != FBX_ORDER_SPHERIC; i++) {
        const uint8_t axis = AXES[order][i];
        if (angles_deg[axis] == 0)
            continue;
        double sine, cosine;
        sincos(angles_deg[axis] * RAD_PER_DEG / 2, &sine, &cosine);
        if (is_first) {
            q[axis] = sine;
            q[3] = cosine;
        } else {
            turn_about(axis, sine, cosine, q);
        }
        is_first = false;
    }
    for (int i = 0; i < 4; i++)
        out[i] = q[i];
}

/* With the axes a, b, c turning in this order the matrix is M = C * B * A. Where (a, b, c) is an even permutation of
 * x, y, z: M[c][a] = -sin(b), M[c][b] = cos(b) sin(a), M[c][c] = cos(b) cos(a), M[b][a] = sin(c) cos(b) and
 * M[a][a] = cos(c) cos(b). An odd one mirrors the space, which turns the sign of each angle. */
void fbx_euler_from_quat(const double q[4], enum fbx_rotation_order order, double out_deg[3])
{
    set3(out_deg, 0, 0, 0);
    if (order == FBX_ORDER_SPHERIC)
        return;
    const uint8_t a = AXES[order][0], b = AXES[order][1], c = AXES[order][2];
    const double sign = (b - a + 3) % 3 == 1 ? 1 : -1;
    double column_a[3] = {0}, column_b[3] = {0}, column_c[3] = {0};
    column_a[a] = column_b[b] = column_c[c] = 1;
    rotate3(column_a, q);
    rotate3(column_b, q);
    rotate3(column_c, q);
    const double sine = -sign * column_a[c], cosine = hypot(column_a[a], column_a[b]);
    out_deg[b] = atan2(sine, cosine) / RAD_PER_DEG;
    if (cosine < LOCKED_COSINE) {
        /* A stays at 0, so C * B takes the second axis to (-sin(c), cos(c)) in the plane of a and b. */
        out_deg[c] = sign * atan2(-column_b[a], column_b[b]) / RAD_PER_DEG;
        return;
    }
    out_deg[a] = sign * atan2(column_b[c], column_c[c]) / RAD_PER_DEG;
    out_deg[c] = sign * atan2(column_a[b], column_a[a]) / RAD_PER_DEG;
}

/* Rpre * R * inverse(Rpost), or R alone; out is R before. */
static void rotation_of(const struct fbx_transform_values *values, double out[4])
{
    if (!values->is_rotation_space)
        return;
    if (!is_zero3(values->post_rotation_deg)) {
        double post[4];
        fbx_quat_from_euler(values->post_rotation_deg, FBX_ORDER_XYZ, post);
        set3(post, -post[0], -post[1], -post[2]);
        quat_mul(out, post, out);
    }
    if (!is_zero3(values->pre_rotation_deg)) {
        double pre[4];
        fbx_quat_from_euler(values->pre_rotation_deg, FBX_ORDER_XYZ, pre);
        quat_mul(pre, out, out);
    }
}

/* Applies the product to the node's origin from the right; every other point differs only by R * S. */
struct trs fbx_transform_turned(const struct fbx_transform_values *values, const double rotation[4])
{
    struct trs trs;
    memcpy(trs.rotation, rotation, sizeof trs.rotation);
    rotation_of(values, trs.rotation);
    memcpy(trs.scale, values->scaling, sizeof trs.scale);
    double *origin = trs.translation;
    for (int i = 0; i < 3; i++)
        origin[i] = values->scaling_pivot[i] - values->scaling[i] * values->scaling_pivot[i];
    add3(origin, values->scaling_offset);
    subtract3(origin, values->rotation_pivot);
    if (!is_zero3(origin))
        rotate3(origin, trs.rotation);
    add3(origin, values->rotation_pivot);
    add3(origin, values->rotation_offset);
    add3(origin, values->translation);
    return trs;
}

struct trs fbx_transform_trs(const struct fbx_transform_values *values)
{
    double rotation[4];
    fbx_quat_from_euler(values->rotation_deg, values->is_rotation_space ? values->order : FBX_ORDER_XYZ, rotation);
    return fbx_transform_turned(values, rotation);
}

struct trs fbx_geometric_trs(const struct fbx_geometric_values *values)
{
    struct trs trs;
    memcpy(trs.translation, values->translation, sizeof trs.translation);
    fbx_quat_from_euler(values->rotation_deg, FBX_ORDER_XYZ, trs.rotation);
    memcpy(trs.scale, values->scaling, sizeof trs.scale);
    return trs;
}

bool fbx_geometric_is_none(const struct fbx_geometric_values *values)
{
    return is_zero3(values->translation) && is_zero3(values->rotation_deg) && values->scaling[0] == 1 &&
           values->scaling[1] == 1 && values->scaling[2] == 1;
}

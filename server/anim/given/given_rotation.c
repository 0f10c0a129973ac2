#include "anim/given/given_rotation.h"

#include "anim/model/mat.h"
#include "anim/model/trig.h"

#include <math.h>
#include <string.h>

const char *const ROTATION_ORDERS[ORDER_COUNT] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"};

void rotation_from_degrees(const double degrees[3], enum rotation_order order, double out[4])
{
    static const double RADIANS_PER_DEGREE = 0.017453292519943295;
    static const double NO_ROTATION[4] = {0, 0, 0, 1};
    memcpy(out, NO_ROTATION, sizeof NO_ROTATION);
    for (int i = 0; i < 3; i++) {
        const int axis = ROTATION_ORDERS[order][i] - 'x';
        const double half = fmod(degrees[axis], 720) * RADIANS_PER_DEGREE / 2; /* within what trig_sin() takes */
        double turn[4] = {0, 0, 0, trig_cos(half)};
        turn[axis] = trig_sin(half);
        quat_mul(out, turn, out);
    }
}

static bool rounds_to(const double q[4], const float rounded[4])
{
    bool is = true;
    for (int i = 0; i < 4; i++)
        is = is && (float)q[i] == rounded[i];
    return is;
}

/* Moves each number by `share`, -1..1, of the way to where it would round to the next float: away from 0 when above 0.
 */
static void move_within(const float rounded[4], double share, double out[4])
{
    for (int i = 0; i < 4; i++) {
        const float size = fabsf(rounded[i]), next = nextafterf(size, share < 0 ? 0 : HUGE_VALF);
        const double moved = (double)size + share * fabs((double)next - (double)size) / 2;
        out[i] = rounded[i] < 0 ? -moved : moved;
    }
}

/* Finds a unit quaternion among those that round to these floats. The length rises with the share of move_within(), so
 * that halving finds it even where it lies in a corner. False when all of them are longer than 1, or all shorter. */
static bool find_rounded(const float rounded[4], double out[4])
{
    enum { STEPS = 60 };
    double low = -1, high = 1;
    for (int step = 0; step < STEPS; step++) {
        const double share = (low + high) / 2;
        move_within(rounded, share, out);
        if (dot4(out, out) < 1)
            low = share;
        else
            high = share;
    }
    return rounds_to(out, rounded) && low > -1 && high < 1;
}

bool rotation_repair(double q[4])
{
    static const double FLOAT_ROUNDING = 1e-6, TINY = 1e-100,
                        LARGE = 1e100; /* their squares are neither 0 nor infinite */
    double largest = 0;
    for (int i = 0; i < 4; i++) {
        if (!isfinite(q[i]))
            return false;
        largest = fmax(largest, fabs(q[i]));
    }
    if (!(largest > 0))
        return false;
    for (int i = 0; i < 4 && (largest < TINY || largest > LARGE); i++)
        q[i] /= largest;
    const float rounded[4] = {(float)q[0], (float)q[1], (float)q[2], (float)q[3]};
    const double given[4] = {q[0], q[1], q[2], q[3]};
    const bool is_rounded = fabs(sqrt(dot4(q, q)) - 1) <= FLOAT_ROUNDING;
    quat_repair(q);
    if (is_rounded && !rounds_to(q, rounded) && !find_rounded(rounded, q))
        memcpy(q, given, sizeof given); /* nearly of unit length, as some rotations of files are */
    return true;
}

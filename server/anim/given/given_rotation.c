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

/* Moves each number that rounds elsewhere to the near end of what rounds to `rounded`. */
static void clamp(double q[4], const float rounded[4])
{
    static const double INSIDE = 0.499; /* of the distance to the next float */
    for (int i = 0; i < 4; i++) {
        const double value = (double)rounded[i], above = (double)nextafterf(rounded[i], HUGE_VALF),
                     below = (double)nextafterf(rounded[i], -HUGE_VALF);
        q[i] = fmin(fmax(q[i], value - INSIDE * (value - below)), value + INSIDE * (above - value));
    }
}

/* Projects to the box of what rounds to these floats and to the sphere in turn, until both hold. */
static void find_rounded(double q[4], const float rounded[4])
{
    enum { STEPS_MAX = 64 };
    for (int step = 0; step < STEPS_MAX && !rounds_to(q, rounded); step++) {
        clamp(q, rounded);
        quat_normalize(q);
    }
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
    const bool is_rounded = fabs(sqrt(dot4(q, q)) - 1) <= FLOAT_ROUNDING;
    quat_repair(q);
    if (is_rounded)
        find_rounded(q, rounded);
    return true;
}

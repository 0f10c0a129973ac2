#include "anim/given/given_rotation.h"

#include "anim/model/mat.h"
#include "anim/model/trig.h"

#include <math.h>
#include <stdint.h>
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

/* What rounds to a float, almost to its ends. nextafterf() is slow, and game servers repair all joints of a crowd. */
static void find_ends(float rounded, double *low, double *high)
{
    static const double INSIDE = 0.499; /* of the distance to the next float */
    const float size = fabsf(rounded);
    float larger, smaller;
    uint32_t bits;
    memcpy(&bits, &size, sizeof bits);
    const uint32_t more = bits + 1, less = bits - 1; /* bits of neighbouring floats of one sign follow each other */
    memcpy(&larger, &more, sizeof larger);
    memcpy(&smaller, &less, sizeof smaller);
    smaller = bits == 0 ? -larger : smaller;
    const double value = (double)rounded, above = (double)(rounded < 0 ? -smaller : larger),
                 below = (double)(rounded < 0 ? -larger : smaller);
    *low = value - INSIDE * (value - below);
    *high = value + INSIDE * (above - value);
}

/* Projects to the box of what rounds to these floats and to the sphere in turn, until both hold. */
static void find_rounded(double q[4], const float rounded[4])
{
    enum { STEPS_MAX = 64 };
    double low[4], high[4];
    for (int i = 0; i < 4; i++)
        find_ends(rounded[i], &low[i], &high[i]);
    for (int step = 0; step < STEPS_MAX && !rounds_to(q, rounded); step++) {
        for (int i = 0; i < 4; i++)
            q[i] = q[i] < low[i] ? low[i] : q[i] > high[i] ? high[i] : q[i];
        quat_normalize(q);
    }
}

/* Brings a rotation of any length to one whose square is neither 0 nor infinite. False: it is 0 or not finite. */
static bool bring_near(double q[4])
{
    static const double TINY = 1e-100, LARGE = 1e100;
    double largest = 0;
    for (int i = 0; i < 4; i++) {
        if (!isfinite(q[i]))
            return false;
        largest = larger_of(largest, fabs(q[i]));
    }
    if (!(largest > 0))
        return false;
    for (int i = 0; i < 4 && (largest < TINY || largest > LARGE); i++)
        q[i] /= largest;
    return true;
}

bool rotation_repair(double q[4])
{
    static const double FLOAT_ROUNDING = 1e-6, DOUBLE_ROUNDING = 1e-15;
    double error = fabs(sqrt(dot4(q, q)) - 1);
    if (error <= DOUBLE_ROUNDING) /* the usual one */
        return true;
    if (!(error <= 0.5)) { /* also for NaN */
        if (!bring_near(q))
            return false;
        error = fabs(sqrt(dot4(q, q)) - 1);
    }
    const float rounded[4] = {(float)q[0], (float)q[1], (float)q[2], (float)q[3]};
    quat_repair(q);
    if (error <= FLOAT_ROUNDING)
        find_rounded(q, rounded);
    return true;
}

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

/* Rotations closer to unit length than this are of unit length, as in quat_repair(). */
static const double DOUBLE_ROUNDING = 1e-15;

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

/* Finds one by halving, which rounding does not lead astray where it lies in a corner. */
static bool halve(const float rounded[4], double out[4])
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

/* Returns half the distance to the next float, away from 0 or towards it. nextafterf() is slow, and game servers repair
 * all joints of a crowd. */
static double half_gap(float size, bool is_away)
{
    uint32_t bits;
    float next;
    memcpy(&bits, &size, sizeof bits); /* bits of neighbouring floats of one sign follow each other */
    bits = is_away ? bits + 1 : bits == 0 ? 0 : bits - 1;
    memcpy(&next, &bits, sizeof next);
    return fabs((double)next - (double)size) / 2;
}

/* Finds a unit quaternion among those that round to these floats: all numbers are moved by one share, -1..1, of the way
 * to where they would round to the next float. The square of the length is a polynomial of it. False when all of them
 * are longer than 1, or all shorter. */
static bool find_rounded(const float rounded[4], double out[4])
{
    double sizes[4], gaps[4];
    for (int i = 0; i < 4; i++)
        sizes[i] = fabs((double)rounded[i]);
    const double surplus = dot4(sizes, sizes) - 1;
    for (int i = 0; i < 4; i++)
        gaps[i] = half_gap(fabsf(rounded[i]), surplus < 0);
    const double slope = 2 * dot4(sizes, gaps), bend = dot4(gaps, gaps);
    double share = -surplus / slope;
    share = -(surplus + bend * share * share) / slope;
    for (int i = 0; i < 4; i++)
        out[i] = copysign(sizes[i] + share * gaps[i], (double)rounded[i]);
    return rounds_to(out, rounded) && fabs(sqrt(dot4(out, out)) - 1) <= DOUBLE_ROUNDING;
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
    static const double FLOAT_ROUNDING = 1e-6;
    double error = fabs(sqrt(dot4(q, q)) - 1);
    if (error <= DOUBLE_ROUNDING) /* the usual one */
        return true;
    if (!(error <= 0.5)) { /* also for NaN */
        if (!bring_near(q))
            return false;
        error = fabs(sqrt(dot4(q, q)) - 1);
    }
    if (error > FLOAT_ROUNDING) {
        quat_repair(q);
        return true;
    }
    const float rounded[4] = {(float)q[0], (float)q[1], (float)q[2], (float)q[3]};
    double found[4];
    if (find_rounded(rounded, found) || halve(rounded, found))
        memcpy(q, found, sizeof found);
    else
        quat_repair(q); /* it was not rounded to floats */
    return true;
}

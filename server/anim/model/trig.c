/* trig.c - reduces the angle by a multiple of pi/2, then evaluates a polynomial (W. J. Cody and W. Waite, "Software
 * Manual for the Elementary Functions", 1980, chapters 8 and 11). The coefficients minimize the largest error over the
 * interval; they were found by E. Remez' exchange algorithm in 400 bits. */
#include "anim/model/trig.h"

#include <math.h>
#include <stddef.h>

/* pi/2 = QUARTER_HIGH + QUARTER_MIDDLE + QUARTER_LOW. The first two have 33 bits, so their product with a whole number
 * below 2^20 is exact. */
static const double QUARTER_HIGH = 0x1.921fb544p+0, QUARTER_MIDDLE = 0x1.0b4611a6p-34,
                    QUARTER_LOW = 0x1.3198a2e037073p-69;
static const double QUARTERS_PER_RADIAN = 0x1.45f306dc9c883p-1;

static double polynomial(const double *coefficients, size_t count, double z)
{
    double sum = coefficients[count - 1];
    for (size_t i = count - 1; i-- > 0;)
        sum = sum * z + coefficients[i];
    return sum;
}
#define POLYNOMIAL(coefficients, z) polynomial(coefficients, sizeof(coefficients) / sizeof *(coefficients), z)

/* An angle near 0 as a sum: the second double holds what does not fit the first. */
struct near_angle {
    double r, rest;
};

/* Computes angle - n * pi/2 (Cody and Waite's reduction, keeping the errors of both subtractions). */
static struct near_angle reduce(double angle, double n)
{
    const double high = angle - n * QUARTER_HIGH, middle = n * QUARTER_MIDDLE, first = high - middle;
    const double low = n * QUARTER_LOW - (high - first - middle), r = first - low;
    return (struct near_angle){r, first - r - low};
}

/* For |r| <= pi/4: r + r^3 P(r^2), with a relative error of at most 2^-57. */
static double sine_near_0(struct near_angle angle)
{
    static const double P[] = {-0.1666666666666663,    0.008333333333322113,    -0.00019841269829584866,
                               2.7557313619705785e-06, -2.5050747491134792e-08, 1.589621392917107e-10};
    const double r = angle.r, z = r * r;
    return r + (angle.rest * (1 - z / 2) + r * z * POLYNOMIAL(P, z));
}

/* For |r| <= pi/4: 1 - r^2/2 + r^4 P(r^2), with an error of at most 2^-64. It adds the rounding error of 1 - r^2/2
 * again. */
static double cosine_near_0(struct near_angle angle)
{
    static const double P[] = {0.0416666666666666,     -0.0013888888888874131, 2.4801587289487006e-05,
                               -2.755731435378607e-07, 2.0875723478571634e-09, -1.1359658818861382e-11};
    const double r = angle.r, z = r * r, half = z / 2, near = 1 - half;
    return near + ((1 - near - half) + (z * z * POLYNOMIAL(P, z) - r * angle.rest));
}

/* Returns the sine of angle + quarters * pi/2. */
static double sine_ahead(double angle, int quarters)
{
    if (!(fabs(angle) <= TRIG_MAX))
        return (double)NAN;
    const double n = floor(angle * QUARTERS_PER_RADIAN + 0.5);
    const struct near_angle near = reduce(angle, n);
    switch (((int)n + quarters) & 3) {
    case 0:
        return sine_near_0(near);
    case 1:
        return cosine_near_0(near);
    case 2:
        return -sine_near_0(near);
    default:
        return -cosine_near_0(near);
    }
}

double trig_sin(double angle) { return sine_ahead(angle, 0); }

double trig_cos(double angle) { return sine_ahead(angle, 1); }

/* For |t| <= tan(pi/8): t + t^3 P(t^2), with a relative error of at most 2^-59, besides the rounding of t. */
static double arc_near_0(double t)
{
    static const double P[] = {-0.333333333333332,   0.19999999999953205, -0.1428571428016209,  0.1111111078192156,
                               -0.09090897718288383, 0.07692059589552368, -0.06663097708530452, 0.058478481141163136,
                               -0.05039138973228016, 0.0380608047726059,  -0.017903548654308606};
    const double z = t * t;
    return t + t * z * POLYNOMIAL(P, z);
}

double trig_atan(double y, double x)
{
    static const double TAN_PI_8 = 0.41421356237309503;
    const double up = fabs(y);
    double arc;
    if (!(up > 0))
        return 0;
    if (up <= TAN_PI_8 * x)
        arc = arc_near_0(up / x);
    else if (up * TAN_PI_8 < x) /* atan(t) = pi/4 + atan((t - 1) / (t + 1)) */
        arc = QUARTER_HIGH / 2 + ((QUARTER_MIDDLE + QUARTER_LOW) / 2 + arc_near_0((up - x) / (up + x)));
    else
        arc = QUARTER_HIGH + ((QUARTER_MIDDLE + QUARTER_LOW) - arc_near_0(x / up));
    return y < 0 ? -arc : arc;
}

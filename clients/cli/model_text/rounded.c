/* Puts numbers as text that does not change with their last digits. */
#include "clients/cli/model_text/model_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TURN_DECIMALS = 2, SCALE_DECIMALS = 4, DECIMALS_MAX = 30 };

int rounded_place_decimals(double size)
{
    if (!(size > 0) || !isfinite(size))
        return 4;
    /* Sizes from 0.2 to 20 have 4, sizes from 20 to 2000 have 2. */
    const int hundreds = (int)floor((log10(size) - log10(0.2)) / 2);
    const int decimals = 4 - 2 * hundreds;
    return decimals > DECIMALS_MAX ? DECIMALS_MAX : decimals;
}

void rounded_put(struct text *out, double value, int decimals)
{
    char digits[400];
    if (!isfinite(value)) {
        text_put(out, " ?");
        return;
    }
    if (decimals < 0) {
        const double step = pow(10, -decimals);
        value = round(value / step) * step;
    }
    snprintf(digits, sizeof digits, "%.*f", decimals < 0 ? 0 : decimals, value);
    char *end = digits + strlen(digits);
    if (strchr(digits, '.') != NULL) {
        while (end[-1] == '0')
            *--end = '\0';
        if (end[-1] == '.')
            *--end = '\0';
    }
    text_printf(out, " %s", strcmp(digits, "-0") == 0 ? "0" : digits);
}

void rounded_put_all(struct text *out, const double *values, size_t count, int decimals)
{
    for (size_t i = 0; i < count; i++)
        rounded_put(out, values[i], decimals);
}

void rounded_turn(const double quaternion[4], double out[3])
{
    static const double DEGREES = 57.295779513082321, HALF_TURN_NOISE = 1e-5;
    const double *q = quaternion;
    const double length = hypot(hypot(q[0], q[1]), q[2]);
    double sign = q[3] < 0 ? -1 : 1;
    /* Half a turn has two possible axes. Take the one whose first number is positive. */
    for (int i = 0; i < 3 && fabs(q[3]) < HALF_TURN_NOISE; i++)
        if (fabs(q[i]) > HALF_TURN_NOISE) {
            sign = q[i] < 0 ? -1 : 1;
            break;
        }
    const double angle = 2 * atan2(length, fabs(q[3])) * DEGREES;
    for (int i = 0; i < 3; i++)
        out[i] = length > 0 ? sign * q[i] / length * angle : 0;
}

void rounded_put_part(struct text *out, const double transform[10], int part, int place_decimals)
{
    double turn[3];
    switch (part) {
    case PART_TRANSLATION:
        text_put(out, " translation");
        rounded_put_all(out, transform, 3, place_decimals);
        break;
    case PART_ROTATION:
        rounded_turn(transform + 3, turn);
        text_put(out, " rotation");
        rounded_put_all(out, turn, 3, TURN_DECIMALS);
        break;
    default:
        text_put(out, " scale");
        rounded_put_all(out, transform + 7, 3, SCALE_DECIMALS);
        break;
    }
}

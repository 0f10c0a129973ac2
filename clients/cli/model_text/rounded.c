/* Puts numbers as text that does not change with their last digits. */
#include "clients/cli/model_text/model_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEP_DECIMALS = 3, DECIMALS_MAX = 30 };
static const double TURN_STEP_DEG = 0.2, SCALE_STEP = 0.005;

int rounded_place_decimals(double size)
{
    if (!(size > 0) || !isfinite(size))
        return 3;
    /* Sizes from 0.5 to 5 have 3, sizes from 5 to 50 have 2. */
    const int decimals = 3 - (int)floor(log10(size / 0.5));
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
    static const double DEGREES = 57.295779513082321, HALF_TURN_NOISE = 1e-3;
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

static void put_steps(struct text *out, const double values[3], double step)
{
    for (int i = 0; i < 3; i++)
        rounded_put(out, round(values[i] / step) * step, STEP_DECIMALS);
}

void rounded_put_part(struct text *out, const double transform[TRANSFORM_NUMBERS], int part, int place_decimals)
{
    static const double HALF_STEP = 0.5;
    double turn[3];
    switch (part) {
    case PART_TRANSLATION:
        text_put(out, " translation");
        rounded_put_all(out, transform, 3, place_decimals);
        break;
    case PART_ROTATION:
        rounded_turn(transform + 3, turn);
        text_put(out, " rotation");
        put_steps(out, turn, TURN_STEP_DEG);
        break;
    default:
        text_put(out, " scale");
        put_steps(out, transform + 7, SCALE_STEP);
        if (fmax(fmax(fabs(transform[10]), fabs(transform[11])), fabs(transform[12])) >= HALF_STEP * SCALE_STEP) {
            text_put(out, ", xy xz yz");
            put_steps(out, transform + 10, SCALE_STEP);
        }
        break;
    }
}

bool rounded_is_nothing(const double transform[TRANSFORM_NUMBERS], int part, int place_decimals)
{
    static const double NOTHING[TRANSFORM_NUMBERS] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
    struct text own = {0}, none = {0};
    rounded_put_part(&own, transform, part, place_decimals);
    rounded_put_part(&none, NOTHING, part, place_decimals);
    const bool is_same = strcmp(own.at, none.at) == 0;
    text_free(&own);
    text_free(&none);
    return is_same;
}

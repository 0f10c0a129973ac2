/* Sine, cosine and arc tangent compared with the C library's in long double, and some bits that every machine must
 * give. */
#include "anim/model/trig.h"
#include "tests/unit/support/check.h"

#include <float.h>

static double chance(void)
{
    static uint64_t state = 0x853c49e6748fea9bu;
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (double)((state * 0x2545F4914F6CDD1Du) >> 11) / 9007199254740992.0;
}

/* How far `value` is off, in units in the last place of `exact` (Muller, "Elementary Functions", 2.1). */
static double units_off(double value, long double exact)
{
    int exponent;
    frexpl(exact, &exponent);
    return (double)(fabsl((long double)value - exact) / ldexpl(1, exponent - DBL_MANT_DIG));
}

enum { POINTS = 200000 };

TEST(trig_sine_and_cosine_are_within_a_unit)
{
    double worst = 0;
    for (int i = 0; i < POINTS; i++) {
        const double size = i % 3 == 0 ? 1.5707963267948966 : i % 3 == 1 ? TRIG_MAX : ldexp(1, (int)(-60 * chance()));
        const double angle = (2 * chance() - 1) * size;
        const long double sine = sinl((long double)angle), cosine = cosl((long double)angle);
        if (fabsl(sine) > 1e-12L || fabs(angle) < 0.5)
            worst = fmax(worst, units_off(trig_sin(angle), sine));
        if (fabsl(cosine) > 1e-12L)
            worst = fmax(worst, units_off(trig_cos(angle), cosine));
    }
    if (!(worst < 1))
        fail_msg("%.3f units in the last place", worst);
    assert_true(worst > 0.4);
}

/* The doubles nearest to multiples of pi/2: the remainder is 1e-16 and less. */
TEST(trig_near_its_zeros)
{
    for (int n = -60; n <= 60; n++) {
        const double angle = n * 1.5707963267948966;
        CHECK_NEAR(trig_sin(angle), (double)sinl((long double)angle), n % 2 == 0 ? 1e-27 : 1e-15);
        CHECK_NEAR(trig_cos(angle), (double)cosl((long double)angle), n % 2 == 0 ? 1e-15 : 1e-27);
    }
    assert_true(isnan(trig_sin(1e9)) && isnan(trig_cos((double)INFINITY)) && isnan(trig_sin((double)NAN)));
}

TEST(trig_arc_tangent_is_within_a_few_units)
{
    double worst = 0;
    for (int i = 0; i < POINTS; i++) {
        const double x = i % 2 == 0 ? chance() : ldexp(chance(), (int)(-60 * chance()));
        const double y = (2 * chance() - 1) * (i % 5 == 0 ? 1e-9 : 1);
        worst = fmax(worst, units_off(trig_atan(y, x), atan2l((long double)y, (long double)x)));
    }
    if (!(worst < 2.5))
        fail_msg("%.3f units in the last place", worst);
    assert_true(worst > 0.4);
}

TEST(trig_of_known_values)
{
    CHECK_NEAR(trig_sin(0), 0, 0);
    CHECK_NEAR(trig_cos(0), 1, 0);
    CHECK_NEAR(trig_sin(1.5707963267948966), 1, 0);
    CHECK_NEAR(trig_atan(0, 0), 0, 0);
    CHECK_NEAR(trig_atan(3, 0), 1.5707963267948966, 0);
    CHECK_NEAR(trig_atan(-3, 0), -1.5707963267948966, 0);
    CHECK_NEAR(trig_atan(2, 2), 0.7853981633974483, 0);
    /* on any processor and with any C library */
    assert_true(trig_sin(1) == 0x1.aed548f090ceep-1 && trig_cos(1) == 0x1.14a280fb5068cp-1);
    assert_true(trig_atan(1, 3) == 0x1.4978fa3269ee1p-2);
}

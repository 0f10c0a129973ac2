#include "wire/encode/number.h"
#include "wire/encode/number_pow10.h"
#include "tests/unit/support/check.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *float_text(float value)
{
    static char text[NUMBER_SIZE + 1];
    text[number_put_float(text, value)] = '\0';
    return text;
}

static const char *double_text(double value)
{
    static char text[NUMBER_SIZE + 1];
    text[number_put_double(text, value)] = '\0';
    return text;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Significant digits, without zeros at either end. */
static int count_digits(const char *text)
{
    int count = 0, zeros = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text < '0' || *text > '9')
            continue;
        zeros = *text == '0' ? zeros + 1 : 0;
        count += count > 0 || *text != '0';
    }
    return count > zeros ? count - zeros : 1;
}

/* JSON's grammar (RFC 8259, 6). */
static bool is_json_number(const char *p)
{
    p += *p == '-';
    if (*p == '0')
        p++;
    else if (*p >= '1' && *p <= '9')
        p += strspn(p, "0123456789");
    else
        return false;
    if (*p == '.') {
        const size_t digits = strspn(p + 1, "0123456789");
        if (digits == 0)
            return false;
        p += 1 + digits;
    }
    if (*p == 'e') {
        p += p[1] == '-' ? 2 : 1;
        if (strspn(p, "0123456789") == 0)
            return false;
        p += strspn(p, "0123456789");
    }
    return *p == '\0';
}

static void check_float(uint32_t bits)
{
    const float value = float_of(bits);
    const char *text = float_text(value);
    const float back = strtof(text, NULL);
    if (memcmp(&back, &value, sizeof back) != 0 || !is_json_number(text))
        fail_msg("%08x prints as %s", bits, text);
}

/* As few digits as printf needs, and of those numbers the nearest. */
static void check_shortest(uint32_t bits)
{
    const float value = float_of(bits);
    char least[40];
    for (int digits = 1; digits <= 9; digits++) {
        snprintf(least, sizeof least, "%.*e", digits - 1, (double)value);
        if (strtof(least, NULL) == value)
            break;
    }
    const int longer = count_digits(float_text(value)) - count_digits(least);
    if (longer > 0 || (longer == 0 && strtod(float_text(value), NULL) != strtod(least, NULL)))
        fail_msg("%08x prints as %s, %s is better", bits, float_text(value), least);
}

TEST(number_float_reads_back)
{
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 2003)
        if ((bits >> 23 & 0xff) != 0xff)
            check_float((uint32_t)bits);
}

TEST(number_float_reads_back_around_every_power_of_two)
{
    for (uint32_t exponent = 0; exponent < 0xff; exponent++)
        for (uint32_t near = 0; near < 64; near++) {
            check_float(exponent << 23 | near);
            check_float(exponent << 23 | (0x7fffff - near));
            check_float(UINT32_C(1) << 31 | exponent << 23 | near);
        }
}

TEST(number_float_is_shortest)
{
    for (uint64_t bits = 0; bits < UINT32_C(0x7f800000); bits += 40009)
        check_shortest((uint32_t)bits);
    for (uint32_t exponent = 0; exponent < 0xff; exponent++)
        check_shortest(exponent << 23);
    for (uint32_t bits = 1; bits < 2000; bits++) /* subnormals */
        check_shortest(bits);
}

TEST(number_float_text)
{
    static const struct {
        float value;
        const char *text;
    } ROWS[] = {
        {0, "0"},
        {-0.0f, "-0"},
        {1, "1"},
        {-1.5f, "-1.5"},
        {0.1f, "0.1"},
        {100, "100"},
        {16777216, "16777216"},
        {123456792, "123456790"},
        {1e9f, "1e9"},
        {1.5e10f, "1.5e10"},
        {0.0001f, "0.0001"},
        {0.00012f, "0.00012"},
        {1e-5f, "1e-5"},
        {-1.25e-7f, "-1.25e-7"},
        {FLT_MAX, "3.4028235e38"},
        {FLT_MIN, "1.1754944e-38"},
        {1e-45f, "1e-45"},
        {0.33333334f, "0.33333334"},
        {8388608.5f, "8388608"},
        {9999999, "9999999"},
        {3.1415927f, "3.1415927"},
        {1e10f, "1e10"},
        {12345.678f, "12345.678"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        assert_string_equal(float_text(ROWS[i].value), ROWS[i].text);
}

TEST(number_double_text)
{
    static const struct {
        double value;
        const char *text;
    } ROWS[] = {
        {0, "0"},
        {-0.0, "-0"},
        {0.5, "0.5"},
        {-2, "-2"},
        {0.1, "0.1"},
        {1 / 3.0, "0.3333333333333333"},
        {2 / 3.0, "0.6666666666666666"},
        {1234567890.5, "1234567890.5"},
        {9007199254740992, "9007199254740992"},
        {1e16, "10000000000000000"},
        {1e17, "1e17"},
        {0.0001, "0.0001"},
        {1e-5, "1e-5"},
        {1e21, "1e21"},
        {DBL_MAX, "1.7976931348623157e308"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {5e-324, "5e-324"},
        {0.0416666679084301, "0.0416666679084301"},
        {123.456, "123.456"},
        {-1e-300, "-1e-300"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        assert_string_equal(double_text(ROWS[i].value), ROWS[i].text);
}

TEST(number_double_reads_back)
{
    uint64_t bits = 1;
    for (int i = 0; i < 200000; i++) {
        double value;
        bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407); /* Knuth's MMIX generator */
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        const char *text = double_text(value);
        if (strtod(text, NULL) != value || !is_json_number(text))
            fail_msg("%a prints as %s", value, text);
    }
    for (int i = -100000; i <= 100000; i++) { /* frame times */
        const double value = i / 30.0;
        assert_true(strtod(double_text(value), NULL) == value);
    }
}

TEST(number_keeps_within_its_size)
{
    char text[NUMBER_SIZE + 8];
    const float floats[] = {-FLT_MIN, -FLT_MAX, -0.00012345679f, -123456.79f};
    const double doubles[] = {-DBL_MIN, -DBL_MAX, -0.00012345678901234567, -12345678901234567.0, -0.1234567890123456};
    memset(text, '#', sizeof text);
    for (size_t i = 0; i < 4; i++)
        assert_in_range(number_put_float(text, floats[i]), 1, NUMBER_SIZE);
    for (size_t i = 0; i < 5; i++)
        assert_in_range(number_put_double(text, doubles[i]), 1, NUMBER_SIZE);
    assert_memory_equal(text + NUMBER_SIZE, "########", 8);
}

/* 256-bit numbers, lowest limb first. */
enum { LIMBS = 8 };

static void times_ten(uint32_t x[LIMBS])
{
    uint64_t carry = 0;
    for (int i = 0; i < LIMBS; i++, carry >>= 32)
        x[i] = (uint32_t)(carry += (uint64_t)x[i] * 10);
}

static bool divide_by(uint32_t x[LIMBS], uint32_t divisor)
{
    uint64_t rest = 0;
    for (int i = LIMBS - 1; i >= 0; i--, rest %= divisor) {
        rest = rest << 32 | x[i];
        x[i] = (uint32_t)(rest / divisor);
    }
    return rest != 0;
}

/* 10^e scaled to [2^63, 2^64) and rounded up, by long multiplication and division. */
static uint64_t exact_power(int e)
{
    uint32_t x[LIMBS] = {0};
    bool is_inexact = false;
    x[e < 0 ? LIMBS - 1 : 0] = 1;
    for (int i = 0; i < abs(e); i++) {
        if (e > 0)
            times_ten(x);
        else
            is_inexact |= divide_by(x, 10);
    }
    bool is_small = true;
    for (int i = 2; i < LIMBS; i++)
        is_small = is_small && x[i] == 0;
    while (!is_small) {
        is_inexact |= divide_by(x, 2);
        is_small = true;
        for (int i = 2; i < LIMBS; i++)
            is_small = is_small && x[i] == 0;
    }
    uint64_t g = (uint64_t)x[1] << 32 | x[0];
    while (g >> 63 == 0)
        g *= 2;
    return g + is_inexact;
}

TEST(number_powers_of_ten_are_exact)
{
    for (int e = POW10_MIN; e <= POW10_MAX; e++)
        if (POW10[e - POW10_MIN] != exact_power(e))
            fail_msg("10^%d is %016llx", e, (unsigned long long)exact_power(e));
}

TEST(number_has_no_text_for_what_is_not_finite)
{
    char text[NUMBER_SIZE];
    const double values[] = {(double)NAN, -(double)NAN, HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(number_put_double(text, values[i]), 0);
        assert_int_equal(number_put_float(text, (float)values[i]), 0);
    }
}

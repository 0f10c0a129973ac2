/* number.c - formats floats by Schubfach (Raffaello Giulietti, "The Schubfach way to render doubles", 2020; its
 * sections 9.8.1 and 9.10, with the widths of binary32), and doubles by increasing the precision until the text reads
 * back. */
#include "wire/encode/number.h"

#include "base/ascii.h"
#include "wire/encode/number_pow10.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Plain notation covers 0.0001 up to this many digits before the decimal point; other numbers have exponents. */
enum { FLOAT_PLAIN_DIGITS = 9, DOUBLE_PLAIN_DIGITS = 17, PLAIN_ZEROS = 3 };

/* digits * 10^exponent */
struct decimal {
    uint64_t digits;
    int exponent;
};

static int floor_log10_pow2(int e) { return (e * 1262611) >> 22; }                         /* |e| <= 1500 */
static int floor_log10_three_quarters_pow2(int e) { return (e * 1262611 - 524031) >> 22; } /* |e| <= 1500 */
static int floor_log2_pow10(int e) { return (e * 1741647) >> 19; }                         /* |e| <= 1233 */

/* floor(g * x / 2^64) with its lowest bit set when the result is inexact, which suffices for comparisons with the exact
 * value. */
static uint32_t round_to_odd(uint64_t g, uint32_t x)
{
    const uint64_t low = (g & 0xffffffff) * x;
    const uint64_t high = (g >> 32) * x + (low >> 32);
    return (uint32_t)(high >> 32) | ((uint32_t)high > 1);
}

/* Returns the shortest decimal within the rounding interval of c * 2^q; among several the closest to it. */
static struct decimal shortest(uint32_t c, int q, bool is_lower_closer)
{
    const uint32_t is_odd = c & 1;
    const int k = is_lower_closer ? floor_log10_three_quarters_pow2(q) : floor_log10_pow2(q);
    const int shift = q + floor_log2_pow10(-k) + 1;
    const uint64_t g = POW10[-k - POW10_MIN];
    /* four times the value and the ends of its interval, in units of 10^k */
    const uint32_t middle = round_to_odd(g, (4 * c) << shift);
    const uint32_t lower = round_to_odd(g, (4 * c - 2 + is_lower_closer) << shift) + is_odd;
    const uint32_t upper = round_to_odd(g, (4 * c + 2) << shift) - is_odd;
    const uint32_t s = middle / 4;
    if (s >= 10) {
        const uint32_t tens = s / 10;
        const bool is_down_inside = lower <= 40 * tens;
        const bool is_up_inside = 40 * tens + 40 <= upper;
        if (is_down_inside != is_up_inside)
            return (struct decimal){tens + is_up_inside, k + 1};
    }
    const bool is_down_inside = lower <= 4 * s;
    const bool is_up_inside = 4 * s + 4 <= upper;
    if (is_down_inside != is_up_inside)
        return (struct decimal){s + is_up_inside, k};
    const uint32_t half = 4 * s + 2;
    return (struct decimal){s + (middle > half || (middle == half && (s & 1) != 0)), k};
}

static size_t put_exponent(char *out, int exponent)
{
    size_t size = 0;
    out[size++] = 'e';
    if (exponent < 0)
        out[size++] = '-';
    unsigned rest = (unsigned)abs(exponent);
    if (rest >= 100)
        out[size++] = (char)('0' + rest / 100);
    if (rest >= 10)
        out[size++] = (char)('0' + rest / 10 % 10);
    out[size++] = (char)('0' + rest % 10);
    return size;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "eight digits are stored as one number");

/* Spells the eight digits of a number below 10^8 as text, the first in the lowest byte. It computes halves, quarters
 * and digits of all of them in parallel (Paul Khuong, "How to print integers really fast", 2017). */
static uint64_t spell_eight(uint32_t digits)
{
    const uint64_t fours = digits / 10000 | (uint64_t)(digits % 10000) << 32;
    const uint64_t hundreds = fours * 10486 >> 20 & 0x0000007f0000007f; /* x / 100 for x < 10^4 */
    const uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    const uint64_t tens = twos * 103 >> 10 & 0x000f000f000f000f; /* x / 10 for x < 100 */
    return (tens | (twos - 10 * tens) << 8) + 0x3030303030303030;
}

static int count_digits(uint64_t digits)
{
    static const uint32_t NINES[] = {0, 9, 99, 999, 9999, 99999, 999999, 9999999, 99999999, 999999999};
    enum { MOST = 999999999 };
    if (digits > MOST)
        return 9 + count_digits(digits / (MOST + 1));
    const int least = (32 - __builtin_clz((uint32_t)digits)) * 1233 >> 12; /* floor(bits * log10(2)) */
    return least + (digits > NINES[least]);
}

/* Writes `count` digits, with a decimal point after the first `point` of them if more follow; point > 0. */
static void put_digits(char *out, uint64_t digits, int count, int point)
{
    static const uint32_t POWERS[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    if (count > 9) {
        for (int i = count - 1; i >= 0; i--, digits /= 10)
            out[i < point ? i : i + 1] = (char)('0' + digits % 10);
    } else {
        /* padded to nine digits: the extra ones lie after the number */
        const uint32_t nine = (uint32_t)digits * POWERS[9 - count];
        const uint64_t eight = spell_eight(nine % 100000000);
        out[0] = (char)('0' + nine / 100000000);
        memcpy(out + 1, &eight, sizeof eight);
        if (point >= count)
            return;
        const uint64_t fraction = eight >> 8 * (point - 1);
        memcpy(out + point + 1, &fraction, sizeof fraction);
    }
    if (point < count)
        out[point] = '.';
}

/* digits > 0 */
static size_t put_decimal(char *out, struct decimal value, int plain_digits)
{
    while (value.digits % 10 == 0) {
        value.digits /= 10;
        value.exponent++;
    }
    const int count = count_digits(value.digits);
    const int point = count + value.exponent; /* digits before the decimal point; negative: zeros after it */
    if (point > plain_digits || point < -PLAIN_ZEROS) {
        put_digits(out, value.digits, count, 1);
        const size_t size = count > 1 ? (size_t)count + 1 : 1;
        return size + put_exponent(out + size, point - 1);
    }
    if (point <= 0) {
        memcpy(out, "0.000", 2 + PLAIN_ZEROS);
        put_digits(out + 2 - point, value.digits, count, count);
        return (size_t)(2 - point + count);
    }
    put_digits(out, value.digits, count, point);
    for (int i = count; i < point; i++)
        out[i] = '0';
    return (size_t)(point >= count ? point : count + 1);
}

size_t number_put_float(char *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t fraction = bits & 0x7fffff;
    const int exponent = (int)(bits >> 23 & 0xff);
    if (exponent == 0xff)
        return 0;
    size_t sign = 0;
    if (bits >> 31 != 0)
        out[sign++] = '-';
    if ((bits << 1) == 0) {
        out[sign] = '0';
        return sign + 1;
    }
    /* value = c * 2^q */
    const uint32_t c = exponent == 0 ? fraction : fraction | 0x800000;
    const int q = (exponent == 0 ? 1 : exponent) - 150;
    const bool is_whole = q <= 0 && q > -24 && (c & ((UINT32_C(1) << -q) - 1)) == 0;
    const struct decimal decimal =
        is_whole ? (struct decimal){c >> -q, 0} : shortest(c, q, fraction == 0 && exponent > 1);
    return sign + put_decimal(out + sign, decimal, FLOAT_PLAIN_DIGITS);
}

/* "d.ddde-dd" with the decimal point of any locale */
static struct decimal read_scientific(const char *text)
{
    struct decimal value = {0, 0};
    int count = 0;
    for (; *text != 'e'; text++) {
        if (!ascii_is_digit(*text))
            continue;
        value.digits = value.digits * 10 + (uint64_t)(*text - '0');
        count++;
    }
    value.exponent = (int)strtol(text + 1, NULL, 10) - (count - 1);
    return value;
}

static struct decimal search_double(double value)
{
    /* 15 digits survive the conversion to a normal double and back, so shorter precisions need no attempt; trailing
     * zeros are removed later */
    char text[40];
    for (int digits = value < 0x1p-1022 ? 1 : 15; digits < 17; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, value);
        if (strtod(text, NULL) == value)
            return read_scientific(text);
    }
    snprintf(text, sizeof text, "%.16e", value);
    return read_scientific(text);
}

size_t number_put_double(char *out, double value)
{
    if (!isfinite(value))
        return 0;
    size_t sign = 0;
    if (signbit(value)) {
        out[sign++] = '-';
        value = -value;
    }
    if (value == 0) {
        out[sign] = '0';
        return sign + 1;
    }
    /* Times are mostly short decimals. The quotient of a whole number and 10^n is correctly rounded when both are exact
     * (Clinger, "How to read floating point numbers accurately", 1990), and no other decimal of at most 15 digits
     * equals it. */
    double power = 1;
    for (int n = 0; n <= 9; n++, power *= 10) {
        const double whole = rint(value * power);
        if (!(whole < 1e15))
            break;
        if (whole / power == value)
            return sign + put_decimal(out + sign, (struct decimal){(uint64_t)whole, -n}, DOUBLE_PLAIN_DIGITS);
    }
    return sign + put_decimal(out + sign, search_double(value), DOUBLE_PLAIN_DIGITS);
}

/* --- parsing --- */

/* Checks the grammar, because strtod() also accepts "inf", "0x1p3", leading spaces and more. It also computes a number
 * with few digits and no exponent: both operands of the quotient are exact, and the division rounds once (Clinger, "How
 * to read floating point numbers accurately", 1990). False: the text is not a number. *is_read false: strtod() must
 * parse it. */
static bool scan_double(const char *text, const char *end, double *value, bool *is_read)
{
    enum { DIGITS_MAX = 15 /* below 2^53 */ };
    static const double POWERS[DIGITS_MAX + 1] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const bool is_negative = text < end && *text == '-';
    const char *at = text + is_negative;
    bool has_point = false;
    uint64_t digits = 0;
    size_t digit_count = 0, decimals = 0;
    for (; at < end && (ascii_is_digit(*at) || (*at == '.' && !has_point)); at++) {
        if (*at == '.') {
            has_point = true;
            continue;
        }
        digits = digits * 10 + (uint64_t)(*at - '0');
        digit_count++;
        decimals += has_point;
    }
    *is_read = at == end && digit_count <= DIGITS_MAX;
    if (*is_read)
        *value = (is_negative ? -1 : 1) * ((double)digits / POWERS[decimals]);
    if (digit_count == 0 || at == end)
        return digit_count > 0;
    if (*at != 'e' && *at != 'E')
        return false;
    at++;
    at += at < end && (*at == '+' || *at == '-');
    const char *first = at;
    while (at < end && ascii_is_digit(*at))
        at++;
    return at > first && at == end;
}

bool number_parse_double(const char *text, double *value)
{
    bool is_read;
    if (!scan_double(text, text + strlen(text), value, &is_read))
        return false;
    if (!is_read)
        *value = strtod(text, NULL);
    return isfinite(*value);
}

bool number_parse_part(const char *text, size_t size_bytes, double *value)
{
    char copy[NUMBER_PART_MAX + 1];
    bool is_read;
    if (size_bytes > NUMBER_PART_MAX || !scan_double(text, text + size_bytes, value, &is_read))
        return false;
    if (is_read)
        return true;
    memcpy(copy, text, size_bytes);
    copy[size_bytes] = '\0';
    *value = strtod(copy, NULL);
    return isfinite(*value);
}

bool number_is_digits(const char *text)
{
    const size_t count = strspn(text, "0123456789");
    return count > 0 && text[count] == '\0';
}

bool number_parse_uint(const char *text, uint64_t most, uint64_t *value)
{
    if (!number_is_digits(text))
        return false;
    uint64_t sum = 0;
    for (; *text != '\0'; text++) {
        const uint64_t digit = (uint64_t)(*text - '0');
        if (sum > (UINT64_MAX - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return sum <= most;
}

#include "import/text/text_number.h"

#include "base/ascii.h"

#include <stdint.h>

static const double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { DIGITS_MAX = 15, POWER_MAX = sizeof POWERS / sizeof *POWERS - 1, EXPONENT_DIGITS_MAX = 4 };

/* Parses what follows the 'e'. */
static bool exponent_of(const char *at, const char *end, int *exponent)
{
    const bool is_negative = at < end && *at == '-';
    int value = 0;
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end || end - at > EXPONENT_DIGITS_MAX)
        return false;
    for (; at < end; at++) {
        if (!ascii_is_digit(*at))
            return false;
        value = value * 10 + (*at - '0');
    }
    *exponent = is_negative ? -value : value;
    return true;
}

bool text_plain_number(const char *word, size_t size_bytes, double *value)
{
    const char *at = word, *end = word + size_bytes;
    const bool is_negative = at < end && *at == '-';
    uint64_t digits = 0;
    int count = 0, exponent = 0, decimals = 0;
    bool has_point = false;
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    for (; at < end && *at != 'e' && *at != 'E'; at++) {
        if (*at == '.' && !has_point) {
            has_point = true;
            continue;
        }
        if (!ascii_is_digit(*at) || ++count > DIGITS_MAX)
            return false;
        digits = digits * 10 + (uint64_t)(*at - '0');
        decimals += has_point;
    }
    if (count == 0 || (at < end && !exponent_of(at + 1, end, &exponent)))
        return false;
    exponent -= decimals;
    if (exponent < -POWER_MAX || exponent > POWER_MAX)
        return false;
    const double whole = (double)digits;
    *value = exponent < 0 ? whole / POWERS[-exponent] : whole * POWERS[exponent];
    if (is_negative)
        *value = -*value;
    return true;
}

#include "wire/http/url_time.h"

#include "wire/http/url.h"

#include <stdint.h>
#include <string.h>

enum { DIGITS_MAX = 15 /* below 2^53 */, TEXT_MAX = 40 };

/* Few digits without exponent: both parts of the quotient are exact, and division rounds once (W. Clinger, "How to Read
 * Floating Point Numbers Accurately", 1990). */
static bool read_plain(const char *text, const char *end, double *value)
{
    static const double POWERS[DIGITS_MAX + 1] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const bool is_negative = text < end && *text == '-';
    const char *point = NULL;
    uint64_t digits = 0;
    int count = 0;
    for (const char *at = text + is_negative; at < end; at++) {
        if (*at == '.' && point == NULL) {
            point = at;
        } else if (*at >= '0' && *at <= '9' && count < DIGITS_MAX) {
            digits = digits * 10 + (uint64_t)(*at - '0');
            count++;
        } else {
            return false;
        }
    }
    const double quotient = (double)digits / POWERS[point == NULL ? 0 : end - point - 1];
    *value = is_negative ? -quotient : quotient;
    return count > 0;
}

/* As any other: what has to be decoded first is left to others. */
static bool read_number(const char *text, size_t size_bytes, double *value)
{
    char copy[TEXT_MAX + 1];
    if (size_bytes > TEXT_MAX)
        return false;
    for (size_t i = 0; i < size_bytes; i++) {
        if (text[i] == '+' || text[i] == '%' || text[i] == '\0')
            return false;
        copy[i] = text[i];
    }
    copy[size_bytes] = '\0';
    return number_parse_double(copy, value);
}

bool url_find_time(const char *target, size_t target_bytes, struct url_time *out)
{
    const char *end = target + target_bytes, *at = memchr(target, '?', target_bytes);
    for (; at != NULL; at = memchr(at + 1, '&', (size_t)(end - at - 1))) {
        if (end - at < 3 || at[1] != 't' || at[2] != '=')
            continue;
        const char *value = at + 3, *after = memchr(value, '&', (size_t)(end - value));
        after = after == NULL ? end : after;
        *out = (struct url_time){.at = (size_t)(value - target), .size_bytes = (size_t)(after - value)};
        return read_plain(value, after, &out->time_s) || read_number(value, out->size_bytes, &out->time_s);
    }
    return false;
}

/* number.h - writes numbers as the shortest decimal text that reads back as the same number, and parses numbers. Pure;
 * any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NUMBER_SIZE = 32 }; /* holds any number, and the extra digits that are written in between */

/* Write at most NUMBER_SIZE bytes without NUL and return the length. The text is JSON ("1e-07", "0.5", "-0"): strtof
 * (strtod) and JavaScript's Number read back the same value. They return 0 for a non-finite value, which JSON cannot
 * express. */
size_t number_put_float(char *out, float value);
size_t number_put_double(char *out, double value);

/* Writes a whole number and returns the end of its text. */
static inline char *number_put_uint(char *out, uint64_t value)
{
    char text[NUMBER_SIZE];
    size_t at = sizeof text;
    if (value < 10) {
        *out = (char)('0' + value);
        return out + 1;
    }
    do
        text[--at] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    for (; at < sizeof text; at++)
        *out++ = text[at];
    return out;
}

/* Parses a finite decimal number [-]digits[.digits][e[+-]digits] without surrounding text. False for any other text. */
bool number_parse_double(const char *text, double *value);
/* Likewise parses a part of a text. False also for a part longer than any number that people write. */
enum { NUMBER_PART_MAX = 40 };
bool number_parse_part(const char *text, size_t size_bytes, double *value);
/* True when `text` is one or more digits and nothing else. */
bool number_is_digits(const char *text);
/* Parses digits, at most `most`. False for any other text. */
bool number_parse_uint(const char *text, uint64_t most, uint64_t *value);

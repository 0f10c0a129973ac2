/* number.h - numbers as text: the shortest decimal that reads back as the same number, and reading. Pure; any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NUMBER_SIZE = 32 }; /* room for any number, and for the digits that are written beyond it on the way */

/* Writes at most NUMBER_SIZE bytes, no NUL; returns the length. JSON syntax ("1e-07", "0.5", "-0"): strtof
 * (strtod) and JavaScript's Number read the same value back. 0 where the
 * value is not finite: JSON has no text for it. */
size_t number_put_float(char *out, float value);
size_t number_put_double(char *out, double value);

/* A decimal number: [-]digits[.digits][e[+-]digits], finite, nothing around it. False otherwise. */
bool number_parse_double(const char *text, double *value);
/* The same of a part of a text, which is longer than no number that people write: else false. */
enum { NUMBER_PART_MAX = 40 };
bool number_parse_part(const char *text, size_t size_bytes, double *value);
/* True when `text` is one or more digits and nothing else. */
bool number_is_digits(const char *text);
/* Digits only, at most `most`. False otherwise. */
bool number_parse_uint(const char *text, uint64_t most, uint64_t *value);

/* number.h - shortest decimal text that reads back as the same number. Pure; any thread. */
#pragma once

#include <stddef.h>

enum { NUMBER_SIZE = 32 }; /* room for any number, and for the digits that are written beyond it on the way */

/* Writes at most NUMBER_SIZE bytes, no NUL; returns the length. JSON syntax ("1e-07", "0.5", "-0"): strtof
 * (strtod) and JavaScript's Number read the same value back. 0 where the
 * value is not finite: JSON has no text for it. */
size_t number_put_float(char *out, float value);
size_t number_put_double(char *out, double value);

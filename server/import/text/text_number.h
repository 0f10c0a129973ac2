/* text_number.h - numbers in text files. Pure; any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Parses a decimal number if a double holds both its digits and its power of ten exactly: the result is rounded only
 * once, as by strtod() (W. D. Clinger, "How to read floating point numbers accurately", 1990), and costs much less.
 * False: anything else, also a number that strtod() has to parse. */
bool text_plain_number(const char *word, size_t size_bytes, double *value);

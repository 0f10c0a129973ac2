/* json_scan.h - what a JSON text from outside must be before cJSON may read it. Pure; any thread.
 *
 * cJSON takes more than JSON (raw control characters, 01, 1., a byte order mark), cuts strings at \u0000, and spends
 * forty times a text's size on "[1,1,..". What passes here has none of that; whether brackets, commas and words stand
 * where they may is left to cJSON. */
#pragma once

#include "base/err.h"

#include <stddef.h>

/* Levels of brackets and number of values (keys count as well) that a text may have. */
struct json_scan_limits {
    unsigned depth;
    size_t values;
};

/* Returns 0; ERR_BAD_REQUEST, naming the byte, for text that is no JSON, too deep, not UTF-8 or with a NUL in a string;
 * ERR_BODY_TOO_LARGE for too many values. */
int json_scan(const char *text, size_t size_bytes, const struct json_scan_limits *limits, struct err *err);

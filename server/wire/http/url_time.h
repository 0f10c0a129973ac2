/* query_time.h - the time in the query of a URL, without reading the rest. Pure; any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Where a target's first `t` has its value, and the number there. */
struct url_time {
    size_t at, size_bytes;
    double time_s;
};

/* False: there is no `t`, or its value is not one number as number_parse_double() reads it, which needs no decoding. */
bool url_find_time(const char *target, size_t target_bytes, struct url_time *out);

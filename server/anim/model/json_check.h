/* json_check.h - whether bytes are one JSON value (RFC 8259) without white space, as the importer writes extras. Total
 * on any bytes, no recursion, linear. Pure; any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { JSON_CHECK_DEPTH_MAX = 64 };

/* The text is UTF-8 already. False as well for values nested deeper than JSON_CHECK_DEPTH_MAX. */
bool json_check(const char *text, size_t size_bytes);

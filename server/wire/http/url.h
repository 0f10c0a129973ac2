/* query.h - the query part of a URL, piece by piece: splitting, percent-decoding, plain numbers.
 *
 * Pure; any thread. '+' is a space and "%2B" a plus, as HTML forms write them (WHATWG URL, 5.1). */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One "name=value" as it stands in the URL, still encoded; value is empty where there is no '='. */
struct url_param {
    const char *name;
    size_t name_bytes;
    const char *value;
    size_t value_bytes;
};

/* Takes the next part from `*size_bytes` bytes at `*text` and moves both behind it; empty parts ("a&&b") are
 * skipped. False at the end. */
bool url_next_param(const char **text, size_t *size_bytes, struct url_param *part);

/* Decodes into `out` (size_bytes + 1 bytes, may not overlap), which becomes NUL-terminated UTF-8 without inner
 * NULs. Returns the decoded length, or ERR_BAD_PARAMETER for a bad escape, a NUL or invalid UTF-8. */
ptrdiff_t url_decode_param(const char *text, size_t size_bytes, char *out, struct err *err);

/* The same for a part of a URL's path, where '+' is itself (RFC 3986, 3.3). */
ptrdiff_t url_decode_path(const char *text, size_t size_bytes, char *out, struct err *err);

/* A decimal number: [-]digits[.digits][e[+-]digits], finite, nothing around it. False otherwise. */
bool number_parse_double(const char *text, double *value);

/* True when `text` is one or more digits and nothing else. */
bool number_is_digits(const char *text);

/* Digits only, at most `most`. False otherwise. */
bool number_parse_uint(const char *text, uint64_t most, uint64_t *value);

/* Of `count` names the one that a typo of it could be: the smallest optimal string alignment distance (a
 * Damerau-Levenshtein distance; Boytsov 2011), at most a third of the longer name, at least one. NULL when
 * none is so near. */
const char *nearest_name(const char *name, const char *const *names, size_t count);

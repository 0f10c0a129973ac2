/* url.h - splits and percent-decodes the query of a URL, reads its time, and finds the name that a misspelt one
 * resembles.
 *
 * Pure; any thread. In a query '+' is a space and "%2B" a plus, as HTML forms write them (WHATWG URL, 5.1). */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

/* One "name=value" as it stands in the URL, still encoded. The value is empty when '=' is missing. */
struct url_param {
    const char *name;
    size_t name_bytes;
    const char *value;
    size_t value_bytes;
};

/* Takes the next parameter from the `*size_bytes` bytes at `*text` and advances both past it. Empty parameters ("a&&b")
 * are skipped. False at the end. */
bool url_next_param(const char **text, size_t *size_bytes, struct url_param *part);

/* Takes the next entry of a comma-separated header list, trimmed of blanks, and advances *list past it; *list is NULL
 * at the end. Empty entries count. False after the last entry. */
bool url_next_entry(const char **list, const char **entry, size_t *entry_bytes);

/* Whether the text equals `word`, ignoring case. */
static inline bool url_is_word(const char *text, size_t size_bytes, const char *word)
{
    return strlen(word) == size_bytes && strncasecmp(text, word, size_bytes) == 0;
}

/* Decodes into `out` (size_bytes + 1 bytes, no overlap) as NUL-terminated UTF-8 without inner NULs. '+' is a space with
 * is_plus_blank, and a literal plus in the path of a URL (RFC 3986, 3.3). Returns the decoded length, or
 * ERR_BAD_PARAMETER for a bad escape, a NUL or invalid UTF-8. */
ptrdiff_t url_decode(const char *text, size_t size_bytes, bool is_plus_blank, char *out, struct err *err);

/* The position of the value of a target's first `t`, and its number. */
struct url_time {
    size_t at, size_bytes;
    double time_s;
};
/* Reads the target only up to that value. False when `t` is missing, or when its value is not a single number that
 * needs no decoding. */
bool url_find_time(const char *target, size_t target_bytes, struct url_time *out);

/* url.h - the query part of a URL, piece by piece: splitting, percent-decoding, its time; and names that are nearly
 * one.
 *
 * Pure; any thread. In a query '+' is a space and "%2B" a plus, as HTML forms write them (WHATWG URL, 5.1). */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

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

/* The next entry of a header's list between commas, without blanks around it; false behind the last. Empty ones count;
 * *list is moved behind it, NULL at the end. */
bool url_next_entry(const char **list, const char **entry, size_t *entry_bytes);

/* Whether the text is that word, in upper or lower case. */
static inline bool url_is_word(const char *text, size_t size_bytes, const char *word)
{
    return strlen(word) == size_bytes && strncasecmp(text, word, size_bytes) == 0;
}

/* Decodes into `out` (size_bytes + 1 bytes, may not overlap), which becomes NUL-terminated UTF-8 without inner
 * NULs. '+' is a space where is_plus_blank says so, and itself in the path of a URL (RFC 3986, 3.3). Returns the
 * decoded length, or ERR_BAD_PARAMETER for a bad escape, a NUL or invalid UTF-8. */
ptrdiff_t url_decode(const char *text, size_t size_bytes, bool is_plus_blank, char *out, struct err *err);

/* Where a target's first `t` has its value, and the number there. */
struct url_time {
    size_t at, size_bytes;
    double time_s;
};
/* Reads no more of the target. False: there is no `t`, or its value is not one number, which needs no decoding. */
bool url_find_time(const char *target, size_t target_bytes, struct url_time *out);

/* Of `count` names the one that a typo of it could be: the smallest optimal string alignment distance (a
 * Damerau-Levenshtein distance; Boytsov 2011), at most a third of the longer name, at least one. NULL when
 * none is so near. */
const char *nearest_name(const char *name, const char *const *names, size_t count);

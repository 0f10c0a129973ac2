/* json_check.h - checks that untrusted bytes are one JSON value (RFC 8259): a request body before cJSON reads it, and
 * extras, which go into answers unchanged. Any bytes are safe; it does not recurse, and takes linear time. Pure; any
 * thread.
 *
 * cJSON accepts more than JSON (raw control characters, 01, 1., a byte order mark), cuts strings at \u0000, and needs
 * forty times the text's size for "[1,1,..". The rules for a body reject all of these. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { JSON_DEPTH_MAX = 65 };

struct json_rules {
    const char *name;    /* name of the text in messages */
    unsigned depth;      /* greatest nesting of brackets; at most JSON_DEPTH_MAX */
    size_t values;       /* greatest number of values; keys, lists and objects count too */
    bool has_blanks;     /* blanks and line ends may stand between values */
    bool is_without_nul; /* no string may contain \u0000 */
};

/* Checks valid UTF-8 text. Returns 0, ERR_BAD_REQUEST, naming the byte, for text that is not JSON or is
 * nested too deep, or ERR_BODY_TOO_LARGE for too many values. */
int json_check(const char *text, size_t size_bytes, const struct json_rules *rules, struct err *err);

/* True for JSON without blanks, as the importer writes extras, and at most JSON_DEPTH_MAX levels deep. */
bool json_is_compact(const char *text, size_t size_bytes);

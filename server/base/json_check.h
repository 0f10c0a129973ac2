/* json_check.h - whether hostile bytes are one JSON value (RFC 8259): of a body before cJSON reads it, and of extras,
 * which go into answers as they are. Total on any bytes, no recursion, linear. Pure; any thread.
 *
 * cJSON takes more than JSON (raw control characters, 01, 1., a byte order mark), cuts strings at \u0000, and spends
 * forty times a text's size on "[1,1,..". What passes here with rules for a body has none of that. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { JSON_DEPTH_MAX = 65 };

struct json_rules {
    const char *name;    /* of the text, in messages */
    unsigned depth;      /* levels of brackets, at most JSON_DEPTH_MAX */
    size_t values;       /* how many there may be; keys, lists and objects count as well */
    bool has_blanks;     /* blanks and line ends may stand between */
    bool is_without_nul; /* no string has \u0000 */
};

/* Of text that is UTF-8 already. Returns 0; ERR_BAD_REQUEST, naming the byte, for what is no JSON or too deep;
 * ERR_BODY_TOO_LARGE for too many values. */
int json_check(const char *text, size_t size_bytes, const struct json_rules *rules, struct err *err);

/* True for JSON without blanks, as the importer writes extras, of at most JSON_DEPTH_MAX levels. */
bool json_is_compact(const char *text, size_t size_bytes);

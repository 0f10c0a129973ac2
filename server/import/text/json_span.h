/* json_span.h - where the values of a cJSON tree are in the text that it was parsed from. The tree has numbers as
 * doubles; the text has every digit.
 *
 * A walk visits the members of an object or the items of an array together with their text, in the order of the text,
 * so that duplicates match as well. Linear in the text of the container, no recursion, no allocation; any thread.
 */
#pragma once

#include "base/buf.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/* The text of one value, without white space around it. */
struct json_span {
    const char *text;
    size_t size_bytes;
};

struct json_walk {
    const cJSON *next;
    const char *at, *end;
};

/* The text of a whole document: without the byte order mark and the white space before its first value. */
struct json_span json_span_of(const char *text, size_t size_bytes);
/* `container` was parsed from `source`, which json_parse() took. */
void json_walk_init(struct json_walk *walk, const cJSON *container, struct json_span source);
/* The next item and its text; false after the last one. */
bool json_walk_next(struct json_walk *walk, const cJSON **item, struct json_span *source);
/* The text of a member that json_member() gave. */
bool json_span_member(const cJSON *object, struct json_span object_source, const cJSON *member,
                      struct json_span *source);

/* Appends the value without white space between its parts. */
void json_span_compact(struct buf *out, struct json_span source);

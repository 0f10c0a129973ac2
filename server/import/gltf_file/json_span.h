/* json_span.h - where the values of a cJSON tree are in the text that it was parsed from. The tree stores numbers as
 * doubles; the text keeps every digit. No I/O; any thread. */
#pragma once

#include "base/buf.h"

#include <cjson/cJSON.h>

/* The text of one value, without white space around it. */
struct json_span {
    const char *text;
    size_t size_bytes;
};

/* Visits the members of an object or the items of an array together with their text. It follows the order of the text,
 * so duplicates match as well. Time is linear in the container's text; no recursion or allocation. */
struct json_walk {
    const cJSON *next;
    const char *at, *end;
};

/* Returns the text of a whole document: without the byte order mark and the white space before its first value. */
struct json_span json_span_of(const char *text, size_t size_bytes);
/* `container` was parsed from `source`. */
void json_walk_init(struct json_walk *walk, const cJSON *container, struct json_span source);
/* Finds the next item and its text; false after the last one. */
bool json_walk_next(struct json_walk *walk, const cJSON **item, struct json_span *source);
/* Returns the text of the next item's name with its quotes; only for objects. */
struct json_span json_walk_name(const struct json_walk *walk);
/* Finds the text of a member of an object, which may be NULL: then it returns false. */
bool json_span_member(const cJSON *object, struct json_span object_source, const cJSON *member,
                      struct json_span *source);
/* Appends the value without white space between its parts. */
void json_span_compact(struct buf *out, struct json_span source);
/* Returns the text of the first `count` items of a list, which may be NULL: of those that are not there it is empty.
 * The caller frees it. */
struct json_span *json_span_items(const cJSON *list, struct json_span list_span, uint32_t count);

/* name_map.h - rules that rename nodes before they are matched by name, for rigs whose joint names differ in a prefix
 * or entirely.
 *
 * A rule is the text "PATTERN=NAME", divided by the first '='. A '*' in the pattern matches any number of bytes, also
 * none; a '*' in the name is replaced by the same bytes. Comparison is by bytes. The first rule that matches a name
 * applies; a name that no rule matches stays. Pure; any thread. Texts are borrowed. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NAME_RULES_MAX = 256,
    NAME_RULE_BYTES_MAX = 1023,
    NAME_RULES_BYTES_MAX = 16384, /* total of all rules' texts with their NULs */
};

struct name_part {
    const char *text;
    uint32_t size_bytes;
};

/* The text before and after the '*'; without one, head is the whole text. */
struct name_side {
    struct name_part head, tail;
    bool has_star;
};

struct name_rule {
    const char *text; /* "PATTERN=NAME", NUL-terminated */
    uint32_t text_bytes;
    struct name_side pattern, name;
};

struct name_map {
    const struct name_rule *rules;
    uint32_t count; /* 0: no name changes */
};

/* A name as the concatenation of its parts; unused parts are empty. */
struct joined_name {
    struct name_part parts[3];
};

/* text: NUL-terminated. Returns 0, or ERR_BAD_PARAMETER naming the rule when it has no '=', an empty pattern or name, a
 * side with several '*', or a '*' only in the name. */
int name_rule_parse(struct name_rule *rule, const char *text, struct err *err);

/* Renames `name`. Returns the index of the rule that applies, or -1 when the name stays. The parts of *out point into
 * the rule and `name`. Takes a step for each rule. */
int32_t name_map_apply(const struct name_map *map, struct name_part name, struct joined_name *out);

static inline struct joined_name joined_name_of(struct name_part name) { return (struct joined_name){.parts = {name}}; }
static inline uint64_t joined_name_bytes(const struct joined_name *name)
{
    return (uint64_t)name->parts[0].size_bytes + name->parts[1].size_bytes + name->parts[2].size_bytes;
}
/* Copies the first bytes of a name, NUL-terminated, to `out`, which has size_bytes > 0. Returns out. */
const char *joined_name_put(const struct joined_name *name, char *out, size_t size_bytes);
/* Compares names by their bytes; 0 when equal. */
int joined_name_compare(const struct joined_name *a, const struct joined_name *b);

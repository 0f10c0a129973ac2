/* name_map.h - rules that give nodes other names before they are matched by name: for rigs whose joints differ in a
 * prefix, or in everything.
 *
 * A rule is the text "PATTERN=NAME": the first '=' divides it. A '*' in the pattern stands for any number of bytes,
 * also none; the same bytes stand where the name has its '*'. Bytes are compared as they are. The first rule that
 * matches a name is the one that holds; a name that no rule matches stays. Pure; any thread. Texts are borrowed. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NAME_RULES_MAX = 256,
    NAME_RULE_BYTES_MAX = 1023,
    NAME_RULES_BYTES_MAX = 16384, /* texts of all rules, with their NULs */
};

struct name_part {
    const char *text;
    uint32_t size_bytes;
};

/* What stands before and behind the '*'; without one all is before it. */
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
    uint32_t count; /* 0: every name stays */
};

/* A name in parts that follow each other; what is not used is empty. */
struct joined_name {
    struct name_part parts[3];
};

/* text: NUL-terminated. Returns 0, or ERR_BAD_PARAMETER, whose message names the rule: it has no '=', an empty pattern
 * or name, a side with several '*', or one in the name alone. */
int name_rule_parse(struct name_rule *rule, const char *text, struct err *err);

/* The name as the map has it. Returns the place of the rule that holds, or -1 where the name stays. The parts lie in
 * the rule and in `name`. Takes a step for each rule. */
int32_t name_map_apply(const struct name_map *map, struct name_part name, struct joined_name *out);

static inline struct joined_name joined_name_of(struct name_part name) { return (struct joined_name){.parts = {name}}; }
static inline uint64_t joined_name_bytes(const struct joined_name *name)
{
    return (uint64_t)name->parts[0].size_bytes + name->parts[1].size_bytes + name->parts[2].size_bytes;
}
/* Its first bytes, NUL-terminated; size_bytes: of out, > 0. Returns out. */
const char *joined_name_put(const struct joined_name *name, char *out, size_t size_bytes);
/* Orders names by their bytes; 0: they are equal. */
int joined_name_compare(const struct joined_name *a, const struct joined_name *b);

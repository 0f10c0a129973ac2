/* humanoid.h - maps the nodes of a model to the bones of a human. Pure; any thread.
 *
 * Roles are those of VRM 1.0 (protocol/humanoid/roles.def). A file with a VRM extension states them itself. For other
 * files there are tables of the joint names of common rigs (protocol/humanoid/maps.def). Comparison ignores case, the
 * characters '.', '_', '-' and blanks, which exporters drop and replace, and a namespace before ':'. */
#pragma once

#include "anim/model/model.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum humanoid_role {
#define X(symbol, word, above, is_required) ROLE_##symbol,
#include "protocol/humanoid/roles.def"
#undef X
    ROLE_COUNT,
    ROLE_NONE = -1,
};

/* The values of map=, besides "auto". */
enum humanoid_map {
    HUMANOID_AUTO, /* the file's own, else the table, or words, that find most of the required roles */
#define X(symbol, word, prefix) HUMANOID_##symbol,
#include "protocol/humanoid/maps.def"
#undef X
    HUMANOID_MAP_COUNT
};

struct humanoid {
    int32_t nodes[ROLE_COUNT]; /* each a different node, or -1 */
    const char *by;            /* of humanoid_find(): "file", "words" or the word of a table; NULL: nothing was found */
};

extern const char *const ROLE_WORDS[ROLE_COUNT];
extern const int8_t ROLE_ABOVE[ROLE_COUNT]; /* ROLE_NONE for the hips */
/* Returns the role of this name, ignoring case, or ROLE_NONE. */
int humanoid_role(const char *word, size_t size_bytes);

/* Assigns one joint to a role by name. joint: NUL-terminated; "-": the role has no joint. */
struct humanoid_rule {
    int32_t role;
    const char *joint;
};
enum { HUMANOID_NODES_MAX = 16384 };

struct humanoid_choice {
    uint32_t map; /* HUMANOID_; VRM: the file's own, where it has one */
    const struct humanoid_rule *rules;
    uint32_t rule_count;   /* rules come before the map; of two for a role the last wins */
    const char *parameter; /* of requests, that gives the rules: for messages; NULL: bones */
};

/* Fills *humanoid. Returns 0, ERR_JOINT_NOT_FOUND or ERR_AMBIGUOUS_NAME for a rule's joint, or ERR_NO_HUMANOID, naming
 * what is missing: a human has the hips and both legs, and a model of at most HUMANOID_NODES_MAX nodes. */
int humanoid_find(const struct model *model, const struct humanoid_choice *choice, struct humanoid *humanoid,
                  struct err *err);

/* The same for names of nodes and for looks: the file's own, or, in a model of at most 1024 nodes, by the names of its
 * joints. False: the model has none. */
bool humanoid_of_model(const struct model *model, struct humanoid *humanoid);

/* True for a role that VRM 1.0 requires. */
bool humanoid_is_required(int role);

/* Checks that each joint is below the joint of the role above; feet may be loose. Removes optional roles that are not;
 * returns ERR_NO_HUMANOID for required ones. */
int humanoid_check_order(const struct model *model, struct humanoid *humanoid, struct err *err);

/* True for a foot that hangs below no joint with a role, as in rigs whose feet lead the legs: the joint of the lower
 * leg carries it. */
bool humanoid_foot_is_loose(const struct model *model, const struct humanoid *humanoid, int role);

/* True when all roles that retargeting requires are there, and no node has two roles. nodes: [ROLE_COUNT], -1 for none.
 */
bool humanoid_is_enough(const int32_t *nodes);
/* True when no role is there. nodes: as above. */
bool humanoid_is_none(const int32_t *nodes);

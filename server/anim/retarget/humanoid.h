/* humanoid.h - which node of a model is which bone of a human. Pure; any thread.
 *
 * Roles are those of VRM 1.0 (protocol/humanoid/roles.def). A file with a VRM extension says them itself; for others
 * there are tables of the joint names of common rigs (protocol/humanoid/maps.def). Names are compared without regard
 * to case, to '.', '_', '-' and blanks, which exporters drop and replace, and to a namespace before ':'. */
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

/* Words of map=, behind "auto". */
enum humanoid_map {
    HUMANOID_AUTO, /* what the file says, else the table that has most of the required roles */
#define X(symbol, word, prefix) HUMANOID_##symbol,
#include "protocol/humanoid/maps.def"
#undef X
    HUMANOID_MAP_COUNT
};

struct humanoid {
    int32_t nodes[ROLE_COUNT]; /* each another one, or -1 */
};

extern const char *const ROLE_WORDS[ROLE_COUNT];
extern const int8_t ROLE_ABOVE[ROLE_COUNT]; /* ROLE_NONE: of the hips */
/* ROLE_NONE: there is no role of this name. Case does not count. */
int humanoid_role(const char *word, size_t size_bytes);

/* One joint by name. joint: NUL-terminated; "-": none has the role. */
struct humanoid_rule {
    int32_t role;
    const char *joint;
};
enum { HUMANOID_NODES_MAX = 16384 };

struct humanoid_choice {
    uint32_t map; /* HUMANOID_; VRM: the file's own where it has one */
    const struct humanoid_rule *rules;
    uint32_t rule_count; /* they hold before the map; of two for a role the last */
};

/* Fills *humanoid. Returns 0, ERR_JOINT_NOT_FOUND or ERR_AMBIGUOUS_NAME for a rule's joint, or ERR_NO_HUMANOID, naming
 * what is missing: retargeting needs the hips and both legs, and a model of HUMANOID_NODES_MAX nodes at most. */
int humanoid_find(const struct model *model, const struct humanoid_choice *choice, struct humanoid *humanoid,
                  struct err *err);

/* Whether the humanoid can be moved as one: each joint hangs somewhere below that of the role above. Takes out optional
 * roles of which that is not true; for required ones returns ERR_NO_HUMANOID. */
int humanoid_check_order(const struct model *model, struct humanoid *humanoid, struct err *err);

/* True when the roles without which nothing can be retargeted are there, and no node has two. nodes: [ROLE_COUNT], or
 * -1 each. */
bool humanoid_is_enough(const int32_t *nodes);

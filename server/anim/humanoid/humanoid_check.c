/* humanoid_check.c - finds roles that are missing, or at joints where they cannot be. */
#include "anim/humanoid/humanoid_internal.h"

#include <stdio.h>
#include <string.h>

static const bool IS_REQUIRED[ROLE_COUNT] = {
#define X(symbol, word, above, is_required) [ROLE_##symbol] = is_required,
#include "protocol/humanoid/roles.def"
#undef X
};

/* The roles that retargeting requires. */
static const int8_t NEEDED[] = {ROLE_HIPS,      ROLE_LEFT_UPPER_LEG,  ROLE_LEFT_LOWER_LEG,
                                ROLE_LEFT_FOOT, ROLE_RIGHT_UPPER_LEG, ROLE_RIGHT_LOWER_LEG,
                                ROLE_RIGHT_FOOT};
enum { NEEDED_COUNT = sizeof NEEDED / sizeof *NEEDED };

static bool is_below(const struct model *model, int32_t node, int32_t above)
{
    int32_t n = model->nodes[node].parent;
    while (n >= 0 && n != above)
        n = model->nodes[n].parent;
    return n >= 0;
}

/* Returns the nearest role above that the rig has. */
static int above_of(const struct humanoid *humanoid, int role)
{
    int above = ROLE_ABOVE[role];
    while (above >= 0 && humanoid->nodes[above] < 0)
        above = ROLE_ABOVE[above];
    return above;
}

/* Returns the first role up to `last` that has this node. */
static int find_role(const int32_t *nodes, int last, int32_t node)
{
    int role = 0;
    while (role < last && nodes[role] != node)
        role++;
    return role;
}

bool humanoid_is_required(int role) { return IS_REQUIRED[role]; }

bool humanoid_has(const struct humanoid *humanoid, int32_t node)
{
    return find_role(humanoid->nodes, ROLE_COUNT, node) < ROLE_COUNT;
}

bool humanoid_is_enough(const int32_t *nodes)
{
    bool is_enough = true;
    for (int i = 0; i < NEEDED_COUNT; i++)
        is_enough = is_enough && nodes[NEEDED[i]] >= 0;
    for (int role = 0; role < ROLE_COUNT; role++)
        is_enough = is_enough && (nodes[role] < 0 || find_role(nodes, role, nodes[role]) == role);
    return is_enough;
}

bool humanoid_is_none(const int32_t *nodes)
{
    bool is_none = true;
    for (int role = 0; role < ROLE_COUNT; role++)
        is_none = is_none && nodes[role] < 0;
    return is_none;
}

void humanoid_drop_doubles(struct humanoid *humanoid)
{
    for (int role = 0; role < ROLE_COUNT; role++)
        if (find_role(humanoid->nodes, role, humanoid->nodes[role]) < role)
            humanoid->nodes[role] = -1;
}

/* Returns the only child of a node, or -1. */
static int32_t only_child(const struct model *model, int32_t node)
{
    int32_t child = -1;
    uint32_t count = 0;
    for (uint32_t n = 0; n < model->node_count && node >= 0; n++)
        if (model->nodes[n].parent == node) {
            child = (int32_t)n;
            count++;
        }
    return count == 1 ? child : -1;
}

/* Returns a joint that may be the bone, by the bones beside it; -1: none. */
static int32_t guess(const struct model *model, const struct humanoid *humanoid, int role)
{
    const int32_t *nodes = humanoid->nodes;
    int32_t node = -1;
    if (role == ROLE_HIPS)
        node = nodes[ROLE_LEFT_UPPER_LEG] < 0 ? -1 : model->nodes[nodes[ROLE_LEFT_UPPER_LEG]].parent;
    else if (role == ROLE_LEFT_UPPER_LEG || role == ROLE_RIGHT_UPPER_LEG)
        node = nodes[role + 1] < 0 ? -1 : model->nodes[nodes[role + 1]].parent;
    else
        node = only_child(model, nodes[role - 1]);
    return node >= 0 && !humanoid_has(humanoid, node) && model->nodes[node].name.offset != STR_NONE ? node : -1;
}

int humanoid_check_needed(const struct model *model, const struct humanoid_choice *choice,
                          const struct humanoid *humanoid, struct err *err)
{
    char missing[256] = "", name[SHORT_NAME_SIZE] = "JOINT";
    const char *parameter = choice->parameter == NULL ? "bones" : choice->parameter;
    size_t at = 0;
    int count = 0, hinted = ROLE_NONE;
    for (int i = 0; i < NEEDED_COUNT; i++) {
        const int role = NEEDED[i];
        if (humanoid->nodes[role] >= 0)
            continue;
        at += (size_t)snprintf(missing + at, sizeof missing - at, "%s%s", count == 0 ? "" : ", ", ROLE_WORDS[role]);
        const int32_t node = strcmp(name, "JOINT") == 0 ? guess(model, humanoid, role) : -1;
        if (node >= 0)
            short_name(model, model->nodes[node].name, name);
        hinted = node >= 0 || count == 0 ? role : hinted;
        count++;
    }
    return count == 0 ? 0
                      : err_set(err, ERR_NO_HUMANOID,
                                "%s %s unknown; the bones of a human need the hips and both legs: %s=%s=%s", missing,
                                count == 1 ? "is" : "are", parameter, ROLE_WORDS[hinted], name);
}

bool humanoid_foot_is_loose(const struct model *model, const struct humanoid *humanoid, int role)
{
    const int32_t node = humanoid->nodes[role], hips = humanoid->nodes[ROLE_HIPS];
    if ((role != ROLE_LEFT_FOOT && role != ROLE_RIGHT_FOOT) || node < 0)
        return false;
    int32_t n = model->nodes[node].parent;
    while (n >= 0 && !humanoid_has(humanoid, n))
        n = model->nodes[n].parent;
    return n < 0 && (hips < 0 || !is_below(model, hips, node));
}

int humanoid_check_order(const struct model *model, struct humanoid *humanoid, struct err *err)
{
    char name[SHORT_NAME_SIZE], other[SHORT_NAME_SIZE];
    for (int role = 0; role < ROLE_COUNT; role++) {
        const int above = above_of(humanoid, role);
        const int32_t node = humanoid->nodes[role];
        if (node < 0 || above < 0 || is_below(model, node, humanoid->nodes[above]))
            continue;
        if (humanoid_foot_is_loose(model, humanoid, role))
            continue;
        if (IS_REQUIRED[role])
            return err_set(err, ERR_NO_HUMANOID, "joint '%s' (%s) does not hang below joint '%s' (%s)",
                           short_name(model, model->nodes[node].name, name), ROLE_WORDS[role],
                           short_name(model, model->nodes[humanoid->nodes[above]].name, other), ROLE_WORDS[above]);
        humanoid->nodes[role] = -1;
    }
    return 0;
}

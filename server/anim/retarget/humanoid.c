/* humanoid.c - takes the roles from the file, a table or rules, and reports those that are missing. */
#include "anim/retarget/humanoid.h"

#include "anim/retarget/alike_names.h"
#include "anim/retarget/role_words.h"
#include "base/ascii.h"

#include <stdio.h>
#include <string.h>

const char *const ROLE_WORDS[ROLE_COUNT] = {
#define X(symbol, word, above, is_required) [ROLE_##symbol] = word,
#include "protocol/humanoid/roles.def"
#undef X
};
const int8_t ROLE_ABOVE[ROLE_COUNT] = {
#define X(symbol, word, above, is_required) [ROLE_##symbol] = ROLE_##above,
#include "protocol/humanoid/roles.def"
#undef X
};
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

int humanoid_role(const char *word, size_t size_bytes)
{
    for (int role = 0; role < ROLE_COUNT; role++) {
        size_t i = 0;
        while (i < size_bytes && ascii_lower(word[i]) == ascii_lower(ROLE_WORDS[role][i]) && word[i] != '\0')
            i++;
        if (i == size_bytes && ROLE_WORDS[role][i] == '\0')
            return role;
    }
    return ROLE_NONE;
}

/* --- roles that a file states --- */

static void clear(struct humanoid *humanoid)
{
    humanoid->by = NULL;
    for (int role = 0; role < ROLE_COUNT; role++)
        humanoid->nodes[role] = -1;
}

/* VRM 0 names the three bones of a thumb like those of other fingers: its intermediate is now called proximal. */
static void name_thumbs(const struct model *model, struct humanoid *humanoid)
{
    static const struct {
        const char *word;
        int8_t first;
    } THUMBS[] = {{"leftThumbIntermediate", ROLE_LEFT_THUMB_METACARPAL},
                  {"rightThumbIntermediate", ROLE_RIGHT_THUMB_METACARPAL}};
    for (uint32_t i = 0; i < model->humanoid_bone_count; i++) {
        const struct humanoid_bone *bone = &model->humanoid_bones[i];
        for (int side = 0; side < 2; side++) {
            const size_t size = strlen(THUMBS[side].word);
            if (bone->name.size_bytes != size || memcmp(model->text + bone->name.offset, THUMBS[side].word, size) != 0)
                continue;
            int32_t *thumb = &humanoid->nodes[THUMBS[side].first];
            thumb[0] = thumb[1];
            thumb[1] = (int32_t)bone->node;
        }
    }
}

static void take_from_file(const struct model *model, struct humanoid *humanoid)
{
    for (uint32_t i = 0; i < model->humanoid_bone_count; i++) {
        const struct humanoid_bone *bone = &model->humanoid_bones[i];
        const int role = humanoid_role(model->text + bone->name.offset, bone->name.size_bytes);
        if (role >= 0)
            humanoid->nodes[role] = (int32_t)bone->node;
    }
    name_thumbs(model, humanoid);
}

/* --- tables --- */

struct row {
    int8_t role;
    const char *joint;
};
#define X(symbol, joint) {ROLE_##symbol, joint},
static const struct row VRM_ROWS[] = {
#include "protocol/humanoid/vrm.def"
};
static const struct row MIXAMO_ROWS[] = {
#include "protocol/humanoid/mixamo.def"
};
static const struct row UNREAL_ROWS[] = {
#include "protocol/humanoid/unreal.def"
};
static const struct row RIGIFY_ROWS[] = {
#include "protocol/humanoid/rigify.def"
};
#undef X

struct table {
    const struct row *rows;
    size_t row_count;
    const char *word, *prefix;
};
static const struct table TABLES[HUMANOID_MAP_COUNT] = {
    [HUMANOID_AUTO] = {NULL, 0, "auto", ""},
#define X(symbol, word, prefix)                                                                                        \
    [HUMANOID_##symbol] = {symbol##_ROWS, sizeof symbol##_ROWS / sizeof *symbol##_ROWS, word, prefix},
#include "protocol/humanoid/maps.def"
#undef X
};

static bool is_taken(const struct humanoid *humanoid, int32_t node)
{
    bool is_found = false;
    for (int role = 0; role < ROLE_COUNT; role++)
        is_found = is_found || humanoid->nodes[role] == node;
    return is_found;
}

static void take_from_table(const struct alike_names *names, const struct table *table, const char *prefix,
                            struct humanoid *humanoid)
{
    clear(humanoid);
    for (size_t i = 0; i < table->row_count; i++) {
        const struct row *row = &table->rows[i];
        if (humanoid->nodes[row->role] >= 0)
            continue;
        const int32_t node = alike_names_find(names, prefix, row->joint, strlen(row->joint));
        if (node >= 0 && !is_taken(humanoid, node))
            humanoid->nodes[row->role] = node;
    }
}

/* A required role counts more than all optional ones together. */
static int count_roles(const struct humanoid *humanoid)
{
    int count = 0;
    for (int role = 0; role < ROLE_COUNT; role++)
        count += humanoid->nodes[role] < 0 ? 0 : IS_REQUIRED[role] ? ROLE_COUNT : 1;
    return count;
}

static bool has_needed(const struct humanoid *humanoid)
{
    bool is_enough = true;
    for (int i = 0; i < NEEDED_COUNT; i++)
        is_enough = is_enough && humanoid->nodes[NEEDED[i]] >= 0;
    return is_enough;
}

static void take_from_tables(const struct alike_names *names, uint32_t map, struct humanoid *humanoid)
{
    const uint32_t first = map == HUMANOID_AUTO ? HUMANOID_AUTO + 1 : map;
    const uint32_t end = map == HUMANOID_AUTO ? HUMANOID_MAP_COUNT : map + 1;
    int best = 0;
    for (uint32_t t = first; t < end; t++) {
        const char *const prefixes[] = {TABLES[t].prefix, ""};
        for (int p = 0; p < (TABLES[t].prefix[0] == '\0' ? 1 : 2); p++) {
            struct humanoid found;
            take_from_table(names, &TABLES[t], prefixes[p], &found);
            const int count = count_roles(&found);
            found.by = TABLES[t].word;
            if (count > best)
                *humanoid = found;
            best = count > best ? count : best;
        }
    }
    if (map != HUMANOID_AUTO || has_needed(humanoid)) /* words are for rigs that no table knows */
        return;
    struct humanoid found;
    role_words_find(names->model, &found);
    found.by = "words";
    if (count_roles(&found) > best)
        *humanoid = found;
}

/* --- rules --- */

static bool has_name(const struct model *model, uint32_t node, const char *name)
{
    const struct str own = model->nodes[node].name;
    return own.offset != STR_NONE && own.size_bytes == strlen(name) &&
           memcmp(model->text + own.offset, name, own.size_bytes) == 0;
}

/* Finds a joint by its exact name, else by a similar one. */
static int32_t find_joint(const struct alike_names *names, const char *joint)
{
    int32_t found = ALIKE_NONE;
    for (uint32_t n = 0; n < names->model->node_count; n++)
        if (has_name(names->model, n, joint))
            found = found == ALIKE_NONE ? (int32_t)n : ALIKE_MANY;
    return found == ALIKE_NONE ? alike_names_find(names, "", joint, strlen(joint)) : found;
}

static int take_rules(const struct alike_names *names, const struct humanoid_choice *choice, struct humanoid *humanoid,
                      struct err *err)
{
    for (uint32_t i = 0; i < choice->rule_count; i++) {
        const struct humanoid_rule *rule = &choice->rules[i];
        const int32_t node = strcmp(rule->joint, "-") == 0 ? -1 : find_joint(names, rule->joint);
        if (node == ALIKE_MANY)
            return err_set(err, ERR_AMBIGUOUS_NAME, "several nodes are called '%.200s', which is to be the %s",
                           rule->joint, ROLE_WORDS[rule->role]);
        if (node < 0 && strcmp(rule->joint, "-") != 0)
            return err_set(err, ERR_JOINT_NOT_FOUND, "no node is called '%.200s', which is to be the %s", rule->joint,
                           ROLE_WORDS[rule->role]);
        for (int role = 0; role < ROLE_COUNT; role++)
            if (node >= 0 && humanoid->nodes[role] == node)
                humanoid->nodes[role] = -1;
        humanoid->nodes[rule->role] = node;
    }
    return 0;
}

/* --- missing roles --- */

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

bool humanoid_is_enough(const int32_t *nodes)
{
    bool is_enough = true;
    for (int i = 0; i < NEEDED_COUNT; i++)
        is_enough = is_enough && nodes[NEEDED[i]] >= 0;
    for (int role = 0; role < ROLE_COUNT; role++)
        is_enough = is_enough && (nodes[role] < 0 || find_role(nodes, role, nodes[role]) == role);
    return is_enough;
}

/* Where a file gives one node several roles, keeps the first. */
static void drop_doubles(struct humanoid *humanoid)
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
    return node >= 0 && !is_taken(humanoid, node) && model->nodes[node].name.offset != STR_NONE ? node : -1;
}

static int check_needed(const struct model *model, const struct humanoid *humanoid, struct err *err)
{
    char missing[256] = "", name[SHORT_NAME_SIZE] = "JOINT";
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
                                "no joint is known as %s: retargeting by rest poses needs the hips and both legs; for "
                                "example %s=%s",
                                missing, ROLE_WORDS[hinted], name);
}

int humanoid_check_order(const struct model *model, struct humanoid *humanoid, struct err *err)
{
    char name[SHORT_NAME_SIZE], other[SHORT_NAME_SIZE];
    for (int role = 0; role < ROLE_COUNT; role++) {
        const int above = above_of(humanoid, role);
        const int32_t node = humanoid->nodes[role];
        if (node < 0 || above < 0 || is_below(model, node, humanoid->nodes[above]))
            continue;
        if (IS_REQUIRED[role])
            return err_set(err, ERR_NO_HUMANOID, "joint '%s' (%s) does not hang below joint '%s' (%s)",
                           short_name(model, model->nodes[node].name, name), ROLE_WORDS[role],
                           short_name(model, model->nodes[humanoid->nodes[above]].name, other), ROLE_WORDS[above]);
        humanoid->nodes[role] = -1;
    }
    return 0;
}

int humanoid_find(const struct model *model, const struct humanoid_choice *choice, struct humanoid *humanoid,
                  struct err *err)
{
    const bool is_own = model->humanoid_bone_count > 0 && choice->map <= HUMANOID_VRM;
    struct alike_names names;
    clear(humanoid);
    if (model->node_count > HUMANOID_NODES_MAX)
        return err_set(err, ERR_NO_HUMANOID, "it has %u nodes; the bones of a human are looked for among %d at most",
                       model->node_count, HUMANOID_NODES_MAX);
    alike_names_init(&names, model);
    if (is_own) {
        take_from_file(model, humanoid);
        humanoid->by = "file";
    } else {
        take_from_tables(&names, choice->map, humanoid);
    }
    const int rc = take_rules(&names, choice, humanoid, err);
    alike_names_fini(&names);
    drop_doubles(humanoid);
    return rc < 0 ? rc : check_needed(model, humanoid, err);
}

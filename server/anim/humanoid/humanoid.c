/* humanoid.c - takes the roles from the file, the names of its joints, or rules. */
#include "anim/humanoid/humanoid_internal.h"

#include "base/ascii.h"

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

void humanoid_clear(struct humanoid *humanoid)
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

int humanoid_find(const struct model *model, const struct humanoid_choice *choice, struct humanoid *humanoid,
                  struct err *err)
{
    const bool is_own = model->humanoid_bone_count > 0 && choice->map <= HUMANOID_VRM;
    struct alike_names names;
    humanoid_clear(humanoid);
    if (model->node_count > HUMANOID_NODES_MAX)
        return err_set(err, ERR_NO_HUMANOID, "it has %u nodes; the bones of a human are looked for among %d at most",
                       model->node_count, HUMANOID_NODES_MAX);
    alike_names_init(&names, model);
    if (is_own) {
        take_from_file(model, humanoid);
        humanoid->by = "file";
    } else {
        humanoid_take_by_names(&names, choice->map, humanoid);
    }
    const int rc = take_rules(&names, choice, humanoid, err);
    alike_names_fini(&names);
    humanoid_drop_doubles(humanoid);
    return rc < 0 ? rc : humanoid_check_needed(model, choice, humanoid, err);
}

bool humanoid_of_model(const struct model *model, struct humanoid *humanoid)
{
    enum { NODES_MAX = 1024 }; /* to look for roles by names takes long in a large model */
    const struct humanoid_choice choice = {.map = HUMANOID_AUTO};
    struct err err;
    return (model->humanoid_bone_count > 0 || model->node_count <= NODES_MAX) &&
           humanoid_find(model, &choice, humanoid, &err) == 0;
}

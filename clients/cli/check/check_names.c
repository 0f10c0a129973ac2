/* Applies the rules about names: duplicate names, and names that must exist. */
#include "clients/cli/check/check.h"

#include "clients/cli/server/pattern.h"

#include "base/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct names {
    const char **at; /* of all things that have one */
    size_t count;
};

static void add_name(struct names *names, const cJSON *thing)
{
    if (member_text(thing, "name")[0] != '\0')
        names->at[names->count++] = member_text(thing, "name");
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* Reports duplicate names. Sorts the names. */
static void check_duplicates(const struct inspection *model, struct names *names, enum rule_id rule, const char *what,
                             const char *which)
{
    if (names->count > 0)
        qsort(names->at, names->count, sizeof *names->at, by_text);
    for (size_t i = 0, next; i < names->count; i = next) {
        struct subject subject;
        for (next = i + 1; next < names->count && strcmp(names->at[next], names->at[i]) == 0; next++)
            ;
        snprintf(subject.text, sizeof subject.text, "%s '%s'", what, names->at[i]);
        if (next - i > 1)
            findings_add(model, rule, subject.text, "%zu %s have the name '%s'", next - i, which, names->at[i]);
    }
}

/* --- names that must be there --- */

/* Reports a pattern that no name matches, and suggests a similar name. */
static void check_required(const struct inspection *model, const char *pattern, const struct names *names,
                           enum rule_id rule, const char *what)
{
    struct nearest nearest = NEAREST_NONE;
    const char *meant = NULL;
    struct subject subject;
    for (size_t i = 0; i < names->count; i++) {
        if (pattern_matches_name(pattern, names->at[i], false))
            return;
        if (meant == NULL && pattern_matches_name(pattern, names->at[i], true))
            meant = names->at[i];
        nearest_consider(&nearest, names->at[i], pattern, strlen(pattern));
    }
    meant = meant == NULL ? nearest.name : meant;
    snprintf(subject.text, sizeof subject.text, "%s '%s'", what, pattern);
    findings_add(model, rule, subject.text, "the model has no %s '%s'%s%s%s", what, pattern,
                 meant != NULL ? ", but '" : "", meant != NULL ? meant : "", meant != NULL ? "'" : "");
}

static void check_all_required(const struct inspection *model, enum key_id key, const struct names *names,
                               enum rule_id rule, const char *what)
{
    const cJSON *pattern;
    cJSON_ArrayForEach(pattern, model->rules->values[key])
        check_required(model, pattern->valuestring, names, rule, what);
}

void check_names(const struct inspection *model)
{
    const cJSON *clips = json_get(model->model, "clips"), *clip;
    const size_t capacity = model->node_count + (size_t)cJSON_GetArraySize(clips) + 1;
    struct names names = {.at = must_alloc(capacity * sizeof *names.at)};
    bool has_joints = false;
    cJSON_ArrayForEach(clip, clips) add_name(&names, clip);
    check_duplicates(model, &names, RULE_DUPLICATE_CLIP, "clip", "clips");
    check_all_required(model, KEY_REQUIRED_CLIPS, &names, RULE_CLIP_MISSING, "clip");
    for (size_t i = 0; i < model->node_count; i++)
        has_joints |= model->is_joint[i];
    for (int joints = 1; joints >= 0; joints--) {
        names.count = 0;
        for (size_t i = 0; i < model->node_count; i++)
            if (model->is_joint[i] == (joints == 1))
                add_name(&names, model->nodes[i]);
        check_duplicates(model, &names, joints == 1 ? RULE_DUPLICATE_JOINT : RULE_DUPLICATE_NODE,
                         joints == 1 ? "joint" : "node", joints == 1 ? "joints" : "nodes");
        if (has_joints == (joints == 1)) /* a file of clips only has no skin that says which nodes are joints */
            check_all_required(model, KEY_REQUIRED_JOINTS, &names, RULE_JOINT_MISSING, "joint");
    }
    free(names.at);
}

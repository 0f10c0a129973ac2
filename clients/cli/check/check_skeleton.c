/* Applies the rule skeleton-differs: it compares a model's joints with those of reference_skeleton. */
#include "clients/cli/check/check.h"

#include "clients/cli/check/skeleton.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    const struct skeleton *own, *reference;
    bool *is_own_common, *is_reference_common; /* joints whose name occurs in both */
};

static bool *find_common(const struct skeleton *of, const struct skeleton *other)
{
    bool *is_common = must_alloc(of->count + 1);
    for (size_t i = 0; i < of->count; i++)
        is_common[i] = skeleton_find(other, of->joints[i].name) >= 0;
    return is_common;
}

/* Returns the name of the nearest joint above that both skeletons have, or NULL. An extra joint between two common ones
 * is therefore reported only once. */
static const char *parent_name(const struct skeleton *skeleton, const bool *is_common, size_t joint)
{
    int64_t at = skeleton->joints[joint].parent;
    while (at >= 0 && !is_common[at])
        at = skeleton->joints[at].parent;
    return at < 0 ? NULL : skeleton->joints[at].name;
}

static bool is_same(const char *a, const char *b) { return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0); }

static void check_parent(const struct inspection *model, const struct pair *pair, size_t joint, const char *subject)
{
    const char *name = pair->own->joints[joint].name;
    const size_t partner = (size_t)skeleton_find(pair->reference, name);
    const char *own = parent_name(pair->own, pair->is_own_common, joint);
    const char *reference = parent_name(pair->reference, pair->is_reference_common, partner);
    if (is_same(own, reference))
        return;
    if (own == NULL)
        findings_add(model, RULE_SKELETON_DIFFERS, subject, "joint '%s' has no parent, but '%s' in %s", name, reference,
                     pair->reference->path);
    else
        findings_add(model, RULE_SKELETON_DIFFERS, subject, "joint '%s' has the parent '%s', %s%s%s in %s", name, own,
                     reference == NULL ? "but none" : "but '", reference == NULL ? "" : reference,
                     reference == NULL ? "" : "'", pair->reference->path);
}

static struct subject subject_of_joint(const char *name)
{
    struct subject subject;
    snprintf(subject.text, sizeof subject.text, "joint '%s'", name);
    return subject;
}

static void compare(const struct inspection *model, const struct pair *pair)
{
    const struct skeleton *own = pair->own, *reference = pair->reference;
    for (size_t i = 0; i < reference->count; i++)
        if (!pair->is_reference_common[i])
            findings_add(model, RULE_SKELETON_DIFFERS, subject_of_joint(reference->joints[i].name).text,
                         "joint '%s' of %s is missing", reference->joints[i].name, reference->path);
    for (size_t i = 0; i < own->count; i++) {
        const char *name = own->joints[i].name;
        if (pair->is_own_common[i] && skeleton_find(own, name) == (int64_t)i) /* one of several is compared */
            check_parent(model, pair, i, subject_of_joint(name).text);
        else if (!pair->is_own_common[i] && own->has_skins) /* without skins, nodes need not be joints */
            findings_add(model, RULE_SKELETON_DIFFERS, subject_of_joint(name).text, "joint '%s' is not in %s", name,
                         reference->path);
    }
}

void check_skeleton(const struct inspection *model)
{
    const struct skeleton *reference = model->rules->reference;
    if (reference == NULL || model->rules->severities[RULE_SKELETON_DIFFERS] == SEVERITY_OFF)
        return;
    struct skeleton *own = skeleton_of(model, model->source);
    if (own->count == 0)
        findings_add(model, RULE_SKELETON_DIFFERS, "skeleton", "the model has no joints, but %s has %zu",
                     reference->path, reference->count);
    else {
        struct pair pair = {own, reference, find_common(own, reference), find_common(reference, own)};
        compare(model, &pair);
        free(pair.is_own_common);
        free(pair.is_reference_common);
    }
    skeleton_free(own);
}

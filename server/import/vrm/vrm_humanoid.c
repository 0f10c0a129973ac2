/* vrm_humanoid.c - maps human bones to nodes (vrm-specification, "humanoid"). */
#include "import/vrm/vrm_internal.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 40 };

/* One bone with the number of its node. */
struct bone {
    const char *name;
    uint32_t node;
};

struct bones {
    struct bone items[HUMANOID_BONES_MAX];
    uint32_t count;
    bool is_cut; /* some are left out */
};

/* The specification's names consist of letters, so different names stay different in the model. */
static bool is_name(const char *name)
{
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const size_t size = name == NULL ? 0 : strlen(name);
    return size > 0 && size <= NAME_MAX_BYTES && strspn(name, LETTERS) == size;
}

static void add(const struct vrm *vrm, struct bones *bones, const char *name, const cJSON *bone)
{
    struct bone made = {.name = name};
    if (bones->count == HUMANOID_BONES_MAX || !is_name(name) || !vrm_index(bone, "node", vrm->node_count, &made.node))
        bones->is_cut = true;
    else
        bones->items[bones->count++] = made;
}

/* VRM 0 has a list of bones, the later ones an object of them. */
static void find_bones(const struct vrm *vrm, struct bones *bones)
{
    const cJSON *list = vrm_member(vrm_member(vrm->extension, "humanoid"), "humanBones");
    for (const cJSON *bone = cJSON_IsObject(list) || cJSON_IsArray(list) ? list->child : NULL; bone != NULL;
         bone = bone->next)
        add(vrm, bones, cJSON_IsObject(list) ? bone->string : cJSON_GetStringValue(vrm_member(bone, "bone")), bone);
}

static int by_name(const void *a, const void *b)
{
    const struct bone *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->node > y->node) - (x->node < y->node);
}

int vrm_read_humanoid(const struct vrm *vrm, struct err *err)
{
    struct bones bones = {0};
    find_bones(vrm, &bones);
    qsort(bones.items, bones.count, sizeof *bones.items, by_name);
    const char *last = NULL;
    for (uint32_t i = 0; i < bones.count; i++) {
        const struct bone *bone = &bones.items[i];
        if (last != NULL && strcmp(last, bone->name) == 0) {
            bones.is_cut = true;
            continue;
        }
        const struct humanoid_bone made = {.name = bake_textz(vrm->builder, bone->name), .node = bone->node};
        if (import_put_humanoid_bone(vrm->import, &made, err) < 0)
            return err->code;
        last = bone->name;
    }
    if (bones.is_cut)
        bake_warn(vrm->builder, "humanoid_bones_ignored",
                  "bones of a human that are no nodes, or come twice, are left out");
    return 0;
}

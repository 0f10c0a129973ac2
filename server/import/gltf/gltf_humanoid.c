/* gltf_humanoid.c - maps human bones to nodes: VRM 0 (extension VRM) and VRM 1 (VRMC_vrm), vrm-specification,
 * "humanoid". */
#include "import/gltf/gltf.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 40 };

/* One bone with the number of its node. */
struct bone {
    const char *name;
    const cJSON *node;
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

static bool is_node(const struct gltf *gltf, const cJSON *node)
{
    return cJSON_IsNumber(node) && node->valuedouble >= 0 && node->valuedouble < gltf->lists[GLTF_NODES].count &&
           node->valuedouble == (double)(uint32_t)node->valuedouble;
}

static void add(const struct gltf *gltf, struct bones *bones, const char *name, const cJSON *bone)
{
    const cJSON *node = cJSON_IsObject(bone) ? json_member(bone, "node") : NULL;
    if (bones->count == HUMANOID_BONES_MAX || !is_name(name) || !is_node(gltf, node))
        bones->is_cut = true;
    else
        bones->items[bones->count++] = (struct bone){name, node};
}

/* The schema lists neither extension: a file with a broken humanoid is still a model. */
static void find_bones(const struct gltf *gltf, struct bones *bones)
{
    const cJSON *extensions = json_member(gltf->root, "extensions");
    const cJSON *vrm1 = cJSON_IsObject(extensions) ? json_member(extensions, "VRMC_vrm") : NULL;
    const cJSON *vrm = vrm1 != NULL ? vrm1 : cJSON_IsObject(extensions) ? json_member(extensions, "VRM") : NULL;
    const cJSON *humanoid = cJSON_IsObject(vrm) ? json_member(vrm, "humanoid") : NULL;
    const cJSON *list = cJSON_IsObject(humanoid) ? json_member(humanoid, "humanBones") : NULL;
    for (const cJSON *bone = cJSON_IsObject(list) || cJSON_IsArray(list) ? list->child : NULL; bone != NULL;
         bone = bone->next)
        add(gltf, bones, cJSON_IsObject(list) ? bone->string : cJSON_GetStringValue(json_member(bone, "bone")), bone);
}

static int by_name(const void *a, const void *b)
{
    const struct bone *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order != 0 ? order
                      : (x->node->valuedouble > y->node->valuedouble) - (x->node->valuedouble < y->node->valuedouble);
}

int gltf_read_humanoid(struct gltf *gltf, struct err *err)
{
    struct bones bones = {0};
    find_bones(gltf, &bones);
    qsort(bones.items, bones.count, sizeof *bones.items, by_name);
    const char *last = NULL;
    for (uint32_t i = 0; i < bones.count; i++) {
        const struct bone *bone = &bones.items[i];
        if (last != NULL && strcmp(last, bone->name) == 0) {
            bones.is_cut = true;
            continue;
        }
        const struct humanoid_bone made = {.name = bake_textz(gltf->builder, bone->name),
                                           .node = (uint32_t)bone->node->valuedouble};
        if (import_put_humanoid_bone(gltf->import, &made, err) < 0)
            return err->code;
        last = bone->name;
    }
    if (bones.is_cut)
        bake_warn(gltf->builder, "humanoid_bones_ignored",
                  "bones of a human that are no nodes, or come twice, are left out");
    return 0;
}

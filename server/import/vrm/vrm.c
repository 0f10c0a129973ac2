#include "import/vrm/vrm_internal.h"

#include <math.h>

const cJSON *vrm_member(const cJSON *object, const char *name)
{
    return cJSON_IsObject(object) ? json_member(object, name) : NULL;
}

const cJSON *vrm_list(const cJSON *object, const char *name)
{
    const cJSON *list = vrm_member(object, name);
    return cJSON_IsArray(list) ? list->child : NULL;
}

bool vrm_index(const cJSON *object, const char *name, uint32_t count, uint32_t *out)
{
    const cJSON *item = vrm_member(object, name);
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble < count) ||
        item->valuedouble != floor(item->valuedouble))
        return false;
    *out = (uint32_t)item->valuedouble;
    return true;
}

float vrm_number(const cJSON *object, const char *name, float missing)
{
    const cJSON *item = vrm_member(object, name);
    return cJSON_IsNumber(item) && isfinite((float)item->valuedouble) ? (float)item->valuedouble : missing;
}

bool vrm_numbers(const cJSON *object, const char *name, int count, float *out)
{
    float read[4] = {0};
    int have = 0;
    for (const cJSON *item = vrm_list(object, name); item != NULL; item = item->next) {
        if (have == count || !cJSON_IsNumber(item) || !isfinite((float)item->valuedouble))
            return false;
        read[have++] = (float)item->valuedouble;
    }
    for (int i = 0; i < count && have == count; i++)
        out[i] = read[i];
    return have == count;
}

static uint32_t count_list(const cJSON *root, const char *name)
{
    uint32_t count = 0;
    for (const cJSON *item = vrm_list(root, name); item != NULL; item = item->next)
        count++;
    return count;
}

/* Finds the extension that leads: a model is a model also where it has the extension of a motion. */
static bool find_extension(struct vrm *vrm)
{
    static const char *const NAMES[] = {[VRM_0] = "VRM", [VRM_1] = "VRMC_vrm", [VRM_ANIMATION] = "VRMC_vrm_animation"};
    static const enum vrm_kind ORDER[] = {VRM_1, VRM_0, VRM_ANIMATION};
    const cJSON *extensions = vrm_member(vrm->root, "extensions");
    for (size_t i = 0; i < sizeof ORDER / sizeof *ORDER && vrm->extension == NULL; i++) {
        vrm->kind = ORDER[i];
        vrm->extension = vrm_member(extensions, NAMES[ORDER[i]]);
    }
    return cJSON_IsObject(vrm->extension);
}

/* The front of a glTF asset is +z, also of VRM 1. Files of VRM 0 have Unity's +z with the sign of z changed. */
static void face_back(struct model_info *info)
{
    info->forward[0] = info->forward[1] = 0;
    info->forward[2] = -1;
}

int vrm_read(struct import *import, const cJSON *root, struct err *err)
{
    struct vrm vrm = {.import = import, .builder = import->builder, .root = root};
    if (!find_extension(&vrm))
        return 0;
    vrm.node_count = count_list(root, "nodes");
    vrm.material_count = count_list(root, "materials");
    if (vrm_read_humanoid(&vrm, err) < 0 || vrm_read_expressions(&vrm, err) < 0 || vrm_read_gaze(&vrm, err) < 0)
        return err->code;
    if (vrm.builder->humanoid_bone_count > 0)
        import->info->flags |= MODEL_T_POSE;
    if (vrm.kind == VRM_0)
        face_back(import->info);
    return 0;
}

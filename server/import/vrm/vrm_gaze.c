/* vrm_gaze.c - where the eyes look (vrm-specification: VRMC_vrm-1.0/lookAt.md, VRMC_vrm_animation-1.0 "LookAt", and
 * firstPerson of VRM 0). */
#include "import/vrm/vrm_internal.h"

#include <math.h>
#include <string.h>

/* The least angle of a range: what is less would divide by nearly 0. */
static const float LEAST_DEG = 0.01f;

static void read_ranges(const struct vrm *vrm, const cJSON *json, struct gaze *gaze)
{
    static const char *const NAMES[2][GAZE_RANGE_COUNT] = {
        {"lookAtHorizontalInner", "lookAtHorizontalOuter", "lookAtVerticalDown", "lookAtVerticalUp"},
        {"rangeMapHorizontalInner", "rangeMapHorizontalOuter", "rangeMapVerticalDown", "rangeMapVerticalUp"}};
    const bool is_0 = vrm->kind == VRM_0;
    for (int r = 0; r < GAZE_RANGE_COUNT; r++) {
        const cJSON *range = vrm_member(json, NAMES[is_0 ? 0 : 1][r]);
        gaze->ranges[r].most_deg = fmaxf(LEAST_DEG, vrm_number(range, is_0 ? "xRange" : "inputMaxValue", 90));
        gaze->ranges[r].output =
            vrm_number(range, is_0 ? "yRange" : "outputScale", gaze->kind == GAZE_EXPRESSION ? 1 : 10);
    }
}

static bool is_word(const cJSON *json, const char *name, const char *word)
{
    const char *text = cJSON_GetStringValue(vrm_member(json, name));
    return text != NULL && strcmp(text, word) == 0;
}

int vrm_read_gaze(const struct vrm *vrm, struct err *err)
{
    const cJSON *json = vrm_member(vrm->extension, vrm->kind == VRM_0 ? "firstPerson" : "lookAt");
    struct gaze gaze = {.node = -1, .offset = {0, 0.06f, 0}};
    uint32_t node;
    if (!cJSON_IsObject(json))
        return 0;
    if (vrm->kind == VRM_0) {
        const cJSON *offset = vrm_member(json, "firstPersonBoneOffset"); /* z is Unity's */
        gaze.kind = is_word(json, "lookAtTypeName", "BlendShape") ? GAZE_EXPRESSION : GAZE_BONE;
        gaze.offset[0] = vrm_number(offset, "x", 0);
        gaze.offset[1] = vrm_number(offset, "y", gaze.offset[1]);
        gaze.offset[2] = -vrm_number(offset, "z", 0);
    } else {
        gaze.kind = is_word(json, "type", "expression") ? GAZE_EXPRESSION : GAZE_BONE;
        vrm_numbers(json, "offsetFromHeadBone", 3, gaze.offset);
    }
    if (vrm->kind == VRM_ANIMATION && vrm_index(json, "node", vrm->node_count, &node))
        gaze.node = (int32_t)node;
    else if (vrm->kind == VRM_ANIMATION && vrm_member(json, "node") != NULL)
        bake_warn(vrm->builder, "gaze_ignored", "the node of lookAt is none of the file's");
    read_ranges(vrm, json, &gaze);
    return import_put_gaze(vrm->import, &gaze, err);
}

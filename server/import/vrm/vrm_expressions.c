/* vrm_expressions.c - expressions by name, and what they do (vrm-specification, VRMC_vrm-1.0/expressions.md). */
#include "import/vrm/vrm_internal.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An expression of the file, before they are sorted. */
struct entry {
    const char *name;
    const cJSON *json;     /* an object */
    uint32_t flags, place; /* place: in the file */
};

struct entries {
    struct entry items[EXPRESSIONS_MAX];
    uint32_t count;
    bool is_cut; /* some are left out */
};

/* Names that pass unchanged into the model stay different there. */
static bool is_name(const char *name)
{
    const size_t size = name == NULL ? 0 : strlen(name);
    return size > 0 && size <= LIMIT_INFO[LIMIT_NAME_BYTES].initial && utf8_is_valid(name, size);
}

static void add(const struct vrm *vrm, struct entries *entries, const char *name, const cJSON *json, bool is_preset)
{
    /* VRMC_vrm_animation has a direction instead of these. */
    const bool is_gaze = vrm->kind == VRM_ANIMATION && is_preset && name != NULL && strncmp(name, "look", 4) == 0;
    if (entries->count == EXPRESSIONS_MAX || !is_name(name) || !cJSON_IsObject(json) || is_gaze) {
        entries->is_cut = true;
        return;
    }
    const uint32_t binary = cJSON_IsTrue(vrm_member(json, "isBinary")) ? EXPRESSION_BINARY : 0;
    entries->items[entries->count] =
        (struct entry){name, json, binary | (is_preset ? EXPRESSION_PRESET : 0), entries->count};
    entries->count++;
}

static void find(const struct vrm *vrm, struct entries *entries)
{
    const cJSON *all = vrm_member(vrm->extension, "expressions");
    const cJSON *master = vrm_member(vrm->extension, "blendShapeMaster");
    for (int custom = 0; custom < 2 && vrm->kind != VRM_0; custom++) {
        const cJSON *list = vrm_member(all, custom == 0 ? "preset" : "custom");
        for (const cJSON *item = cJSON_IsObject(list) ? list->child : NULL; item != NULL; item = item->next)
            add(vrm, entries, item->string, item, custom == 0);
    }
    if (vrm->kind != VRM_0)
        return;
    for (const cJSON *group = vrm_list(master, "blendShapeGroups"); group != NULL; group = group->next) {
        bool is_preset = false;
        const char *name = vrm_0_name(group, &is_preset);
        add(vrm, entries, name, group, is_preset);
    }
}

/* Presets come before custom ones of the same name, and earlier ones before later ones of VRM 0. */
static int by_name(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    const uint32_t one = x->flags & EXPRESSION_PRESET, other = y->flags & EXPRESSION_PRESET;
    return order != 0     ? order
           : one != other ? (one < other) - (one > other)
                          : (x->place > y->place) - (x->place < y->place);
}

/* --- binds --- */

void vrm_add_bind(struct vrm_binds *binds, const struct expression_bind *bind)
{
    enum { BEGIN = 16 };
    if (binds->count == EXPRESSION_BINDS_MAX) {
        binds->is_cut = true;
        return;
    }
    if (binds->count == 0 || (binds->count >= BEGIN && (binds->count & (binds->count - 1)) == 0))
        binds->items =
            mem_realloc(binds->items, (binds->count == 0 ? BEGIN : 2 * (size_t)binds->count) * sizeof *binds->items);
    binds->items[binds->count++] = *bind;
}

void vrm_add_morph(const struct vrm *vrm, struct vrm_binds *binds, uint32_t node, uint32_t index, float weight)
{
    if (index >= vrm->builder->nodes[node].weight_count)
        binds->is_cut = true;
    else
        vrm_add_bind(binds, &(struct expression_bind){BIND_MORPH, node, index, weight, {0}});
}

static void read_morphs(const struct vrm *vrm, const cJSON *json, struct vrm_binds *binds)
{
    for (const cJSON *item = vrm_list(json, "morphTargetBinds"); item != NULL; item = item->next) {
        uint32_t node, index;
        if (vrm_index(item, "node", vrm->node_count, &node) && vrm_index(item, "index", UINT32_MAX, &index))
            vrm_add_morph(vrm, binds, node, index, vrm_number(item, "weight", 1));
        else
            binds->is_cut = true;
    }
}

static void read_materials(const struct vrm *vrm, const cJSON *json, struct vrm_binds *binds)
{
    static const char *const COLORS[EXPRESSION_COLOR_COUNT] = {[EXPRESSION_COLOR] = "color",
                                                               [EXPRESSION_EMISSION_COLOR] = "emissionColor",
                                                               [EXPRESSION_SHADE_COLOR] = "shadeColor",
                                                               [EXPRESSION_MATCAP_COLOR] = "matcapColor",
                                                               [EXPRESSION_RIM_COLOR] = "rimColor",
                                                               [EXPRESSION_OUTLINE_COLOR] = "outlineColor"};
    for (const cJSON *item = vrm_list(json, "materialColorBinds"); item != NULL; item = item->next) {
        const char *type = cJSON_GetStringValue(vrm_member(item, "type"));
        const int color = type == NULL ? -1 : json_word(type, COLORS, EXPRESSION_COLOR_COUNT);
        struct expression_bind bind = {.kind = BIND_COLOR, .index = (uint32_t)color};
        if (color >= 0 && vrm_index(item, "material", vrm->material_count, &bind.target) &&
            vrm_numbers(item, "targetValue", 4, bind.values))
            vrm_add_bind(binds, &bind);
        else
            binds->is_cut = true;
    }
    for (const cJSON *item = vrm_list(json, "textureTransformBinds"); item != NULL; item = item->next) {
        struct expression_bind bind = {.kind = BIND_TEXTURE_TRANSFORM, .values = {1, 1, 0, 0}};
        const bool is_scale = vrm_member(item, "scale") == NULL || vrm_numbers(item, "scale", 2, bind.values);
        const bool is_offset = vrm_member(item, "offset") == NULL || vrm_numbers(item, "offset", 2, bind.values + 2);
        if (is_scale && is_offset && vrm_index(item, "material", vrm->material_count, &bind.target))
            vrm_add_bind(binds, &bind);
        else
            binds->is_cut = true;
    }
}

/* Makes whole emissions of the binds, which are of emissiveFactor, as the model's materials have them: times
 * KHR_materials_emissive_strength. */
static void strengthen(const struct vrm *vrm, struct vrm_binds *binds)
{
    static const float STRENGTH_MOST = 1e9f, EMISSION_MOST = 1e9f;
    float *strengths = mem_alloc((vrm->material_count + (size_t)1) * sizeof *strengths);
    uint32_t material = 0;
    for (const cJSON *item = vrm_list(vrm->root, "materials"); item != NULL; item = item->next) {
        const cJSON *extension = vrm_member(vrm_member(item, "extensions"), "KHR_materials_emissive_strength");
        strengths[material++] = fminf(STRENGTH_MOST, fmaxf(0, vrm_number(extension, "emissiveStrength", 1)));
    }
    for (uint32_t b = 0; b < binds->count; b++) {
        struct expression_bind *bind = &binds->items[b];
        const float strength =
            bind->kind == BIND_COLOR && bind->index == EXPRESSION_EMISSION_COLOR ? strengths[bind->target] : 1;
        for (int k = 0; k < 3 && strength != 1; k++)
            bind->values[k] = fminf(EMISSION_MOST, fmaxf(-EMISSION_MOST, bind->values[k] * strength));
    }
    free(strengths);
}

/* --- into the model --- */

static uint32_t read_override(const cJSON *json, const char *name)
{
    static const char *const WORDS[EXPRESSION_OVERRIDE_COUNT] = {"none", "block", "blend"};
    const char *word = cJSON_GetStringValue(vrm_member(json, name));
    const int found = word == NULL ? EXPRESSION_NONE : json_word(word, WORDS, EXPRESSION_OVERRIDE_COUNT);
    return found < 0 ? EXPRESSION_NONE : (uint32_t)found;
}

static int put(const struct vrm *vrm, const struct entry *entry, struct vrm_binds *binds, struct err *err)
{
    const cJSON *json = entry->json;
    struct expression made = {.name = bake_textz(vrm->builder, entry->name),
                              .flags = entry->flags,
                              .override_mouth = read_override(json, "overrideMouth"),
                              .override_blink = read_override(json, "overrideBlink"),
                              .override_look_at = read_override(json, "overrideLookAt"),
                              .node = -1,
                              .bind_first = binds->count};
    uint32_t node;
    if (vrm->kind == VRM_ANIMATION && vrm_index(json, "node", vrm->node_count, &node))
        made.node = (int32_t)node;
    else if (vrm->kind == VRM_ANIMATION)
        binds->is_cut = true;
    else if (vrm->kind == VRM_0)
        vrm_0_read_binds(vrm, json, binds);
    else {
        read_morphs(vrm, json, binds);
        read_materials(vrm, json, binds);
    }
    made.bind_count = binds->count - made.bind_first;
    return import_put_expression(vrm->import, &made, err);
}

static int put_all(const struct vrm *vrm, struct entries *entries, struct vrm_binds *binds, struct err *err)
{
    const char *last = NULL;
    for (uint32_t i = 0; i < entries->count; i++) {
        const struct entry *entry = &entries->items[i];
        if (last != NULL && strcmp(last, entry->name) == 0)
            entries->is_cut = true;
        else if (put(vrm, entry, binds, err) < 0)
            return err->code;
        last = entry->name;
    }
    if (vrm->kind == VRM_1) /* those of VRM 0 are of Unity's material, which has the whole emission */
        strengthen(vrm, binds);
    for (uint32_t i = 0; i < binds->count; i++)
        if (import_put_expression_bind(vrm->import, &binds->items[i], err) < 0)
            return err->code;
    return 0;
}

int vrm_read_expressions(const struct vrm *vrm, struct err *err)
{
    struct entries *entries = mem_zalloc(1, sizeof *entries);
    struct vrm_binds binds = {0};
    find(vrm, entries);
    qsort(entries->items, entries->count, sizeof *entries->items, by_name);
    const int rc = put_all(vrm, entries, &binds, err);
    if (rc == 0 && entries->is_cut)
        bake_warn(vrm->builder, "expressions_ignored",
                  "expressions that have no name, come twice or are too many are left out");
    if (rc == 0 && binds.is_cut)
        bake_warn(vrm->builder, "expression_binds_ignored",
                  "parts of expressions that refer to no node, morph target or material are left out");
    free(binds.items);
    free(entries);
    return rc;
}

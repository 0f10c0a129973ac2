/* vrm_0.c - blend shape groups of VRM 0, as expressions of VRM 1 (vrm-specification, 0.0/schema, and "Changes from
 * VRM 0" of VRMC_vrm-1.0/expressions.md). */
#include "import/vrm/vrm_internal.h"

#include <string.h>

const char *vrm_0_name(const cJSON *group, bool *is_preset)
{
    static const struct {
        const char *old, *name;
    } PRESETS[] = {{"a", "aa"},
                   {"e", "ee"},
                   {"i", "ih"},
                   {"o", "oh"},
                   {"u", "ou"},
                   {"blink", "blink"},
                   {"joy", "happy"},
                   {"angry", "angry"},
                   {"sorrow", "sad"},
                   {"fun", "relaxed"},
                   {"lookup", "lookUp"},
                   {"lookdown", "lookDown"},
                   {"lookleft", "lookLeft"},
                   {"lookright", "lookRight"},
                   {"blink_l", "blinkLeft"},
                   {"blink_r", "blinkRight"},
                   {"neutral", "neutral"}};
    const char *preset = cJSON_GetStringValue(vrm_member(group, "presetName"));
    for (size_t i = 0; i < sizeof PRESETS / sizeof *PRESETS && preset != NULL; i++)
        if (strcmp(PRESETS[i].old, preset) == 0) {
            *is_preset = true;
            return PRESETS[i].name;
        }
    return cJSON_GetStringValue(vrm_member(group, "name"));
}

/* Searches take the time of a list each, so a file of many of them would take hours. False: it has had enough. */
static bool may_search(struct vrm_binds *binds, uint32_t count)
{
    const uint64_t most = 1 << 26;
    binds->searched += count;
    return binds->searched <= most;
}

/* A bind names a mesh, so it moves all nodes that show it. Its weights are in percent. */
static void read_morph(const struct vrm *vrm, const cJSON *bind, struct vrm_binds *binds)
{
    uint32_t mesh, index, node = 0, own, used = 0;
    if (!vrm_index(bind, "mesh", UINT32_MAX, &mesh) || !vrm_index(bind, "index", UINT32_MAX, &index) ||
        !may_search(binds, vrm->node_count)) {
        binds->is_cut = true;
        return;
    }
    for (const cJSON *item = vrm_list(vrm->root, "nodes"); item != NULL; item = item->next, node++)
        if (vrm_index(item, "mesh", UINT32_MAX, &own) && own == mesh) {
            vrm_add_morph(vrm, binds, node, index, vrm_number(bind, "weight", 100) / 100);
            used++;
        }
    binds->is_cut = binds->is_cut || used == 0;
}

/* Unity counts texture coordinates from below, glTF from above. */
static void put_texture(struct expression_bind *bind, const float st[4])
{
    const float values[4] = {st[0], st[1], st[2], 1 - st[3] - st[1]};
    bind->kind = BIND_TEXTURE_TRANSFORM;
    memcpy(bind->values, values, sizeof values);
}

static bool read_value(const cJSON *value, struct expression_bind *bind)
{
    static const char *const COLORS[EXPRESSION_COLOR_COUNT] = {"_Color",       "_EmissionColor", "_ShadeColor",
                                                               "_SphereColor", "_RimColor",      "_OutlineColor"};
    const char *property = cJSON_GetStringValue(vrm_member(value, "propertyName"));
    float values[4];
    if (property == NULL || !vrm_numbers(value, "targetValue", 4, values))
        return false;
    const int color = json_word(property, COLORS, EXPRESSION_COLOR_COUNT);
    if (color >= 0) {
        *bind = (struct expression_bind){.kind = BIND_COLOR, .index = (uint32_t)color};
        memcpy(bind->values, values, sizeof values);
    } else if (strcmp(property, "_MainTex_ST") == 0) {
        *bind = (struct expression_bind){0};
        put_texture(bind, values);
    }
    return color >= 0 || strcmp(property, "_MainTex_ST") == 0;
}

/* Materials are named. Names need not be unique, and all materials of the name change. */
static void read_material(const struct vrm *vrm, const cJSON *value, struct vrm_binds *binds)
{
    const char *name = cJSON_GetStringValue(vrm_member(value, "materialName"));
    struct expression_bind bind;
    uint32_t material = 0, used = 0;
    if (name == NULL || !read_value(value, &bind) || !may_search(binds, vrm->material_count)) {
        binds->is_cut = true;
        return;
    }
    for (const cJSON *item = vrm_list(vrm->root, "materials"); item != NULL; item = item->next, material++) {
        const char *own = cJSON_GetStringValue(vrm_member(item, "name"));
        if (own == NULL || strcmp(own, name) != 0)
            continue;
        bind.target = material;
        vrm_add_bind(binds, &bind);
        used++;
    }
    binds->is_cut = binds->is_cut || used == 0;
}

void vrm_0_read_binds(const struct vrm *vrm, const cJSON *group, struct vrm_binds *binds)
{
    for (const cJSON *bind = vrm_list(group, "binds"); bind != NULL; bind = bind->next)
        read_morph(vrm, bind, binds);
    for (const cJSON *value = vrm_list(group, "materialValues"); value != NULL; value = value->next)
        read_material(vrm, value, binds);
}

/* gltf_extensions.c - checks the extensions that a file requires, and warns of those that are not read
 * (gltf_extensions.def). */
#include "import/gltf/gltf.h"

#include <stdio.h>
#include <string.h>

enum treatment { UNKNOWN, READ, LOOKS, HUMAN, LEFT };

static const struct extension {
    const char *name;
    enum treatment treatment;
} EXTENSIONS[] = {
#define EXTENSION(name, treatment) {name, treatment},
#include "import/gltf/gltf_extensions.def"
};
enum { EXTENSION_COUNT = sizeof EXTENSIONS / sizeof *EXTENSIONS };

static const struct effect {
    const char *name, *member;
    double neutral;
} EFFECTS[] = {
#define EFFECT(name, member, neutral) {name, member, neutral},
#include "import/gltf/gltf_extensions.def"
};
enum { EFFECT_COUNT = sizeof EFFECTS / sizeof *EFFECTS };

static enum treatment treatment_of(const char *name)
{
    for (size_t i = 0; i < EXTENSION_COUNT; i++)
        if (strcmp(EXTENSIONS[i].name, name) == 0)
            return EXTENSIONS[i].treatment;
    return UNKNOWN;
}

static const struct {
    const char *name;
    unsigned owners;
} CARRIED_EXTENSIONS[] = {
#define CARRIED(name, owners) {name, owners},
#include "protocol/carried.def"
};

bool gltf_extension_is_carried(const char *name, enum carry_owner owner)
{
    for (size_t i = 0; i < sizeof CARRIED_EXTENSIONS / sizeof *CARRIED_EXTENSIONS; i++)
        if (strcmp(CARRIED_EXTENSIONS[i].name, name) == 0)
            return (CARRIED_EXTENSIONS[i].owners & CARRY_BIT(owner)) != 0;
    return false;
}

bool gltf_extension_is_read(const char *name) { return treatment_of(name) == READ; }

int gltf_check_extensions(const struct gltf *gltf, struct err *err)
{
    char names[200] = "";
    size_t size = 0;
    for (const cJSON *item = json_first(gltf->root, "extensionsRequired"); item != NULL; item = item->next) {
        if (treatment_of(item->valuestring) != UNKNOWN || size >= sizeof names - 1)
            continue;
        const int n = snprintf(names + size, sizeof names - size, "%s%.60s", size > 0 ? ", " : "", item->valuestring);
        size += n < 0 ? 0 : (size_t)n;
    }
    if (size > 0)
        return err_set(err, ERR_UNSUPPORTED_EXTENSION, "the file requires %s, which this server does not have", names);
    for (const cJSON *item = json_first(gltf->root, "extensionsUsed"); item != NULL; item = item->next) {
        const enum treatment treatment = treatment_of(item->valuestring);
        if (treatment == UNKNOWN || treatment == LEFT)
            bake_warn(gltf->builder, "extension_ignored", "the extension %.100s is not used", item->valuestring);
        if (treatment == HUMAN)
            bake_warn(gltf->builder, "extension_ignored",
                      "the extension %.100s is not used, but for the human's bones, expressions and gaze",
                      item->valuestring);
    }
    return 0;
}

/* A number, an array of them, or an object (a texture), which always has an effect. */
static bool is_neutral(const cJSON *value, double neutral)
{
    if (value == NULL)
        return true;
    if (cJSON_IsNumber(value))
        return value->valuedouble == neutral;
    if (!cJSON_IsArray(value))
        return false;
    for (const cJSON *item = value->child; item != NULL; item = item->next)
        if (!is_neutral(item, neutral))
            return false;
    return true;
}

static bool has_effect(const cJSON *extensions, const char *name)
{
    const cJSON *extension = json_member(extensions, name);
    if (extension == NULL || json_member(extensions, "KHR_materials_unlit") != NULL)
        return false;
    for (size_t i = 0; i < EFFECT_COUNT; i++)
        if (strcmp(EFFECTS[i].name, name) == 0 &&
            !is_neutral(json_member(extension, EFFECTS[i].member), EFFECTS[i].neutral))
            return true;
    return false;
}

static void look_for(const struct gltf *gltf, const char *name)
{
    uint32_t first = 0, count = 0;
    for (uint32_t m = 0; m < gltf->lists[GLTF_MATERIALS].count; m++)
        if (has_effect(json_member(gltf_item(gltf, GLTF_MATERIALS, m), "extensions"), name) && count++ == 0)
            first = m;
    if (count > 0)
        bake_warn(gltf->builder, "material_extension_ignored", "%s of materials[%u]%s is not drawn", name, first,
                  count > 1 ? " and others" : "");
}

void gltf_warn_of_ignored(const struct gltf *gltf)
{
    for (size_t i = 0; i < EXTENSION_COUNT; i++)
        if (EXTENSIONS[i].treatment == LOOKS)
            look_for(gltf, EXTENSIONS[i].name);
}

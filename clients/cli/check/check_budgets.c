/* Applies the rules about budgets: a model must not have more than a key of posed.rules.json allows. */
#include "clients/cli/check/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_over(const struct inspection *model, enum key_id key, double count)
{
    return count > rules_number(model->rules, key); /* false if the key is not set: it is NaN then */
}

/* Checks the counts of the whole model. */
static void check_counts(const struct inspection *model)
{
    static const struct {
        enum key_id key;
        enum rule_id rule;
        const char *list, *what; /* the member of counts, or else of the model; the noun for messages */
    } COUNTS[] = {
        {KEY_MAX_TRIANGLES, RULE_TOO_MANY_TRIANGLES, "triangles", "triangles"},
        {KEY_MAX_VERTICES, RULE_TOO_MANY_VERTICES, "vertices", "vertices"},
        {KEY_MAX_MESHES, RULE_TOO_MANY_MESHES, "meshes", "meshes"},
        {KEY_MAX_MATERIALS, RULE_TOO_MANY_MATERIALS, "materials", "materials"},
        {KEY_MAX_TEXTURES, RULE_TOO_MANY_TEXTURES, "textures", "textures"},
        {KEY_MAX_NODES, RULE_TOO_MANY_NODES, "nodes", "nodes"},
        {KEY_MAX_CLIPS, RULE_TOO_MANY_CLIPS, "clips", "clips"},
    };
    for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++) {
        const cJSON *counted = json_get(json_get(model->model, "counts"), COUNTS[i].list);
        const double count = counted != NULL ? cJSON_GetNumberValue(counted)
                                             : cJSON_GetArraySize(json_get(model->model, COUNTS[i].list));
        if (is_over(model, COUNTS[i].key, count))
            findings_add(model, COUNTS[i].rule, "model", "the model has %.0f %s, more than %.0f", count, COUNTS[i].what,
                         rules_number(model->rules, COUNTS[i].key));
    }
}

static void check_skins(const struct inspection *model)
{
    const cJSON *skin;
    cJSON_ArrayForEach(skin, json_get(model->model, "skins"))
    {
        const int joints = cJSON_GetArraySize(json_get(skin, "joints"));
        if (is_over(model, KEY_MAX_JOINTS, joints))
            findings_add(model, RULE_TOO_MANY_JOINTS, subject_of("skin", skin).text,
                         "skin %.0f '%s' has %d joints, more than %.0f", member_number(skin, "index"),
                         member_text(skin, "name"), joints, rules_number(model->rules, KEY_MAX_JOINTS));
    }
}

static void check_meshes(const struct inspection *model)
{
    const cJSON *mesh, *primitive;
    cJSON_ArrayForEach(mesh, json_get(model->model, "meshes"))
    {
        double influences = 0, targets = 0;
        cJSON_ArrayForEach(primitive, json_get(mesh, "primitives"))
        {
            influences = fmax(influences, member_number(primitive, "influences_max"));
            targets = fmax(targets, member_number(primitive, "morph_targets"));
        }
        if (is_over(model, KEY_MAX_INFLUENCES, influences))
            findings_add(model, RULE_TOO_MANY_INFLUENCES, subject_of("mesh", mesh).text,
                         "mesh %.0f '%s' has a vertex that follows %.0f joints, more than %.0f",
                         member_number(mesh, "index"), member_text(mesh, "name"), influences,
                         rules_number(model->rules, KEY_MAX_INFLUENCES));
        if (is_over(model, KEY_MAX_MORPH_TARGETS, targets))
            findings_add(model, RULE_TOO_MANY_MORPHS, subject_of("mesh", mesh).text,
                         "mesh %.0f '%s' has %.0f morph targets, more than %.0f", member_number(mesh, "index"),
                         member_text(mesh, "name"), targets, rules_number(model->rules, KEY_MAX_MORPH_TARGETS));
    }
}

static void check_textures(const struct inspection *model)
{
    const cJSON *texture;
    cJSON_ArrayForEach(texture, json_get(model->model, "textures"))
    {
        const double width = member_number(texture, "width"), height = member_number(texture, "height");
        const char *uri = member_text(texture, "uri");
        struct subject subject = subject_of("texture", texture);
        if (uri[0] != '\0')
            snprintf(subject.text, sizeof subject.text, "texture '%.480s'", uri);
        if (is_over(model, KEY_MAX_TEXTURE_SIZE, fmax(width, height)))
            findings_add(model, RULE_TEXTURE_TOO_LARGE, subject.text,
                         "texture %.0f '%.200s' has %.0f x %.0f pixels, more than %.0f",
                         member_number(texture, "index"), uri, width, height,
                         rules_number(model->rules, KEY_MAX_TEXTURE_SIZE));
    }
}

static void check_files(const struct inspection *model)
{
    const cJSON *file;
    double bytes = 0;
    cJSON_ArrayForEach(file, json_get(model->model, "files"))
    {
        const char *role = member_text(file, "role");
        if (strcmp(role, "model") == 0 || strcmp(role, "companion") == 0)
            bytes += member_number(file, "bytes");
    }
    if (is_over(model, KEY_MAX_FILE_BYTES, bytes))
        findings_add(model, RULE_FILE_TOO_LARGE, "model", "the model has %.0f bytes, more than %.0f", bytes,
                     rules_number(model->rules, KEY_MAX_FILE_BYTES));
}

void check_budgets(const struct inspection *model)
{
    check_counts(model);
    check_skins(model);
    check_meshes(model);
    check_textures(model);
    check_files(model);
}

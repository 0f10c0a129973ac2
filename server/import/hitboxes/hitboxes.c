/* hitboxes.c - a strict reader of a small JSON file: unknown content is an error. */
#include "import/hitboxes/hitboxes.h"

#include "import/source/source_path.h"

#include "base/json_check.h"
#include "base/mem.h"
#include "base/utf8.h"

#include <cjson/cJSON.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 6, VALUES_MAX = 200000, BYTES_MAX = 4 << 20 };

static int bad(struct err *err, const char *field, const char *expected)
{
    return err_set(err, ERR_BAD_HITBOXES, "'%.64s' must be %s", field, expected);
}

/* --- members --- */

/* Reads the members of an object: each at most once, and no other member. */
static int check_members(const cJSON *object, const char *const *names, struct err *err)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, object)
    {
        size_t n = 0;
        while (names[n] != NULL && strcmp(names[n], item->string) != 0)
            n++;
        if (names[n] == NULL)
            return err_set(err, ERR_BAD_HITBOXES, "there is no field '%.64s' here", item->string);
        if (cJSON_GetObjectItemCaseSensitive(object, item->string) != item)
            return err_set(err, ERR_BAD_HITBOXES, "'%s' is given twice", item->string);
    }
    return 0;
}

/* Reads a list of numbers within the range of float. */
static int take_floats(const cJSON *object, const char *field, int count, float *out, struct err *err)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, field), *item;
    char expected[64];
    int at = 0;
    snprintf(expected, sizeof expected, "a list of %d numbers that a float can hold", count);
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != count)
        return bad(err, field, expected);
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsNumber(item) || !(fabs(item->valuedouble) <= (double)FLT_MAX))
            return bad(err, field, expected);
        out[at++] = (float)item->valuedouble;
    }
    return 0;
}

static int take_radius(const cJSON *object, float *out, struct err *err)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "radius");
    if (!cJSON_IsNumber(item) || !(item->valuedouble > 0 && item->valuedouble <= (double)FLT_MAX) ||
        !((float)item->valuedouble > 0))
        return bad(err, "radius", "a number above 0");
    *out = (float)item->valuedouble;
    return 0;
}

/* --- shapes --- */

static int take_capsule(const cJSON *shape, struct hit_volume *volume, struct err *err)
{
    static const char *const FIELDS[] = {"from", "to", "radius", NULL};
    if (check_members(shape, FIELDS, err) < 0 || take_floats(shape, "from", 3, volume->center, err) < 0 ||
        take_floats(shape, "to", 3, volume->end, err) < 0)
        return err->code;
    return take_radius(shape, &volume->radius, err);
}

static int take_sphere(const cJSON *shape, struct hit_volume *volume, struct err *err)
{
    static const char *const FIELDS[] = {"center", "radius", NULL};
    if (check_members(shape, FIELDS, err) < 0 || take_floats(shape, "center", 3, volume->center, err) < 0)
        return err->code;
    memcpy(volume->end, volume->center, sizeof volume->end);
    return take_radius(shape, &volume->radius, err);
}

/* The rotation may have any length but 0. */
static int take_box(const cJSON *shape, struct hit_volume *volume, struct err *err)
{
    static const char *const FIELDS[] = {"center", "rotation", "half", NULL};
    if (check_members(shape, FIELDS, err) < 0 || take_floats(shape, "center", 3, volume->center, err) < 0 ||
        take_floats(shape, "half", 3, volume->half, err) < 0)
        return err->code;
    memcpy(volume->end, volume->center, sizeof volume->end);
    for (int i = 0; i < 3; i++)
        if (!(volume->half[i] >= 0))
            return bad(err, "half", "three numbers from 0");
    if (cJSON_GetObjectItemCaseSensitive(shape, "rotation") == NULL)
        return 0;
    if (take_floats(shape, "rotation", 4, volume->rotation, err) < 0)
        return err->code;
    double length2 = 0;
    for (int i = 0; i < 4; i++)
        length2 += (double)volume->rotation[i] * (double)volume->rotation[i];
    for (int i = 0; i < 4 && length2 > 0; i++)
        volume->rotation[i] = (float)((double)volume->rotation[i] / sqrt(length2));
    return length2 > 1e-12 ? 0 : bad(err, "rotation", "a quaternion x, y, z, w that is not 0");
}

/* --- volumes --- */

static int find_joint(const struct import *import, const cJSON *joint, uint32_t *node, struct err *err)
{
    const struct bake_builder *builder = import->builder;
    if (cJSON_IsNumber(joint)) {
        const double index = joint->valuedouble;
        if (!(index >= 0 && index < builder->node_count) || index != floor(index))
            return err_set(err, ERR_BAD_HITBOXES, "'joint' is node %.15g; the model has %u", index,
                           builder->node_count);
        *node = (uint32_t)index;
        return 0;
    }
    if (!cJSON_IsString(joint))
        return bad(err, "joint", "the name of a node, or its index");
    uint32_t found = 0;
    const size_t size_bytes = strlen(joint->valuestring);
    for (uint32_t n = 0; n < builder->node_count; n++) {
        const struct str name = builder->nodes[n].name;
        if (name.offset == STR_NONE || name.size_bytes != size_bytes ||
            memcmp(builder->text + name.offset, joint->valuestring, size_bytes) != 0)
            continue;
        *node = n;
        found++;
    }
    if (found == 0)
        return err_set(err, ERR_BAD_HITBOXES, "'joint': the model has no node of this name");
    return found == 1 ? 0 : err_set(err, ERR_BAD_HITBOXES, "'joint': %u nodes have this name; use the index", found);
}

static int take_kind(const cJSON *fit, uint32_t *kind, struct err *err)
{
    static const char *const WORDS[] = {"capsule", "box", "sphere"};
    for (uint32_t k = 0; k < VOLUME_KIND_COUNT; k++)
        if (cJSON_IsString(fit) && strcmp(fit->valuestring, WORDS[k]) == 0) {
            *kind = k;
            return 0;
        }
    return bad(err, "fit", "capsule, box or sphere");
}

/* Reads the rule: exactly one of capsule, box, sphere, fit and none. */
static int take_rule(const cJSON *object, struct hitbox *out, struct err *err)
{
    static int (*const TAKES[])(const cJSON *, struct hit_volume *, struct err *) = {take_capsule, take_box,
                                                                                     take_sphere};
    static const char *const RULES[] = {"capsule", "box", "sphere", "fit", "none"};
    enum { RULE_COUNT = sizeof RULES / sizeof *RULES, RULE_FIT = 3 };
    int rule = -1, count = 0;
    for (int r = 0; r < RULE_COUNT; r++)
        if (cJSON_GetObjectItemCaseSensitive(object, RULES[r]) != NULL) {
            rule = r;
            count++;
        }
    if (count != 1)
        return err_set(err, ERR_BAD_HITBOXES, "there must be one of capsule, box, sphere, fit, none; there are %d",
                       count);
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, RULES[rule]);
    out->rule = rule < RULE_FIT ? HITBOX_GIVEN : rule == RULE_FIT ? HITBOX_FIT : HITBOX_NONE;
    if (rule == RULE_FIT)
        return take_kind(value, &out->volume.kind, err);
    if (rule > RULE_FIT)
        return cJSON_IsTrue(value) ? 0 : bad(err, "none", "true");
    out->volume.kind = (uint32_t)rule;
    if (!cJSON_IsObject(value))
        return bad(err, RULES[rule], "an object");
    return TAKES[rule](value, &out->volume, err) < 0 ? err_prefix(err, "%s", RULES[rule]) : 0;
}

static int take_volume(struct import *import, const cJSON *object, struct hitbox *out, struct err *err)
{
    static const char *const FIELDS[] = {"joint", "name", "capsule", "box", "sphere", "fit", "none", NULL};
    *out = (struct hitbox){.volume = {.name = {.offset = STR_NONE}, .rotation = {0, 0, 0, 1}}};
    if (!cJSON_IsObject(object))
        return err_set(err, ERR_BAD_HITBOXES, "it is no object");
    const cJSON *joint = cJSON_GetObjectItemCaseSensitive(object, "joint"),
                *name = cJSON_GetObjectItemCaseSensitive(object, "name");
    int rc = check_members(object, FIELDS, err);
    if (rc == 0)
        rc = joint == NULL ? bad(err, "joint", "there") : find_joint(import, joint, &out->volume.node, err);
    if (rc == 0)
        rc = take_rule(object, out, err);
    if (rc == 0 && name != NULL && (!cJSON_IsString(name) || out->rule != HITBOX_GIVEN))
        rc = bad(err, "name", "a text, of a capsule, a box or a sphere");
    if (rc == 0 && name != NULL)
        out->volume.name = bake_textz(import->builder, name->valuestring);
    return rc < 0 && cJSON_IsString(joint) ? err_prefix(err, "joint '%.100s'", joint->valuestring) : rc;
}

/* A node has either one rule or any number of explicit volumes. */
static int check_together(const struct hitbox *hitboxes, uint32_t count, uint32_t node_count, struct err *err)
{
    uint32_t *firsts = mem_alloc(((size_t)node_count + 1) * sizeof *firsts);
    int rc = 0;
    memset(firsts, 0xff, node_count * sizeof *firsts);
    for (uint32_t h = 0; h < count && rc == 0; h++) {
        uint32_t *first = &firsts[hitboxes[h].volume.node];
        if (*first == UINT32_MAX)
            *first = h;
        else if (hitboxes[h].rule != HITBOX_GIVEN || hitboxes[*first].rule != HITBOX_GIVEN)
            rc = err_set(err, ERR_BAD_HITBOXES,
                         "volumes[%u]: 'joint': volumes[%u] is about the same joint; only capsules, boxes and spheres "
                         "may be several",
                         h, *first);
    }
    free(firsts);
    return rc;
}

static int take_file(struct import *import, const cJSON *file, struct err *err)
{
    static const char *const FIELDS[] = {"version", "volumes", NULL};
    if (!cJSON_IsObject(file))
        return err_set(err, ERR_BAD_HITBOXES, "it is no JSON object");
    const cJSON *version = cJSON_GetObjectItemCaseSensitive(file, "version"),
                *list = cJSON_GetObjectItemCaseSensitive(file, "volumes"), *object;
    if (check_members(file, FIELDS, err) < 0)
        return err->code;
    if (!cJSON_IsNumber(version) || version->valuedouble < 1 || version->valuedouble > 1)
        return bad(err, "version", "1");
    const int count = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : -1;
    if (count < 0 || count > HITBOXES_MAX)
        return bad(err, "volumes", "a list of at most 4096 objects");
    struct hitbox *hitboxes = mem_zalloc((size_t)count + 1, sizeof *hitboxes);
    uint32_t at = 0;
    int rc = 0;
    cJSON_ArrayForEach(object, list)
    {
        if (rc == 0 && take_volume(import, object, &hitboxes[at++], err) < 0)
            rc = err_prefix(err, "volumes[%u]", at - 1);
    }
    if (rc == 0)
        rc = check_together(hitboxes, at, import->builder->node_count, err);
    for (uint32_t h = 0; h < at && rc == 0; h++)
        rc = import_put_hitbox(import, &hitboxes[h], err);
    free(hitboxes);
    return rc;
}

int hitboxes_read(struct import *import, const char *name, const uint8_t *bytes, size_t size_bytes, struct err *err)
{
    const struct json_rules rules = {
        .name = "it", .depth = DEPTH_MAX, .values = VALUES_MAX, .has_blanks = true, .is_without_nul = true};
    const char *text = (const char *)bytes;
    struct err why;
    int rc = 0;
    if (size_bytes > BYTES_MAX)
        rc = err_set(err, ERR_BAD_HITBOXES, "it has %zu bytes, more than %d", size_bytes, BYTES_MAX);
    else if (!utf8_is_valid(text, size_bytes))
        rc = err_set(err, ERR_BAD_HITBOXES, "it is not valid UTF-8");
    else if (json_check(text, size_bytes, &rules, &why) < 0)
        rc = err_set(err, ERR_BAD_HITBOXES, "%s", why.message);
    if (rc == 0) {
        cJSON *file = cJSON_ParseWithLength(text, size_bytes);
        rc = file == NULL ? err_set(err, ERR_BAD_HITBOXES, "it is no JSON") : take_file(import, file, err);
        cJSON_Delete(file);
    }
    return rc < 0 ? err_prefix(err, "%s", name) : 0;
}

/* --- the file --- */

/* Returns "hero.hitboxes.json" for "models/hero.glb", relative to the model's folder. */
static bool name_file(const struct import *import, char out[SOURCE_PATH_SIZE])
{
    const char *name = import_file_name(import), *dot = strrchr(name, '.');
    const int length = dot != NULL ? (int)(dot - name) : (int)strlen(name);
    return snprintf(out, SOURCE_PATH_SIZE, "%.*s.hitboxes.json", length, name) < SOURCE_PATH_SIZE;
}

int import_hitboxes(struct import *import, struct err *err)
{
    char name[SOURCE_PATH_SIZE];
    const uint8_t *bytes;
    size_t size_bytes;
    struct err why = {0};
    if (!name_file(import, name) ||
        source_files_read(import->files, name, SOURCE_COMPANION, &bytes, &size_bytes, &why) < 0)
        return 0;
    const int rc = hitboxes_read(import, name, bytes, size_bytes, &why);
    if (rc == ERR_BAD_HITBOXES)
        bake_warn(import->builder, "bad_hitboxes", "%s", why.message);
    else if (rc < 0)
        return err_set(err, rc, "%s", why.message);
    return 0;
}

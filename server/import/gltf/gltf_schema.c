/* gltf_schema.c - checks types, required members and index ranges of a whole glTF file by the table of gltf_schema.def,
 * and fills the top-level lists that indices refer to. */
#include "import/gltf/gltf.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const GLTF_LIST_NAMES[GLTF_LIST_COUNT] = {
#define LIST(id, member) [id] = member,
#include "import/gltf/gltf_schema.def"
};

enum schema_object {
#define OBJECT(name) OBJECT_##name,
#include "import/gltf/gltf_schema.def"
};

enum schema_type {
    TYPE_TEXT,
    TYPE_NUMBER,
    TYPE_FLAG,
    TYPE_COUNT,
    TYPE_INDEX,
    TYPE_OBJECT,
    TYPE_NUMBERS,
    TYPE_INDICES,
    TYPE_TEXTS,
    TYPE_OBJECTS,
    TYPE_INDEX_MAP,
    TYPE_COUNT_MAP,
    TYPE_INDEX_MAPS,
};

static const struct schema_row {
    enum schema_object object;
    const char *member;
    enum schema_type type;
    int argument;
    int is_required;
} ROWS[] = {
#define X(object, member, type, argument, required) {OBJECT_##object, member, TYPE_##type, argument, required},
#include "import/gltf/gltf_schema.def"
};

/* The largest number up to which a double, and thus JSON, holds every whole number exactly. */
static const double COUNT_MAX = 9007199254740992.0;

/* The place in the file: a chain of the callers' stack frames, as deep as the table nests. */
struct json_path {
    const struct json_path *parent;
    const char *member; /* NULL for an element of an array */
    uint32_t index;
};

struct text {
    char bytes[256];
    size_t size;
};

static void write_path(const struct json_path *place, struct text *out)
{
    const struct json_path *chain[16];
    size_t depth = 0;
    for (; place != NULL && depth < sizeof chain / sizeof *chain; place = place->parent)
        chain[depth++] = place;
    out->size = 0;
    out->bytes[0] = '\0';
    while (depth > 0) {
        place = chain[--depth];
        const size_t left = sizeof out->bytes - out->size;
        const int n = place->member == NULL
                          ? snprintf(out->bytes + out->size, left, "[%u]", place->index)
                          : snprintf(out->bytes + out->size, left, "%s%s", out->size > 0 ? "." : "", place->member);
        if (n < 0 || (size_t)n >= left)
            return;
        out->size += (size_t)n;
    }
}

static int wrong_type(const struct json_path *place, const cJSON *item, const char *expected, struct err *err)
{
    struct text text;
    write_path(place, &text);
    return err_set(err, ERR_BAD_MODEL, "%s is %s, expected %s", text.bytes, json_kind(item), expected);
}

static int wrong_value(const struct json_path *place, const char *what, struct err *err)
{
    struct text text;
    write_path(place, &text);
    return err_set(err, ERR_BAD_MODEL, "%s %s", text.bytes, what);
}

static int check_number(const struct json_path *place, const cJSON *item, struct err *err)
{
    if (!cJSON_IsNumber(item))
        return wrong_type(place, item, "a number", err);
    /* Checked as rounded to float32: exporters print FLT_MAX a little too large. */
    if (!isfinite((float)item->valuedouble))
        return wrong_value(place, "does not fit a finite 32-bit number", err);
    return 0;
}

static int check_count(const struct json_path *place, const cJSON *item, struct err *err)
{
    if (!cJSON_IsNumber(item))
        return wrong_type(place, item, "a number", err);
    const double value = item->valuedouble;
    if (!(value >= 0 && value <= COUNT_MAX) || value != floor(value)) {
        char what[64];
        snprintf(what, sizeof what, "is %.9g, expected a whole number from 0", value);
        return wrong_value(place, what, err);
    }
    return 0;
}

static int check_index(const struct gltf *gltf, const struct json_path *place, const cJSON *item, int list,
                       struct err *err)
{
    if (check_count(place, item, err) < 0)
        return err->code;
    if (item->valuedouble < (double)gltf->lists[list].count)
        return 0;
    char what[96];
    snprintf(what, sizeof what, "is %.16g, but the file has %u %s", item->valuedouble, gltf->lists[list].count,
             GLTF_LIST_NAMES[list]);
    return wrong_value(place, what, err);
}

static int check_object(const struct gltf *gltf, const struct json_path *place, const cJSON *item,
                        enum schema_object object, struct err *err);

enum { NO_LIST = -1 };

/* Checks an index of `list`, or with NO_LIST any whole number. */
static int check_map(const struct gltf *gltf, const struct json_path *place, const cJSON *item, int list,
                     struct err *err)
{
    if (!cJSON_IsObject(item))
        return wrong_type(place, item, "an object", err);
    for (const cJSON *member = item->child; member != NULL; member = member->next) {
        const struct json_path inner = {.parent = place, .member = member->string};
        if ((list == NO_LIST ? check_count(&inner, member, err) : check_index(gltf, &inner, member, list, err)) < 0)
            return err->code;
    }
    return 0;
}

static int check_value(const struct gltf *gltf, const struct json_path *place, const cJSON *item, enum schema_type type,
                       int argument, struct err *err);

static int check_array(const struct gltf *gltf, const struct json_path *place, const cJSON *item, enum schema_type type,
                       int argument, struct err *err)
{
    static const enum schema_type OF_ELEMENTS[] = {[TYPE_NUMBERS] = TYPE_NUMBER,
                                                   [TYPE_INDICES] = TYPE_INDEX,
                                                   [TYPE_TEXTS] = TYPE_TEXT,
                                                   [TYPE_OBJECTS] = TYPE_OBJECT,
                                                   [TYPE_INDEX_MAPS] = TYPE_INDEX_MAP};
    if (!cJSON_IsArray(item))
        return wrong_type(place, item, "an array", err);
    struct json_path inner = {.parent = place};
    for (const cJSON *element = item->child; element != NULL; element = element->next, inner.index++)
        if (check_value(gltf, &inner, element, OF_ELEMENTS[type], argument, err) < 0)
            return err->code;
    if (type == TYPE_NUMBERS && argument != 0 && inner.index != (uint32_t)argument) {
        char what[64];
        snprintf(what, sizeof what, "has %u numbers, expected %d", inner.index, argument);
        return wrong_value(place, what, err);
    }
    return 0;
}

/* `argument` has the meaning that gltf_schema.def gives for the type. */
static int check_value(const struct gltf *gltf, const struct json_path *place, const cJSON *item, enum schema_type type,
                       int argument, struct err *err)
{
    switch (type) {
    case TYPE_TEXT:
        return cJSON_IsString(item) ? 0 : wrong_type(place, item, "a text", err);
    case TYPE_NUMBER:
        return check_number(place, item, err);
    case TYPE_FLAG:
        return cJSON_IsBool(item) ? 0 : wrong_type(place, item, "true or false", err);
    case TYPE_COUNT:
        return check_count(place, item, err);
    case TYPE_INDEX:
        return check_index(gltf, place, item, argument, err);
    case TYPE_OBJECT:
        return check_object(gltf, place, item, (enum schema_object)argument, err);
    case TYPE_INDEX_MAP:
        return check_map(gltf, place, item, argument, err);
    case TYPE_COUNT_MAP:
        return check_map(gltf, place, item, NO_LIST, err);
    default:
        return check_array(gltf, place, item, type, argument, err);
    }
}

/* The table, not the file, determines the depth of the recursion. */
static int check_object(const struct gltf *gltf, const struct json_path *place, const cJSON *item,
                        enum schema_object object, struct err *err)
{
    if (!cJSON_IsObject(item))
        return wrong_type(place, item, "an object", err);
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        if (ROWS[i].object != object)
            continue;
        const struct json_path inner = {.parent = place, .member = ROWS[i].member};
        const cJSON *member = json_member(item, ROWS[i].member);
        if (member == NULL && ROWS[i].is_required)
            return wrong_value(&inner, "is missing", err);
        if (member != NULL && check_value(gltf, &inner, member, ROWS[i].type, ROWS[i].argument, err) < 0)
            return err->code;
    }
    return 0;
}

struct gltf_list gltf_list_of(const cJSON *array)
{
    struct gltf_list list = {.count = cJSON_IsArray(array) ? (uint32_t)cJSON_GetArraySize(array) : 0};
    list.items = mem_zalloc(list.count, sizeof *list.items);
    uint32_t i = 0;
    for (const cJSON *item = list.count == 0 ? NULL : array->child; item != NULL; item = item->next)
        list.items[i++] = item;
    return list;
}

int gltf_schema_check(struct gltf *gltf, struct err *err)
{
    for (int id = 0; id < GLTF_LIST_COUNT; id++)
        gltf->lists[id] = gltf_list_of(json_member(gltf->root, GLTF_LIST_NAMES[id]));
    return check_object(gltf, NULL, gltf->root, OBJECT_ROOT, err);
}

struct str gltf_name(const struct gltf *gltf, const cJSON *object, enum gltf_list_id list, uint32_t index)
{
    const char *name = json_text(object, "name");
    if (name != NULL && !utf8_is_valid(name, strlen(name)))
        bake_warn(gltf->builder, "name_repaired", "the name of %s[%u] is not UTF-8: '?' stands for its bad bytes",
                  GLTF_LIST_NAMES[list], index);
    return bake_textz(gltf->builder, name);
}

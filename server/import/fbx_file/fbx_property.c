/* fbx_property.c - properties: an object's own, its given values, and its template's. */
#include "base/mem.h"
#include "import/fbx_file/fbx_scene_internal.h"

#include <stdlib.h>
#include <string.h>

static struct fbx_span name_of(const struct fbx_scene *scene, uint32_t record)
{
    return fbx_text(&scene->file, record, 0);
}

static int by_name(const void *a, const void *b, void *context)
{
    const struct fbx_scene *scene = context;
    const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    const int order = fbx_span_order(name_of(scene, first), name_of(scene, second));
    return order != 0 ? order : (first > second) - (first < second);
}

static bool is_property(const struct fbx_scene *scene, uint32_t record)
{
    return fbx_is(&scene->file, record, "P") || fbx_is(&scene->file, record, "Property");
}

/* Keeps the last of several properties with one name. */
struct fbx_property_list fbx_list_properties(struct fbx_scene *scene, uint32_t parent, uint32_t *record)
{
    const struct fbx_file *file = &scene->file;
    uint32_t list = fbx_child(file, parent, "Properties70");
    if (list == FBX_NONE)
        list = fbx_child(file, parent, "Properties60");
    *record = list;
    const uint32_t first = scene->property_count;
    for (uint32_t at = fbx_child(file, list, NULL); at != FBX_NONE; at = fbx_next(file, at, NULL)) {
        if (!is_property(scene, at))
            continue;
        if (scene->property_count == scene->property_capacity) {
            scene->property_capacity = scene->property_capacity < 256 ? 256 : scene->property_capacity * 2;
            scene->properties = mem_realloc(scene->properties, scene->property_capacity * sizeof *scene->properties);
        }
        scene->properties[scene->property_count++] = at;
    }
    const uint32_t count = scene->property_count - first;
    if (count == 0)
        return (struct fbx_property_list){first, 0};
    uint32_t *items = scene->properties + first;
    qsort_r(items, count, sizeof *items, by_name, scene);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (i + 1 == count || !fbx_span_equal(name_of(scene, items[i]), name_of(scene, items[i + 1])))
            items[kept++] = items[i];
    scene->property_count = first + kept;
    return (struct fbx_property_list){first, kept};
}

static uint32_t find(const struct fbx_scene *scene, struct fbx_property_list list, struct fbx_span name)
{
    uint32_t from = list.first, to = list.first + list.count;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        const int order = fbx_span_order(name_of(scene, scene->properties[middle]), name);
        if (order == 0)
            return scene->properties[middle];
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return FBX_NONE;
}

/* "P" has a label between type and flags; "Property" does not. */
static struct fbx_property property_of(const struct fbx_scene *scene, uint32_t record)
{
    const struct fbx_file *file = &scene->file;
    const bool has_label = fbx_is(file, record, "P");
    const uint32_t first = has_label ? 4 : 3, count = fbx_value_count(file, record);
    return (struct fbx_property){
        .name = fbx_text(file, record, 0),
        .type = fbx_text(file, record, 1),
        .label = has_label ? fbx_text(file, record, 2) : fbx_span_of(""),
        .flags = fbx_text(file, record, first - 1),
        .record = record,
        .value_first = first,
        .value_count = count > first ? count - first : 0,
    };
}

bool fbx_property_find(const struct fbx_scene *scene, uint32_t object, const char *name, struct fbx_property *out)
{
    return fbx_property_named(scene, object, fbx_span_of(name), out);
}

bool fbx_property_named(const struct fbx_scene *scene, uint32_t object, struct fbx_span name, struct fbx_property *out)
{
    if (object == FBX_NONE)
        return false;
    const struct fbx_object *of = &scene->objects[object];
    uint32_t record = find(scene, of->own, name);
    if (record == FBX_NONE || property_of(scene, record).value_count == 0) {
        const uint32_t fallback = find(scene, of->defaults, name);
        record = fallback != FBX_NONE ? fallback : record;
    }
    if (record != FBX_NONE)
        *out = property_of(scene, record);
    return record != FBX_NONE;
}

bool fbx_property_next(const struct fbx_scene *scene, uint32_t object, uint32_t *cursor, struct fbx_property *out)
{
    const struct fbx_file *file = &scene->file;
    uint32_t at = *cursor == FBX_NONE ? fbx_child(file, scene->objects[object].property_record, NULL)
                                      : fbx_next(file, *cursor, NULL);
    while (at != FBX_NONE && !is_property(scene, at))
        at = fbx_next(file, at, NULL);
    if (at == FBX_NONE)
        return false;
    *cursor = at;
    *out = property_of(scene, at);
    return true;
}

static const struct fbx_given *find_given(const struct fbx_scene *scene, uint32_t object, const char *name)
{
    const struct fbx_object *of = &scene->objects[object];
    for (uint32_t i = of->given_first; i < of->given_first + of->given_count; i++)
        if (strcmp(scene->given[i].name, name) == 0)
            return &scene->given[i];
    return NULL;
}

/* The first `count` numbers of the object's own property, else of its given value, else of its template's property. */
static bool numbers(const struct fbx_scene *scene, uint32_t object, const char *name, uint32_t count, double *out)
{
    if (object == FBX_NONE)
        return false;
    const struct fbx_property_list lists[2] = {scene->objects[object].own, scene->objects[object].defaults};
    for (int i = 0; i < 2; i++) {
        const uint32_t record = find(scene, lists[i], fbx_span_of(name));
        const uint32_t first = record == FBX_NONE ? 0 : property_of(scene, record).value_first;
        uint32_t found = 0;
        for (; record != FBX_NONE && found < count; found++) {
            const struct fbx_value *value = fbx_value(&scene->file, record, first + found);
            if (value == NULL || (value->kind != FBX_REAL && value->kind != FBX_INTEGER))
                break;
        }
        if (found == count) {
            for (uint32_t v = 0; v < count; v++)
                out[v] = fbx_real(&scene->file, record, first + v, 0);
            return true;
        }
        const struct fbx_given *given = i == 0 ? find_given(scene, object, name) : NULL;
        if (given != NULL) {
            memcpy(out, given->value, count * sizeof *out);
            return true;
        }
    }
    return false;
}

bool fbx_property_real(const struct fbx_scene *scene, uint32_t object, const char *name, double *out)
{
    return numbers(scene, object, name, 1, out);
}

bool fbx_property_real3(const struct fbx_scene *scene, uint32_t object, const char *name, double out[3])
{
    return numbers(scene, object, name, 3, out);
}

bool fbx_property_integer(const struct fbx_scene *scene, uint32_t object, const char *name, int64_t *out)
{
    if (object == FBX_NONE)
        return false;
    const struct fbx_property_list lists[2] = {scene->objects[object].own, scene->objects[object].defaults};
    for (int i = 0; i < 2; i++) {
        const uint32_t record = find(scene, lists[i], fbx_span_of(name));
        const uint32_t first = record == FBX_NONE ? 0 : property_of(scene, record).value_first;
        const struct fbx_value *value = record == FBX_NONE ? NULL : fbx_value(&scene->file, record, first);
        if (value != NULL && (value->kind == FBX_INTEGER || value->kind == FBX_REAL)) {
            *out = fbx_integer(&scene->file, record, first, *out);
            return true;
        }
        const struct fbx_given *given = i == 0 ? find_given(scene, object, name) : NULL;
        if (given != NULL && given->value[0] > -9223372036854775808.0 && given->value[0] < 9223372036854775808.0) {
            *out = (int64_t)given->value[0];
            return true;
        }
    }
    return false;
}

/* Some have a number before the text: an enumeration its index and then its names. */
bool fbx_property_text(const struct fbx_scene *scene, uint32_t object, const char *name, struct fbx_span *out)
{
    if (object == FBX_NONE)
        return false;
    const struct fbx_property_list lists[2] = {scene->objects[object].own, scene->objects[object].defaults};
    for (int i = 0; i < 2; i++) {
        const uint32_t record = find(scene, lists[i], fbx_span_of(name));
        const uint32_t first = record == FBX_NONE ? 0 : property_of(scene, record).value_first;
        for (uint32_t v = first; record != FBX_NONE && v < first + 2; v++) {
            const struct fbx_value *value = fbx_value(&scene->file, record, v);
            if (value != NULL && value->kind == FBX_TEXT) {
                *out = value->span;
                return true;
            }
        }
    }
    return false;
}

void fbx_give(struct fbx_scene *scene, uint32_t object, const char *name, const double value[3])
{
    if (scene->given_count == scene->given_capacity) {
        scene->given_capacity = scene->given_capacity < 64 ? 64 : scene->given_capacity * 2;
        scene->given = mem_realloc(scene->given, scene->given_capacity * sizeof *scene->given);
    }
    scene->given[scene->given_count] =
        (struct fbx_given){object, scene->given_count, name, {value[0], value[1], value[2]}};
    scene->given_count++;
}

static int by_object(const void *a, const void *b)
{
    const struct fbx_given *first = a, *second = b;
    if (first->object != second->object)
        return first->object > second->object ? 1 : -1;
    const int order = strcmp(first->name, second->name);
    return order != 0 ? order : (first->order > second->order) - (first->order < second->order);
}

void fbx_index_given(struct fbx_scene *scene)
{
    uint32_t kept = 0;
    if (scene->given_count == 0)
        return;
    qsort(scene->given, scene->given_count, sizeof *scene->given, by_object);
    for (uint32_t i = 0; i < scene->given_count; i++) {
        const struct fbx_given *given = &scene->given[i];
        if (i + 1 < scene->given_count && given->object == given[1].object && strcmp(given->name, given[1].name) == 0)
            continue;
        struct fbx_object *object = &scene->objects[given->object];
        if (object->given_count++ == 0)
            object->given_first = kept;
        scene->given[kept++] = *given;
    }
    scene->given_count = kept;
}

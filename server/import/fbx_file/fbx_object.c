/* fbx_object.c - reads objects from the records of "Objects", and finds objects by id and name. */
#include "base/mem.h"
#include "import/fbx_file/fbx_scene_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_SPLIT = -1 };

/* The position of two bytes in a name, or NO_SPLIT. */
static int64_t find_two(struct fbx_span name, const char two[2])
{
    for (size_t i = 0; i + 2 <= name.size_bytes; i++)
        if (memcmp(name.bytes + i, two, 2) == 0)
            return (int64_t)i;
    return NO_SPLIT;
}

/* "Model::hip" in ASCII files, "hip\0\1Model" in binary ones. */
struct fbx_span fbx_plain_name(const struct fbx_scene *scene, struct fbx_span full_name)
{
    const int64_t at = find_two(full_name, scene->file.is_ascii ? "::" : "\0\1");
    if (at == NO_SPLIT)
        return full_name;
    if (!scene->file.is_ascii)
        return (struct fbx_span){full_name.bytes, (size_t)at};
    return (struct fbx_span){full_name.bytes + at + 2, full_name.size_bytes - (size_t)at - 2};
}

uint32_t fbx_add_object(struct fbx_scene *scene, const struct fbx_object *object, struct err *err)
{
    if (scene->object_count >= FBX_TOP) {
        err_set(err, ERR_MODEL_LIMIT, "the file has more objects than %u", FBX_TOP);
        return FBX_NONE;
    }
    if (scene->object_count == scene->object_capacity) {
        scene->object_capacity = scene->object_capacity < 64 ? 64 : scene->object_capacity + scene->object_capacity / 2;
        scene->objects = mem_realloc(scene->objects, scene->object_capacity * sizeof *scene->objects);
    }
    scene->objects[scene->object_count] = *object;
    return scene->object_count++;
}

/* Objects of 7.x have a number before their name. */
static int read_object(struct fbx_scene *scene, uint32_t record, struct err *err)
{
    const struct fbx_file *file = &scene->file;
    const struct fbx_value *first = fbx_value(file, record, 0);
    if (first == NULL || (first->kind != FBX_INTEGER && first->kind != FBX_TEXT))
        return 0;
    const bool has_id = first->kind == FBX_INTEGER;
    const struct fbx_value *name = fbx_value(file, record, has_id);
    if (name == NULL || name->kind != FBX_TEXT)
        return 0;
    struct fbx_object object = {
        .has_id = has_id,
        .id = has_id ? first->integer : 0,
        .full_name = name->span,
        .name = fbx_plain_name(scene, name->span),
        .kind = file->records[record].name,
        .subtype = fbx_text(file, record, has_id + 1u),
        .record = record,
        .part = FBX_NONE,
    };
    if (object.subtype.size_bytes > 3 && memcmp(object.subtype.bytes, "Fbx", 3) == 0)
        object.subtype = (struct fbx_span){object.subtype.bytes + 3, object.subtype.size_bytes - 3};
    object.own = fbx_list_properties(scene, record, &object.property_record);
    return fbx_add_object(scene, &object, err) == FBX_NONE ? err->code : 0;
}

/* The root node of the first document has its own id, usually 0. */
static int64_t root_id(const struct fbx_file *file)
{
    const uint32_t documents = fbx_child(file, FBX_TOP, "Documents");
    return fbx_child_integer(file, fbx_child(file, documents, "Document"), "RootNode", 0);
}

int fbx_read_objects(struct fbx_scene *scene, struct err *err)
{
    static const uint8_t BINARY_SCENE[] = {'S', 'c', 'e', 'n', 'e', 0, 1, 'M', 'o', 'd', 'e', 'l'};
    const struct fbx_file *file = &scene->file;
    const uint32_t list = fbx_child(file, FBX_TOP, "Objects");
    const struct fbx_object root = {
        .has_id = true,
        .id = root_id(file),
        .name = fbx_span_of(""),
        .full_name =
            file->is_ascii ? fbx_span_of("Model::Scene") : (struct fbx_span){BINARY_SCENE, sizeof BINARY_SCENE},
        .kind = fbx_span_of(""),
        .subtype = fbx_span_of(""),
        .record = FBX_NONE,
        .property_record = FBX_NONE,
        .part = FBX_NONE,
    };
    struct fbx_object settings = root;
    settings.has_id = false;
    settings.full_name = fbx_span_of("");
    settings.kind = fbx_span_of("GlobalSettings");
    settings.record = fbx_child(file, FBX_TOP, "GlobalSettings");
    if (settings.record == FBX_NONE)
        settings.record = fbx_child(file, list, "GlobalSettings");
    settings.own = fbx_list_properties(scene, settings.record, &settings.property_record);
    if (fbx_add_object(scene, &root, err) == FBX_NONE || fbx_add_object(scene, &settings, err) == FBX_NONE)
        return err->code;
    if (fbx_is_old(scene))
        return fbx_read_old_objects(scene, err);
    for (uint32_t record = fbx_child(file, list, NULL); record != FBX_NONE; record = fbx_next(file, record, NULL))
        if (record != settings.record && read_object(scene, record, err) < 0)
            return err->code;
    return 0;
}

static int by_id(const void *a, const void *b, void *context)
{
    const struct fbx_object *objects = context;
    const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    const int64_t first_id = objects[first].id, second_id = objects[second].id;
    return first_id != second_id ? (first_id > second_id ? 1 : -1) : (first > second) - (first < second);
}

static int by_name(const void *a, const void *b, void *context)
{
    const struct fbx_object *objects = context;
    const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    const int order = fbx_span_order(objects[first].full_name, objects[second].full_name);
    return order != 0 ? order : (first > second) - (first < second);
}

void fbx_index_objects(struct fbx_scene *scene)
{
    scene->ids = mem_realloc(scene->ids, scene->object_count * sizeof *scene->ids);
    scene->names = mem_realloc(scene->names, scene->object_count * sizeof *scene->names);
    scene->id_count = 0;
    for (uint32_t i = 0; i < scene->object_count; i++) {
        if (scene->objects[i].has_id)
            scene->ids[scene->id_count++] = i;
        scene->names[i] = i;
    }
    scene->name_count = scene->object_count;
    qsort_r(scene->ids, scene->id_count, sizeof *scene->ids, by_id, scene->objects);
    qsort_r(scene->names, scene->name_count, sizeof *scene->names, by_name, scene->objects);
}

uint32_t fbx_object_of_id(const struct fbx_scene *scene, int64_t id)
{
    uint32_t from = 0, to = scene->id_count;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (scene->objects[scene->ids[middle]].id < id)
            from = middle + 1;
        else
            to = middle;
    }
    if (from < scene->id_count && scene->objects[scene->ids[from]].id == id)
        return scene->ids[from];
    return id == 0 ? FBX_ROOT : FBX_NONE;
}

uint32_t fbx_object_named(const struct fbx_scene *scene, struct fbx_span full_name)
{
    uint32_t from = 0, to = scene->name_count;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (fbx_span_order(scene->objects[scene->names[middle]].full_name, full_name) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    if (from < scene->name_count && fbx_span_equal(scene->objects[scene->names[from]].full_name, full_name))
        return scene->names[from];
    return FBX_NONE;
}

bool fbx_object_is(const struct fbx_scene *scene, uint32_t object, const char *kind, const char *subtype)
{
    return object != FBX_NONE && fbx_span_is(scene->objects[object].kind, kind) &&
           (subtype == NULL || fbx_span_is(scene->objects[object].subtype, subtype));
}

const char *fbx_object_text(const struct fbx_scene *scene, uint32_t object, char out[FBX_OBJECT_TEXT_SIZE])
{
    enum { KIND_BYTES = 40, NAME_BYTES = 100 };
    const struct fbx_object *of = &scene->objects[object];
    const int kind = of->kind.size_bytes < KIND_BYTES ? (int)of->kind.size_bytes : KIND_BYTES;
    const int name = of->name.size_bytes < NAME_BYTES ? (int)of->name.size_bytes : NAME_BYTES;
    snprintf(out, FBX_OBJECT_TEXT_SIZE, "%.*s '%.*s'", kind, (const char *)of->kind.bytes, name,
             (const char *)of->name.bytes);
    return out;
}

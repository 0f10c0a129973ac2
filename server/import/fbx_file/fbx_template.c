/* fbx_template.c - the defaults that "Definitions" gives to the objects of a kind.
 *
 * ObjectType: "Model" { PropertyTemplate: "FbxNode" { Properties70 { ... } } }. A template applies to the class that it
 * names. The template of a model, material, stack or layer serves all objects of the kind. Any other template serves
 * only objects whose subtype is its name without "Fbx". */
#include "base/mem.h"
#include "import/fbx_file/fbx_scene_internal.h"

#include <stdlib.h>

struct kind_template {
    struct fbx_span kind, subtype;
    struct fbx_property_list list;
};

static bool is_for_all(struct fbx_span kind)
{
    return fbx_span_is(kind, "Model") || fbx_span_is(kind, "Material") || fbx_span_is(kind, "AnimationStack") ||
           fbx_span_is(kind, "AnimationLayer");
}

static struct fbx_span subtype_of(struct fbx_span name)
{
    static const uint8_t LOD_GROUP[] = "LodGroup"; /* objects write it so, their template FbxLODGroup */
    if (fbx_span_is(name, "FbxLODGroup"))
        return (struct fbx_span){LOD_GROUP, sizeof LOD_GROUP - 1};
    const bool has_prefix = name.size_bytes > 3 && fbx_span_is((struct fbx_span){name.bytes, 3}, "Fbx");
    return has_prefix ? (struct fbx_span){name.bytes + 3, name.size_bytes - 3} : name;
}

static int by_kind(const void *a, const void *b)
{
    const struct kind_template *first = a, *second = b;
    const int order = fbx_span_order(first->kind, second->kind);
    return order != 0 ? order : (first->list.first > second->list.first) - (first->list.first < second->list.first);
}

static const struct kind_template *find(const struct kind_template *templates, uint32_t count, struct fbx_span kind)
{
    uint32_t from = 0, to = count;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (fbx_span_order(templates[middle].kind, kind) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from < count && fbx_span_equal(templates[from].kind, kind) ? &templates[from] : NULL;
}

static uint32_t read_all(struct fbx_scene *scene, struct kind_template **out)
{
    const struct fbx_file *file = &scene->file;
    const uint32_t definitions = fbx_child(file, FBX_TOP, "Definitions");
    uint32_t count = 0, capacity = 0;
    for (uint32_t type = fbx_child(file, definitions, "ObjectType"); type != FBX_NONE;
         type = fbx_next(file, type, "ObjectType")) {
        const uint32_t record = fbx_child(file, type, "PropertyTemplate");
        uint32_t properties;
        if (record == FBX_NONE)
            continue;
        const struct fbx_property_list list = fbx_list_properties(scene, record, &properties);
        if (list.count == 0)
            continue;
        if (count == capacity) {
            capacity = capacity < 16 ? 16 : capacity * 2;
            *out = mem_realloc(*out, capacity * sizeof **out);
        }
        (*out)[count++] = (struct kind_template){fbx_text(file, type, 0), subtype_of(fbx_text(file, record, 0)), list};
    }
    return count;
}

void fbx_read_templates(struct fbx_scene *scene)
{
    struct kind_template *templates = NULL;
    const uint32_t count = read_all(scene, &templates);
    if (count > 0)
        qsort(templates, count, sizeof *templates, by_kind);
    for (uint32_t i = 0; i < scene->object_count; i++) {
        struct fbx_object *object = &scene->objects[i];
        const struct kind_template *found = find(templates, count, object->kind);
        if (found != NULL && (is_for_all(object->kind) || fbx_span_equal(found->subtype, object->subtype)))
            object->defaults = found->list;
    }
    free(templates);
}

/* fbx_link.c - reads the connections between objects, by id (from 7.0 on) or by full name.
 *
 * C: "OO", child, parent; "OP", child, parent, property; "PO", child, property, parent; "PP" with both. */
#include "base/mem.h"
#include "import/fbx_file/fbx_scene_internal.h"

#include <stdlib.h>
#include <string.h>

int fbx_add_link(struct fbx_scene *scene, const struct fbx_link *link, struct err *err)
{
    if (scene->link_count == UINT32_MAX)
        return err_set(err, ERR_MODEL_LIMIT, "the file has more connections than %u", UINT32_MAX);
    if (scene->link_count == scene->link_capacity) {
        scene->link_capacity = scene->link_capacity < 64 ? 64 : scene->link_capacity + scene->link_capacity / 2;
        scene->links = mem_realloc(scene->links, scene->link_capacity * sizeof *scene->links);
    }
    scene->links[scene->link_count++] = *link;
    return 0;
}

uint32_t fbx_object_at(const struct fbx_scene *scene, uint32_t record, uint32_t value)
{
    const struct fbx_value *found = fbx_value(&scene->file, record, value);
    if (found == NULL)
        return FBX_NONE;
    if (found->kind == FBX_INTEGER)
        return fbx_object_of_id(scene, found->integer);
    return found->kind == FBX_TEXT ? fbx_object_named(scene, found->span) : FBX_NONE;
}

/* Returns false if the connection is broken or one of its ends is not an object. */
static bool read_link(const struct fbx_scene *scene, uint32_t record, struct fbx_link *out)
{
    const struct fbx_file *file = &scene->file;
    const struct fbx_span type = fbx_text(file, record, 0);
    if (type.size_bytes != 2 || (type.bytes[0] != 'O' && type.bytes[0] != 'P') ||
        (type.bytes[1] != 'O' && type.bytes[1] != 'P'))
        return false;
    const bool from_property = type.bytes[0] == 'P', to_property = type.bytes[1] == 'P';
    *out = (struct fbx_link){
        .child = fbx_object_at(scene, record, 1),
        .child_property = from_property ? fbx_text(file, record, 2) : fbx_span_of(""),
        .parent = fbx_object_at(scene, record, 2u + from_property),
        .property = to_property ? fbx_text(file, record, 3u + from_property) : fbx_span_of(""),
    };
    if (out->child == FBX_NONE || out->parent == FBX_NONE)
        return false;
    /* Files before 7.0 connect a deformer to the model. */
    const uint32_t part = scene->objects[out->parent].part;
    if (part != FBX_NONE && fbx_object_is(scene, out->child, "Deformer", NULL))
        out->parent = part;
    return true;
}

/* --- duplicate links --- */

/* Links whose duplicates would deform or move twice. A material may be linked twice, to two slots. */
static bool counts_once(const struct fbx_scene *scene, const struct fbx_link *link)
{
    return link->property.size_bytes == 0 && link->child_property.size_bytes == 0 &&
           (fbx_object_is(scene, link->child, "Deformer", NULL) ||
            fbx_object_is(scene, link->child, "AnimationLayer", NULL) ||
            fbx_object_is(scene, link->child, "AnimationCurveNode", NULL));
}

static int by_ends(const void *a, const void *b, void *context)
{
    const struct fbx_link *links = context;
    const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    const struct fbx_link *i = &links[first], *k = &links[second];
    return i->parent != k->parent ? (i->parent > k->parent ? 1 : -1)
           : i->child != k->child ? (i->child > k->child ? 1 : -1)
                                  : (first > second) - (first < second);
}

/* Keeps the first of each. */
static void drop_repeated(struct fbx_scene *scene)
{
    struct fbx_link *links = scene->links;
    uint32_t *order = mem_alloc(scene->link_count * sizeof *order), count = 0, kept = 0;
    bool *is_repeated = mem_zalloc((size_t)scene->link_count + 1, sizeof *is_repeated);
    for (uint32_t i = 0; i < scene->link_count; i++)
        if (counts_once(scene, &links[i]))
            order[count++] = i;
    if (count > 0)
        qsort_r(order, count, sizeof *order, by_ends, links);
    for (uint32_t i = 1; i < count; i++)
        is_repeated[order[i]] =
            links[order[i]].parent == links[order[i - 1]].parent && links[order[i]].child == links[order[i - 1]].child;
    for (uint32_t i = 0; i < scene->link_count; i++)
        if (!is_repeated[i])
            links[kept++] = links[i];
    scene->link_count = kept;
    free(order);
    free(is_repeated);
}

int fbx_read_links(struct fbx_scene *scene, struct err *err)
{
    const struct fbx_file *file = &scene->file;
    const uint32_t list = fbx_child(file, FBX_TOP, "Connections");
    for (uint32_t record = fbx_child(file, list, NULL); record != FBX_NONE; record = fbx_next(file, record, NULL)) {
        struct fbx_link link;
        if (read_link(scene, record, &link) && fbx_add_link(scene, &link, err) < 0)
            return err->code;
    }
    drop_repeated(scene);
    return 0;
}

/* Sorts by counting, which keeps the order of an object's links. */
static void sort(struct fbx_scene *scene, struct fbx_link *to, bool by_parent)
{
    uint32_t *ends = mem_zalloc((size_t)scene->object_count + 1, sizeof *ends);
    for (uint32_t i = 0; i < scene->link_count; i++)
        ends[by_parent ? scene->links[i].parent : scene->links[i].child]++;
    uint32_t first = 0;
    for (uint32_t i = 0; i < scene->object_count; i++) {
        struct fbx_object *object = &scene->objects[i];
        *(by_parent ? &object->child_link_first : &object->parent_link_first) = first;
        *(by_parent ? &object->child_link_count : &object->parent_link_count) = ends[i];
        const uint32_t count = ends[i];
        ends[i] = first; /* position of its next link */
        first += count;
    }
    for (uint32_t i = 0; i < scene->link_count; i++)
        to[ends[by_parent ? scene->links[i].parent : scene->links[i].child]++] = scene->links[i];
    free(ends);
}

void fbx_index_links(struct fbx_scene *scene)
{
    if (scene->link_count == 0)
        return;
    const size_t bytes = scene->link_count * sizeof *scene->links;
    scene->links_by_child = mem_realloc(scene->links_by_child, bytes);
    scene->links_by_parent = mem_realloc(scene->links_by_parent, bytes);
    sort(scene, scene->links_by_parent, true);
    sort(scene, scene->links_by_child, false);
}

const struct fbx_link *fbx_children(const struct fbx_scene *scene, uint32_t object, uint32_t *count)
{
    *count = object == FBX_NONE ? 0 : scene->objects[object].child_link_count;
    return *count == 0 ? NULL : scene->links_by_parent + scene->objects[object].child_link_first;
}

const struct fbx_link *fbx_parents(const struct fbx_scene *scene, uint32_t object, uint32_t *count)
{
    *count = object == FBX_NONE ? 0 : scene->objects[object].parent_link_count;
    return *count == 0 ? NULL : scene->links_by_child + scene->objects[object].parent_link_first;
}

static bool fits(const struct fbx_scene *scene, const struct fbx_link *link, uint32_t object, const char *kind,
                 const char *subtype)
{
    const struct fbx_object *of = &scene->objects[object];
    const bool is_of_properties = link->property.size_bytes > 0 || link->child_property.size_bytes > 0;
    return !is_of_properties && (kind == NULL || fbx_span_is(of->kind, kind)) &&
           (subtype == NULL || fbx_span_is(of->subtype, subtype));
}

uint32_t fbx_first_child(const struct fbx_scene *scene, uint32_t object, const char *kind, const char *subtype)
{
    uint32_t count;
    const struct fbx_link *links = fbx_children(scene, object, &count);
    for (uint32_t i = 0; i < count; i++)
        if (fits(scene, &links[i], links[i].child, kind, subtype))
            return links[i].child;
    return FBX_NONE;
}

uint32_t fbx_first_parent(const struct fbx_scene *scene, uint32_t object, const char *kind, const char *subtype)
{
    uint32_t count;
    const struct fbx_link *links = fbx_parents(scene, object, &count);
    for (uint32_t i = 0; i < count; i++)
        if (fits(scene, &links[i], links[i].parent, kind, subtype))
            return links[i].parent;
    return FBX_NONE;
}

/* threemf_link.c - resolves references between objects after all parts are read. */
#include "import/threemf/threemf.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const struct threemf_resource *x = a, *y = b;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

const struct threemf_resource *threemf_find(const struct threemf *threemf, uint32_t part, uint32_t id)
{
    const struct threemf_resource key = {.part = part, .id = id};
    if (threemf->resource_count == 0)
        return NULL;
    return bsearch(&key, threemf->resources, threemf->resource_count, sizeof key, compare);
}

struct threemf_label threemf_label_of(const struct threemf *threemf, uint32_t object)
{
    struct threemf_label label;
    const struct threemf_object *at = &threemf->objects[object];
    const struct bake_builder *builder = threemf->import->builder;
    const char *path = threemf->parts[at->part].path;
    if (at->name.offset == STR_NONE || at->name.size_bytes == 0)
        snprintf(label.text, sizeof label.text, "object %u of part '%.120s'", at->id, path);
    else
        snprintf(label.text, sizeof label.text, "object %u ('%.*s') of part '%.120s'", at->id,
                 at->name.size_bytes < 60 ? (int)at->name.size_bytes : 60, builder->text + at->name.offset, path);
    return label;
}

static int sort_resources(struct threemf *threemf, struct err *err)
{
    if (threemf->resource_count > 1)
        qsort(threemf->resources, threemf->resource_count, sizeof *threemf->resources, compare);
    for (uint32_t i = 1; i < threemf->resource_count; i++) {
        const struct threemf_resource *at = &threemf->resources[i];
        if (compare(at - 1, at) == 0)
            return err_set(err, ERR_BAD_MODEL, "part '%.200s': two resources have the id %u",
                           threemf->parts[at->part].path, at->id);
    }
    return 0;
}

static int find_object(const struct threemf *threemf, struct threemf_use *use, uint32_t part, const char *tag,
                       struct err *err)
{
    const struct threemf_resource *found = threemf_find(threemf, use->part, use->id);
    if (found == NULL || found->kind != KIND_OBJECT)
        return err_set(err, ERR_BAD_MODEL, "part '%.150s', line %u, <%s>: part '%.150s' has no object %u",
                       threemf->parts[part].path, use->line, tag, threemf->parts[use->part].path, use->id);
    use->object = found->index;
    return 0;
}

static int find_objects(struct threemf *threemf, struct err *err)
{
    for (uint32_t o = 0; o < threemf->object_count; o++) {
        const struct threemf_object *object = &threemf->objects[o];
        for (uint32_t u = object->use_first; u < object->use_first + object->use_count; u++) {
            if (find_object(threemf, &threemf->uses[u], object->part, "component", err) < 0)
                return err->code;
            threemf->objects[threemf->uses[u].object].is_component = true;
        }
    }
    for (uint32_t i = 0; i < threemf->item_count; i++)
        if (find_object(threemf, &threemf->items[i], 0, "item", err) < 0)
            return err->code;
    return 0;
}

/* --- node counts and cycles of components --- */

/* An object on the current path, and its next component. */
struct step {
    uint32_t object, next;
};

enum mark { MARK_NEW, MARK_OPEN, MARK_DONE };

/* Walks down from `start` without recursion, because the file determines the depth. */
static int count_nodes(struct threemf *threemf, uint32_t start, uint8_t *marks, struct step *steps, struct err *err)
{
    uint32_t depth = 1;
    steps[0] = (struct step){start, 0};
    marks[start] = MARK_OPEN;
    threemf->objects[start].node_count = 1;
    while (depth > 0) {
        struct step *at = &steps[depth - 1];
        struct threemf_object *object = &threemf->objects[at->object];
        if (at->next == object->use_count) {
            marks[at->object] = MARK_DONE;
            depth--;
            continue;
        }
        const uint32_t child = threemf->uses[object->use_first + at->next].object;
        if (marks[child] == MARK_OPEN)
            return err_set(err, ERR_BAD_MODEL, "%s is a component of itself", THREEMF_OBJECT_TEXT(threemf, child));
        if (marks[child] == MARK_NEW) {
            marks[child] = MARK_OPEN;
            threemf->objects[child].node_count = 1;
            steps[depth++] = (struct step){child, 0};
            continue;
        }
        object->node_count += threemf->objects[child].node_count;
        if (object->node_count > UINT32_MAX)
            object->node_count = UINT32_MAX;
        at->next++;
    }
    return 0;
}

int threemf_link(struct threemf *threemf, struct err *err)
{
    if (sort_resources(threemf, err) < 0 || find_objects(threemf, err) < 0)
        return err->code;
    uint8_t *marks = mem_zalloc((size_t)threemf->object_count + 1, sizeof *marks);
    struct step *steps = mem_alloc(((size_t)threemf->object_count + 1) * sizeof *steps);
    int rc = 0;
    for (uint32_t o = 0; o < threemf->object_count && rc == 0; o++)
        if (marks[o] == MARK_NEW)
            rc = count_nodes(threemf, o, marks, steps, err);
    free(marks);
    free(steps);
    return rc;
}

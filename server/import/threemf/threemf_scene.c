/* threemf_scene.c - converts build items and components to nodes: one per use of an object, as a child of the use that
 * contains the component. */
#include "import/threemf/threemf.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Converts the 3x4 matrix of a use to the builder's; the identity needs none. */
static int add_matrix(struct threemf *threemf, const double transform[12], struct node *node, struct err *err)
{
    static const double IDENTITY[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    struct mat4 matrix = {{0}};
    if (memcmp(transform, IDENTITY, sizeof IDENTITY) == 0)
        return 0;
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 3; r++)
            matrix.m[4 * c + r] = (float)transform[3 * c + r];
    matrix.m[15] = 1;
    node->matrix = (int32_t)threemf->import->builder->node_matrix_count;
    return import_put_node_matrix(threemf->import, &matrix, err);
}

/* Adds the node of a use after its mesh, which other nodes may share. */
static int add_node(struct threemf *threemf, const struct threemf_use *use, int32_t parent, bool is_hidden,
                    struct err *err)
{
    struct threemf_object *object = &threemf->objects[use->object];
    struct node node = {.name = object->name,
                        .parent = parent,
                        .mesh = -1,
                        .skin = -1,
                        .matrix = -1,
                        .rotation = {0, 0, 0, 1},
                        .scale = {1, 1, 1},
                        .flags = is_hidden ? NODE_HIDDEN : 0};
    if (!object->is_made && object->triangle_count > 0 && threemf_make_mesh(threemf, use->object, err) < 0)
        return err->code;
    object->is_made = true;
    node.mesh = object->mesh;
    if (add_matrix(threemf, use->transform, &node, err) < 0)
        return err->code;
    return import_put_node(threemf->import, &node, err);
}

/* A use whose components are being added. */
struct step {
    uint32_t object, next;
    int32_t node;
};

/* Adds an item with its subtree. `steps` has one element per object, which suffices because no object contains
 * itself. */
static int add_tree(struct threemf *threemf, const struct threemf_use *item, struct step *steps, struct err *err)
{
    struct bake_builder *builder = threemf->import->builder;
    const bool is_hidden = threemf->objects[item->object].type == TYPE_OTHER;
    const uint32_t root = builder->node_count;
    if (is_hidden)
        bake_warn(builder, "geometry_ignored",
                  "%s is of the type 'other', which is no part of what is built: it is hidden",
                  THREEMF_OBJECT_TEXT(threemf, item->object));
    if (add_node(threemf, item, -1, is_hidden, err) < 0 || import_put_root(threemf->import, &root, err) < 0)
        return err->code;
    uint32_t depth = 1;
    steps[0] = (struct step){item->object, 0, (int32_t)root};
    while (depth > 0) {
        struct step *at = &steps[depth - 1];
        const struct threemf_object *object = &threemf->objects[at->object];
        if (at->next == object->use_count) {
            depth--;
            continue;
        }
        const struct threemf_use *use = &threemf->uses[object->use_first + at->next++];
        const int32_t node = (int32_t)builder->node_count;
        if (add_node(threemf, use, at->node, is_hidden, err) < 0)
            return err->code;
        steps[depth++] = (struct step){use->object, 0, node};
    }
    return 0;
}

/* A package without build items is a library: each object outside components is shown untransformed. */
static int add_items_of_library(struct threemf *threemf, struct err *err)
{
    struct bake_builder *builder = threemf->import->builder;
    for (uint32_t o = 0; o < threemf->object_count; o++) {
        const struct threemf_object *object = &threemf->objects[o];
        const struct threemf_use use = {
            .part = object->part, .id = object->id, .object = o, .transform = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}};
        if (object->is_component)
            continue;
        threemf->items =
            mem_grow(threemf->items, &threemf->item_capacity, threemf->item_count + 1, sizeof *threemf->items);
        threemf->items[threemf->item_count++] = use;
    }
    if (threemf->item_count == 0)
        return err_set(err, ERR_BAD_MODEL, "the package has no object and builds nothing");
    bake_warn(builder, "build_empty", "the file builds nothing: all of its objects are shown where they stand");
    return 0;
}

int threemf_make_nodes(struct threemf *threemf, struct err *err)
{
    if (threemf->item_count == 0 && add_items_of_library(threemf, err) < 0)
        return err->code;
    uint64_t count = 0;
    for (uint32_t i = 0; i < threemf->item_count; i++) {
        const uint32_t object = threemf->items[i].object;
        count += threemf->objects[object].node_count;
        if (import_check_limit(threemf->import, LIMIT_NODES, 0, count, THREEMF_OBJECT_TEXT(threemf, object), err) < 0)
            return err->code;
    }
    struct step *steps = mem_alloc(((size_t)threemf->object_count + 1) * sizeof *steps);
    int rc = 0;
    for (uint32_t i = 0; i < threemf->item_count && rc == 0; i++)
        rc = add_tree(threemf, &threemf->items[i], steps, err);
    free(steps);
    return rc;
}

/* assimp_tree.c - assimp's nodes as an array, parents first. */
#include "import/assimp/assimp_tree.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct dmat4 dmat4_from_assimp(const struct aiMatrix4x4 *m)
{
    return (struct dmat4){{(double)m->a1, (double)m->b1, (double)m->c1, (double)m->d1, /* column 0 */
                           (double)m->a2, (double)m->b2, (double)m->c2, (double)m->d2, /* column 1 */
                           (double)m->a3, (double)m->b3, (double)m->c3, (double)m->d3, /* column 2 */
                           (double)m->a4, (double)m->b4, (double)m->c4, (double)m->d4}};
}

bool dmat4_is_finite(const struct dmat4 *m)
{
    for (int i = 0; i < 16; i++)
        if (!isfinite(m->m[i]))
            return false;
    return true;
}

/* Walks depth first in child order, with an explicit stack because the file determines the depth. */
static int flatten(struct node_tree *tree, const struct aiScene *scene, const struct limits *limits, struct err *err)
{
    const uint64_t limit = limits->value[LIMIT_NODES];
    struct todo {
        const struct aiNode *node;
        uint32_t parent, depth;
    } *stack = mem_alloc(sizeof *stack);
    size_t stack_count = 1, stack_capacity = 1, capacity = 0;
    int rc = 0;
    stack[0] = (struct todo){scene->mRootNode, NODE_TREE_NONE, 1};
    while (stack_count > 0 && rc == 0) {
        const struct todo todo = stack[--stack_count];
        const uint32_t children = todo.node->mNumChildren;
        if (tree->count >= limit || children > limit || stack_count + children > limit) {
            rc = err_set(err, ERR_MODEL_LIMIT, "the model has more nodes than %s", LIMIT_TEXT(limits, LIMIT_NODES));
            break;
        }
        tree->nodes = mem_grow(tree->nodes, &capacity, tree->count + 1, sizeof *tree->nodes);
        struct tree_node *node = &tree->nodes[tree->count];
        *node = (struct tree_node){.node = todo.node,
                                   .parent_from_node = dmat4_from_assimp(&todo.node->mTransformation),
                                   .parent = todo.parent};
        if (!dmat4_is_finite(&node->parent_from_node))
            rc = err_set(err, ERR_BAD_MODEL, "the transform of node '%s' is not finite", todo.node->mName.data);
        tree->depth = todo.depth > tree->depth ? todo.depth : tree->depth;
        stack = mem_grow(stack, &stack_capacity, stack_count + children, sizeof *stack);
        for (uint32_t i = children; i-- > 0;)
            stack[stack_count++] = (struct todo){todo.node->mChildren[i], tree->count, todo.depth + 1};
        tree->count++;
    }
    free(stack);
    return rc;
}

static int compare_names(const struct aiString *a, const struct aiString *b)
{
    const size_t size = a->length < b->length ? a->length : b->length;
    const int order = memcmp(a->data, b->data, size);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

static int by_name_and_index(const void *a, const void *b, void *tree)
{
    const struct tree_node *nodes = ((struct node_tree *)tree)->nodes;
    const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const int order = compare_names(&nodes[i].node->mName, &nodes[k].node->mName);
    return order != 0 ? order : (i > k) - (i < k);
}

int node_tree_init(struct node_tree *tree, const struct aiScene *scene, const struct limits *limits, struct err *err)
{
    *tree = (struct node_tree){0};
    const int rc = flatten(tree, scene, limits, err);
    if (rc < 0) {
        node_tree_fini(tree);
        return rc;
    }
    tree->by_name = mem_alloc(tree->count * sizeof *tree->by_name);
    for (uint32_t i = 0; i < tree->count; i++)
        tree->by_name[i] = i;
    qsort_r(tree->by_name, tree->count, sizeof *tree->by_name, by_name_and_index, tree);
    return 0;
}

void node_tree_fini(struct node_tree *tree)
{
    free(tree->nodes);
    free(tree->by_name);
    *tree = (struct node_tree){0};
}

uint32_t node_tree_find(const struct node_tree *tree, const struct aiString *name)
{
    uint32_t first = 0, end = tree->count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (compare_names(&tree->nodes[tree->by_name[middle]].node->mName, name) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    if (first == tree->count || compare_names(&tree->nodes[tree->by_name[first]].node->mName, name) != 0)
        return NODE_TREE_NONE;
    return tree->by_name[first];
}

struct sibling {
    uintptr_t node; /* its aiNode, as a number */
    uint32_t index;
};

static int by_assimp_node(const void *a, const void *b)
{
    const uintptr_t i = ((const struct sibling *)a)->node, k = ((const struct sibling *)b)->node;
    return (i > k) - (i < k);
}

void node_tree_join_siblings(struct node_tree *tree, const struct aiString *above)
{
    const uint32_t holder = node_tree_find(tree, above);
    if (holder == NODE_TREE_NONE)
        return;
    struct sibling *siblings = mem_alloc(tree->count * sizeof *siblings);
    uint32_t count = 0;
    for (uint32_t i = holder + 1; i < tree->count; i++)
        if (tree->nodes[i].parent == holder)
            siblings[count++] = (struct sibling){(uintptr_t)tree->nodes[i].node, i};
    qsort(siblings, count, sizeof *siblings, by_assimp_node);
    for (uint32_t s = 0; s < count; s++) {
        struct tree_node *node = &tree->nodes[siblings[s].index];
        /* mParent may point anywhere, because assimp derives it from an unchecked index of the file. */
        const struct sibling wanted = {.node = (uintptr_t)node->node->mParent};
        const struct sibling *parent = bsearch(&wanted, siblings, count, sizeof *siblings, by_assimp_node);
        if (parent != NULL && parent->index < siblings[s].index)
            node->parent = parent->index;
    }
    free(siblings);
}

int32_t node_tree_parent(const struct node_tree *tree, uint32_t n)
{
    const uint32_t parent = tree->nodes[n].parent;
    return parent == NODE_TREE_NONE ? -1 : (int32_t)parent;
}

int32_t node_tree_index(const struct node_tree *tree, const struct aiString *name)
{
    const uint32_t i = node_tree_find(tree, name);
    return i == NODE_TREE_NONE ? -1 : (int32_t)i;
}

struct str assimp_text(struct bake_builder *builder, const struct aiString *name)
{
    return bake_text(builder, name->length == 0 ? NULL : name->data, name->length);
}

const void *assimp_metadata(const struct aiMetadata *metadata, const char *key, enum aiMetadataType type)
{
    for (unsigned i = 0; metadata != NULL && i < metadata->mNumProperties; i++)
        if (strcmp(metadata->mKeys[i].data, key) == 0 && metadata->mValues[i].mType == type)
            return metadata->mValues[i].mData;
    return NULL;
}

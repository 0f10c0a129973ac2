/* assimp_tree.h - assimp's node tree as a flat array, in the order of the model's nodes. One thread. */
#pragma once

#include "anim/bake/bake.h"
#include "anim/model/mat.h"
#include "base/err.h"
#include "base/limits.h"

#include <assimp/scene.h>
#include <stdbool.h>
#include <stdint.h>

#define NODE_TREE_NONE UINT32_MAX

struct tree_node {
    const struct aiNode *node;
    struct dmat4 parent_from_node; /* of assimp's node */
    uint32_t parent;               /* earlier index in tree->nodes; NODE_TREE_NONE for the root */
};

struct node_tree {
    struct tree_node *nodes; /* parents first, children in order */
    uint32_t count;
    uint32_t *by_name; /* [count], sorted by name, then index */
    uint32_t depth;
};

/* The tree borrows the scene. Returns 0, ERR_MODEL_LIMIT, ERR_IMPORT_MEMORY or ERR_BAD_MODEL (a non-finite
 * transform). */
int node_tree_init(struct node_tree *tree, const struct aiScene *scene, const struct limits *limits, struct err *err);
void node_tree_fini(struct node_tree *tree);

/* Moves each child of the node called `above` below the sibling that its mParent names. assimp's Half-Life reader
 * attaches all bones to one node and stores the real parent only in mParent. */
void node_tree_join_siblings(struct node_tree *tree, const struct aiString *above);

/* Returns the first node of this name, because assimp links by name; NODE_TREE_NONE if no node has it. */
uint32_t node_tree_find(const struct node_tree *tree, const struct aiString *name);

/* Does the same, but returns an index of the model's nodes, or -1. */
int32_t node_tree_index(const struct node_tree *tree, const struct aiString *name);

/* Returns the index of the parent of node `n`, or -1. */
int32_t node_tree_parent(const struct node_tree *tree, uint32_t n);

struct dmat4 dmat4_from_assimp(const struct aiMatrix4x4 *m);
bool dmat4_is_finite(const struct dmat4 *m);

/* Adds an aiString to the model's text. An empty one means a missing name: assimp does not distinguish the two. */
struct str assimp_text(struct bake_builder *builder, const struct aiString *name);
/* Returns the metadata value of this name and type, or NULL. */
const void *assimp_metadata(const struct aiMetadata *metadata, const char *key, enum aiMetadataType type);

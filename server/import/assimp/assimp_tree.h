/* assimp_tree.h - assimp's node tree as a flat array, with FBX's helper nodes folded away.
 *
 * To hold the parts of an FBX transform (pivots, pre-rotation, ...) assimp makes a chain of nodes
 * `X_$AssimpFbx$_Translation`, ..., `X` out of the one node X of the file, and below X, when X has a geometric
 * transform, inverse nodes that keep it from X's children. A model node is what the file calls X. One thread. */
#pragma once

#include "anim/bake/bake.h"
#include "anim/model/mat.h"
#include "base/err.h"
#include "base/limits.h"

#include <assimp/scene.h>
#include <stdbool.h>
#include <stdint.h>

#define NODE_TREE_NONE UINT32_MAX

enum tree_part {
    PART_NODE,          /* a node of the file */
    PART_CHAIN,         /* above it: a factor of its transform */
    PART_POST_ROTATION, /* likewise, see clips */
    PART_PIVOT,         /* likewise: makes the translation depend on the rotation or scale */
    PART_GEOMETRIC,     /* likewise, but it moves only the node's own meshes */
    PART_AFTER,         /* below it: takes the geometric transform back */
};

struct tree_node {
    const struct aiNode *node;
    struct dmat4 parent_from_node; /* of assimp's node */
    uint32_t parent;               /* in tree->nodes, above this one; NODE_TREE_NONE for the root */
    uint32_t chain_first;          /* PART_NODE: the topmost node of its chain, itself when there is none; the
                                      chain is chain_first..this one */
    uint32_t model_node;           /* index among the model's nodes: its own or that of the node it is folded into */
    enum tree_part part;
};

struct node_tree {
    struct tree_node *nodes; /* parents first, children in order */
    uint32_t count;
    uint32_t *by_name;       /* [count], sorted by name, then index */
    uint32_t *of_model_node; /* [model_node_count]: where it is in nodes */
    uint32_t model_node_count;
    uint32_t depth;
};

/* The scene is borrowed as long as the tree is used. Returns 0, ERR_MODEL_LIMIT, ERR_IMPORT_MEMORY or ERR_BAD_MODEL
 * (a transform that is not finite). */
int node_tree_init(struct node_tree *tree, const struct aiScene *scene, const struct limits *limits, struct err *err);
void node_tree_fini(struct node_tree *tree);

/* Puts the children of the node called `above` below the sibling that their own mParent names: assimp's reader of
 * Half-Life models hangs all bones on one node, but tells each which bone it belongs to. */
void node_tree_join_siblings(struct node_tree *tree, const struct aiString *above);

/* The first node of this name, as assimp links by name; NODE_TREE_NONE when there is none. */
uint32_t node_tree_find(const struct node_tree *tree, const struct aiString *name);

/* The model node that the name of a bone or channel means, or -1. */
int32_t node_tree_model_node(const struct node_tree *tree, const struct aiString *name);

/* Model node index of the parent of model node `n`, or -1. */
int32_t node_tree_model_parent(const struct node_tree *tree, uint32_t n);

/* parent_from_node of model node `n` at rest: the product of its chain without the geometric part. */
struct dmat4 node_tree_rest(const struct node_tree *tree, uint32_t n);
/* The geometric part; false when there is none. */
bool node_tree_geometric(const struct node_tree *tree, uint32_t n, struct dmat4 *node_from_mesh);

struct dmat4 dmat4_from_assimp(const struct aiMatrix4x4 *m);
bool dmat4_is_finite(const struct dmat4 *m);

/* An aiString as text of the model; an empty one is a missing name, which assimp does not tell apart. */
struct str assimp_text(struct bake_builder *builder, const struct aiString *name);
/* Whether it is what assimp calls COLLADA nodes that have neither id nor sid. */
bool assimp_is_auto_name(const struct aiString *name);
/* The value of this name and type, or NULL. */
const void *assimp_metadata(const struct aiMetadata *metadata, const char *key, enum aiMetadataType type);

/* pose.h - evaluates a clip of a model at a time: local transforms, scene matrices and skinning palettes.
 *
 * Pure: no I/O, no globals, no clock; any thread, one struct pose per thread. Doubles inside, floats out.
 *
 *   palette[j] = scene_from_joint(j, t) * joint_from_bind[j]      (scene_from_bind)
 *
 * in the skin's own joint order, so that scene position = sum of weight * palette[joint] * bind position. A skinned
 * mesh's own node transform is not part of it (glTF 2.0, 3.7.3.3). */
#pragma once

#include "anim/model/mat.h"

/* Working memory for one model, reused from frame to frame. */
struct pose {
    struct trs *local;             /* [node_count] */
    bool *is_animated;             /* [node_count]: some channel of the clip moves T, R or S */
    struct dmat4 *scene_from_node; /* [node_count] */
    double *weights;               /* [weight_count]: morph weights, as model->weights */
    struct scale_frame *frames;    /* [node_count] for models with MODEL_OWN_SCALES */
    bool *is_multiplied;   /* [node_count] likewise: whose matrix is multiplied with its parent's all the same */
    struct aim_node *aims; /* [node_count] for models with constraints (constraint.h) */
    uint32_t node_capacity, weight_capacity, frame_capacity, aim_capacity;
};

enum { POSE_REST = -1 }; /* in place of a clip index: the rest pose */

void pose_init(struct pose *pose);
void pose_fini(struct pose *pose);

/* Makes room for the model, so that evaluating it does not allocate. False when memory runs out; *pose is unchanged. */
bool pose_reserve(struct pose *pose, const struct model *model);

/* Evaluates every node at `clip_time_s` (already wrapped, see clip_time.h) of clip `clip` (an index, or POSE_REST):
 * local transforms, morph weights, then constraints, then scene matrices in node_order. A node given by a matrix keeps
 * that matrix unless the clip or a constraint moves it. Where the clip lacks T, R or S, the node's rest value counts.
 * Grows `pose` when the model is larger than any before. */
void pose_evaluate(struct pose *pose, const struct model *model, int32_t clip, double clip_time_s);

/* The two halves of pose_evaluate(), for callers that change local transforms in between (blend.c): pose_sample() fills
 * local, is_animated and weights, pose_compose() gives nodes with constraints their rotations (constraint.h) and makes
 * scene_from_node. Composing again after a change of local evaluates the constraints again. */
void pose_sample(struct pose *pose, const struct model *model, int32_t clip, double clip_time_s);
void pose_compose(struct pose *pose, const struct model *model);

/* Some nodes of a model, each after all its ancestors. */
struct node_list {
    const uint32_t *nodes; /* [count] */
    uint32_t count;
    const uint8_t *is_in; /* [node_count]: nonzero for these; NULL: all nodes, with morph weights */
};
static inline struct node_list node_list_all(const struct model *model)
{
    return (struct node_list){.nodes = model->node_order, .count = model->order_count};
}

/* The same for some nodes; the others are unchanged. In a model with constraints, which may depend on any node, all
 * nodes are evaluated (pose_list()). */
void pose_sample_nodes(struct pose *pose, const struct model *model, const struct node_list *list, int32_t clip,
                       double clip_time_s);
void pose_compose_nodes(struct pose *pose, const struct model *model, const struct node_list *list);

/* Returns the steps of one pose, as LIMIT_EVALUATIONS counts them: its nodes, morph weights and constraints. */
static inline uint64_t pose_step_count(const struct model *model)
{
    return (uint64_t)model->node_count + model->weight_count + model->constraint_count;
}

/* Returns the nodes that are evaluated where a caller asks for these. */
static inline struct node_list pose_list(const struct model *model, const struct node_list *list)
{
    return model->constraint_count > 0 ? node_list_all(model) : *list;
}

/* Says of a node that its local transform is the factor that answers have (local.h), whatever scales it inherits. It
 * stays so until the node is sampled again. */
void pose_set_multiplied(struct pose *pose, const struct model *model, uint32_t node, bool is_multiplied);
bool pose_is_multiplied(const struct pose *pose, const struct model *model, uint32_t node);

/* Returns a node's rest translation, rotation and scale in double precision. The rotation's float32 rounding is
 * repaired. */
struct trs pose_rest_transform(const struct node *node);

/* Returns parent_from_node in the pose: the matrix of an unanimated matrix node, else T * R * S. For a node with
 * NODE_SCALES these are the file's values, and multiplying with them does not give scene matrices; use scene_from_node
 * of the node and its parent instead. */
struct dmat4 pose_parent_from_node(const struct pose *pose, const struct model *model, uint32_t node);

enum space { SPACE_SCENE = 0, SPACE_ROOT = 1, SPACE_MESH = 2 };

/* Computes the matrix by which a palette is multiplied from the left. scene: identity; root: the inverse of the rest
 * transform of the scene's only root node (identity where there are several); mesh: the inverse of mesh node
 * `mesh_node` at the evaluated time (identity when -1). `pose` may be NULL except for mesh. ERR_NOT_FINITE when the
 * matrix has no inverse. */
struct err;
int pose_space_from_scene(const struct pose *pose, const struct model *model, enum space space, int32_t mesh_node,
                          struct dmat4 *space_from_scene, struct err *err);

/* Fills the caller's out[joint_count of the skin]: space_from_scene * scene_from_joint * joint_from_bind. Returns 0, or
 * ERR_NOT_FINITE naming the joint when a result is not a finite float. */
int pose_palette(const struct pose *pose, const struct model *model, uint32_t skin,
                 const struct dmat4 *space_from_scene, struct mat4 *out, struct err *err);

/* Prefixes a message about a joint of a skin with the joint and its node. Returns the code. */
int pose_name_joint(const struct model *model, uint32_t skin, uint32_t joint, struct err *err);

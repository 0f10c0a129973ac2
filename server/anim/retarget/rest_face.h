/* rest_face.h - the face of a clip that is played on another rig: expressions by name, and the gaze. Pure; one thread.
 *
 * A VRM animation moves a node for each expression, whose x translation is the weight, and one whose rotation is the
 * direction of the eyes (VRMC_vrm_animation-1.0). The model says what its expressions do (VRMC_vrm-1.0,
 * expressions.md; anim/humanoid/expression.h).
 * Yaw and pitch are the angles of the direction's rotation about y, then x. The model's ranges (lookAt.md) make angles
 * of the eyes of them, about the up and left axes of its T-pose, or weights of lookLeft, lookRight, lookUp, lookDown.
 */
#pragma once

#include "anim/retarget/rest_rig.h"

/* A node of the model whose morph weights the clip moves. */
struct face_node {
    uint32_t node;
    uint32_t first; /* into rest_face.weights */
};

struct rest_face {
    const struct model *model, *source;
    int32_t *sources; /* [expressions of the model]: the source's node, or -1 */
    float *shown;     /* [expressions of the model]: weights at the last time */
    struct face_node *nodes;
    uint32_t node_count;
    float *weights; /* [weight_count]: of all these nodes, at the last time */
    uint32_t weight_count;
    int32_t *bind_weights; /* [expression_binds of the model]: index into weights, or -1 */
    int8_t *parts;         /* [expressions of the model]: which kind of presets it is, or -1; private */
    uint8_t *is_source;    /* [nodes of the source]: 1 where it moves the face */
    int32_t gaze;          /* the source's node of the direction, where it moves the eyes; else -1 */
    int32_t eyes[2];       /* left and right node of the model that the gaze turns, or -1 */
    int32_t looks[4];      /* expressions lookLeft, lookRight, lookDown, lookUp that the gaze moves, or -1 */
};

/* True for a VRM animation of a face only: expressions or a gaze, without the bones of a human. It stands for a source
 * whose humanoid has no nodes. */
bool rest_face_is_alone(const struct model *source);

/* Pairs the expressions by name. Both models are borrowed. Call rest_face_fini() in any case. */
void rest_face_init(struct rest_face *face, const struct rest_rig *model, const struct model *source);
void rest_face_fini(struct rest_face *face);
/* Returns the memory that it holds besides itself. */
uint64_t rest_face_held_bytes(const struct rest_face *face);

/* Returns the cost of rest_face_evaluate(), as rest_motion_steps(). */
uint64_t rest_face_steps(const struct rest_face *face);
/* Fills face->weights, and turns the eyes in *pose, from an evaluated pose of the source. */
void rest_face_evaluate(struct rest_face *face, const struct rest_rig *rig, const struct pose *source,
                        struct pose *pose);

/* True for a node of the model that the face moves by this path. */
bool rest_face_moves(const struct rest_face *face, uint32_t node, uint32_t path);

/* Calls put() for each name of the source's expressions that the model does not have. */
void rest_face_each_missing(const struct rest_face *face, void (*put)(void *context, struct str name), void *context);
/* True when the source has a direction of the eyes, and the model nothing that follows it. */
bool rest_face_lacks_gaze(const struct rest_face *face);
/* Returns how many of these two are true: expressions are missing, the gaze is. 0 for NULL. */
uint32_t rest_face_count_warnings(const struct rest_face *face);

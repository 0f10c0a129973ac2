/* fbx_clip.h - shared by the files that convert a take to a clip: a node's animated transform, and its channels.
 * Single-threaded. */
#pragma once

#include "import/fbx/fbx.h"
#include "import/fbx_take/fbx_layer.h"

/* The properties that determine a node's transform. */
enum fbx_moved {
    FBX_MOVED_TRANSLATION,
    FBX_MOVED_ROTATION,
    FBX_MOVED_SCALING,
    FBX_MOVED_PRE_ROTATION,
    FBX_MOVED_POST_ROTATION,
    FBX_MOVED_ROTATION_OFFSET,
    FBX_MOVED_ROTATION_PIVOT,
    FBX_MOVED_SCALING_OFFSET,
    FBX_MOVED_SCALING_PIVOT,
    FBX_MOVED_COUNT
};

/* A node's transform over time. */
struct fbx_node_motion {
    struct fbx_transform_values rest;
    struct fbx_motion motions[FBX_MOVED_COUNT]; /* an undriven property has no sheets */
    bool is_moving;                             /* at least one property is driven */
    double pre[4], post[4]; /* PreRotation and the inverse of PostRotation at rest, or the identity */
    bool is_bent;           /* pivots affect the translation, so it is not just Lcl Translation plus RotationOffset */
};

/* Returns 0 or the error of fbx_motion_read(), which names the property. */
int fbx_node_motion_read(struct fbx_node_motion *node, const struct fbx *fbx, const struct fbx_take_reader *reader,
                         uint32_t object, struct err *err);
void fbx_node_motion_fini(struct fbx_node_motion *node);
/* The transform at a time of the clip; fbx_node_motion_turn() gives only the rotation. */
struct trs fbx_node_motion_at(struct fbx_node_motion *node, double time_s);
void fbx_node_motion_turn(struct fbx_node_motion *node, double time_s, double out[4]);

/* Adds a channel for each path in which a moving node differs from its rest transform. */
int fbx_add_node_channels(struct fbx *fbx, struct fbx_node_motion *node, uint32_t n, double stop_s, struct err *err);

/* Adds a channel for the weights of a node's blend shapes if the take animates one of them. */
int fbx_add_weight_channel(struct fbx *fbx, const struct fbx_take_reader *reader, uint32_t n, double stop_s,
                           struct err *err);

/* fbx_clip.h - between the files that make a clip of a take: what moves one node, and its channels. One thread. */
#pragma once

#include "import/fbx/fbx.h"
#include "import/fbx_take/fbx_layer.h"

/* The properties that make a node's transform. */
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
    struct fbx_motion motions[FBX_MOVED_COUNT]; /* those that nothing drives have no sheets */
    bool is_moving;                             /* something is driven */
    double pre[4], post[4];                     /* PreRotation and the inverse of PostRotation at rest, or none */
    bool is_bent; /* the translation is more than Lcl Translation and RotationOffset: pivots count */
};

/* Returns 0 or as fbx_motion_read(), naming the property. */
int fbx_node_motion_read(struct fbx_node_motion *node, const struct fbx *fbx, const struct fbx_take_reader *reader,
                         uint32_t object, struct err *err);
void fbx_node_motion_fini(struct fbx_node_motion *node);
/* The transform at a time of the clip, and its rotation alone. */
struct trs fbx_node_motion_at(struct fbx_node_motion *node, double time_s);
void fbx_node_motion_turn(struct fbx_node_motion *node, double time_s, double out[4]);

/* Adds the channels of a moving node: of each path that differs from the node's rest. */
int fbx_add_node_channels(struct fbx *fbx, struct fbx_node_motion *node, uint32_t n, double stop_s, struct err *err);

/* Adds the weights of a node's blend shapes, where the take moves one of them. */
int fbx_add_weight_channel(struct fbx *fbx, const struct fbx_take_reader *reader, uint32_t n, double stop_s,
                           struct err *err);

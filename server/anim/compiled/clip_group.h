/* clip_group.h - evaluates several entities of one model at once, each in a lane of the kernels, so that one entity
 * costs only its own times and weights. The results have the same bits as when entities are evaluated one after the
 * other (clip_palette.h, clip_blend.h).
 *
 * Pure; any thread, one struct clip_group per thread. */
#pragma once

#include "anim/compiled/clip_blend.h"

/* Larger rigs and skins are evaluated one entity at a time, because their working memory would not fit any cache. */
enum { CLIP_GROUP_NODES_MAX = 1024, CLIP_GROUP_JOINTS_MAX = 4096 };

/* An entity of a group. */
struct clip_group_member {
    const struct clip_blend_plan *plan; /* neither is_f64 nor of a clip with COMPILED_F64_ANY */
    float *out;                         /* its palette: 16 or 12 floats a joint, as in clip_palette_evaluate() */
    const struct blend_layer *given; /* [given_count]: NULL, or layers whose given poses lie on top (give_layers()) */
    uint32_t given_count;
};

/* Working memory, reused from group to group. */
struct clip_group {
    float *parts;      /* sets of local transforms for each layer and each reference: one per lane, or of all lanes */
    uint8_t *blocks;   /* [layers][KERNEL_PADDED(rig_node_count) / LANE_WIDTH] */
    float *locals;     /* for single clips that differ: rows of each lane's nodes */
    float *matrices;   /* [rig_node_count + 1][12][width] */
    float *rest;       /* one set at rest */
    float *spare;      /* discarded palettes are written here */
    const void **held; /* by set and lane, then for `locals`: the clip whose still nodes are stored there; one byte
                          further on where the set has all lanes side by side */
    uint32_t part_capacity, block_capacity, local_capacity, matrix_capacity, rest_capacity, spare_capacity,
        held_capacity;
    float weights[BLEND_LAYERS_MAX][KERNEL_GROUP_MAX]; /* by layer and lane */
    const struct model *model;                         /* model of the stored data */
    bool has_rest;                                     /* `rest` is filled for the model */
    uint32_t width, set_count;                         /* layout of the stored data */
};

void clip_group_init(struct clip_group *group);
void clip_group_fini(struct clip_group *group);
size_t clip_group_held_bytes(const struct clip_group *group);

/* Makes room for groups of entities with up to `layer_most` layers. False: memory ran out, and *group stays usable. */
bool clip_group_reserve(struct clip_group *group, const struct model *model, uint32_t layer_most);

/* Drops data of models, which may be freed before the next use. */
void clip_group_forget(struct clip_group *group);

/* True when a pose with this plan can be in a group: the rig is not too large, and nothing is multiplied in double
 * precision. */
bool clip_group_takes(const struct model *model, enum clip_blend_way way, const struct clip_blend_plan *plan);

/* True when palettes of the skin can be in a group. */
static inline bool clip_group_takes_skin(const struct model *model, uint32_t skin)
{
    return model->skins[skin].joint_count <= CLIP_GROUP_JOINTS_MAX;
}

/* True when entities of the model with these plans can share a group: they have equally many layers of each kind, with
 * the same masks. Clips, times and weights may differ. */
bool clip_group_is_alike(enum clip_blend_way way, const struct clip_blend_plan *a, const struct clip_blend_plan *b);

/* Writes the palettes of `count` members, at most palette->kernel->group_width, with plans that are all alike. Returns
 * a bit for each member without a palette, because the kernels cannot mix its rotations or scales, a given pose
 * cannot be put on top, or the result is not finite. The caller evaluates these exactly and must not use their `out`.
 * `palette` and `blend` are working memory. */
uint32_t clip_group_palettes(struct clip_group *group, struct clip_palette *palette, struct clip_blend *blend,
                             const struct model *model, enum clip_blend_way way,
                             const struct clip_group_member *members, uint32_t count, uint32_t skin,
                             enum palette_form form);

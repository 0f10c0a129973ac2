/* clip_group.h - entities of one model evaluated at once, each in a lane of the kernels: what one entity costs is what
 * is its own, its times and weights. The bits are those of one entity after the other (clip_palette.h, clip_blend.h).
 *
 * Pure; any thread, one struct clip_group a thread. */
#pragma once

#include "anim/compiled/clip_blend.h"

/* Larger rigs and skins are evaluated one after the other: their working memory would be large, and no cache holds it.
 */
enum { CLIP_GROUP_NODES_MAX = 1024, CLIP_GROUP_JOINTS_MAX = 4096 };

/* An entity of a group. */
struct clip_group_member {
    const struct clip_blend_plan *plan; /* not is_f64, nor of a clip that is COMPILED_F64 */
    float *out;                         /* its palette: 16 or 12 floats a joint, as clip_palette_evaluate() has it */
};

/* Working memory; reused from group to group. */
struct clip_group {
    float *parts;      /* sets of local transforms: for each layer and reference one of each lane */
    uint8_t *blocks;   /* [layers][KERNEL_PADDED(rig_node_count) / LANE_WIDTH] */
    float *locals;     /* of single clips: rows of each lane's nodes */
    float *matrices;   /* [rig_node_count][12][width] */
    float *rest;       /* a set at rest */
    float *spare;      /* a palette that nobody wants */
    const void **held; /* by sets and lanes, then of `locals`: the clip whose still nodes are there */
    uint32_t part_capacity, block_capacity, local_capacity, matrix_capacity, rest_capacity, spare_capacity,
        held_capacity;
    float weights[BLEND_LAYERS_MAX][KERNEL_GROUP_MAX]; /* of each lane */
    const struct model *model;                         /* of what is held */
    bool has_rest;                                     /* rest is that of the model */
    uint32_t width, set_count;                         /* likewise */
};

void clip_group_init(struct clip_group *group);
void clip_group_fini(struct clip_group *group);
size_t clip_group_held_bytes(const struct clip_group *group);

/* Room for groups of entities of so many layers. False: memory is gone, and *group can be used as before. */
bool clip_group_reserve(struct clip_group *group, const struct model *model, uint32_t layer_most);

/* Forgets what it has of models, which may be gone when it is used next. */
void clip_group_forget(struct clip_group *group);

/* True when a pose that is planned so can be in a group: the rig is not too large, and nothing is multiplied in double
 * precision. */
bool clip_group_takes(const struct model *model, enum clip_blend_way way, const struct clip_blend_plan *plan);

/* True when palettes of the skin can be in a group. */
static inline bool clip_group_takes_skin(const struct model *model, uint32_t skin)
{
    return model->skins[skin].joint_count <= CLIP_GROUP_JOINTS_MAX;
}

/* True when entities of the model whose poses are planned so can be in one group: they have as many layers of each
 * kind, with the same masks. Clips, times and weights are each one's own. */
bool clip_group_is_alike(enum clip_blend_way way, const struct clip_blend_plan *a, const struct clip_blend_plan *b);

/* The palettes of `count` members, at most palette->kernel->group_width, all alike. Returns the bits of those without
 * one: their rotations or scales are beyond what the kernels mix, or it is not finite; they are left to the exact way,
 * and what is in their `out` is not to be used. `palette` and `blend` are working memory. */
uint32_t clip_group_palettes(struct clip_group *group, struct clip_palette *palette, struct clip_blend *blend,
                             const struct model *model, enum clip_blend_way way,
                             const struct clip_group_member *members, uint32_t count, uint32_t skin,
                             enum palette_form form);

/* entity.h - one posed thing in a scene: a model, what it plays, where it stands. The one place that decides which way
 * a pose is evaluated, compiled (anim/compiled) or exact (anim/pose), so that palettes of HTTP, packets, batches,
 * streams, hits and the library have the same bits.
 *
 * Pure; any thread, one struct entity_work a thread. Matrices are for column vectors. *World* is the space that the
 * caller's entities share: world_from_scene takes the scene space of the model's file to it. */
#pragma once

#include "anim/compiled/clip_blend.h"
#include "anim/pose/layout.h"
#include "anim/pose/root_motion.h"

#include <stdbool.h>
#include <stdint.h>

/* What is posed. All pointers are borrowed for the call. */
struct entity {
    const struct model *model;
    const struct blend_layer *layers; /* [layer_count], times wrapped; none: the rest pose */
    uint32_t layer_count;             /* <= BLEND_LAYERS_MAX; override layers and additive ones as blend.h has them */
    const struct root_motion *motion; /* NULL, or the movement to take out of the pose */
    const struct dmat4 *world_from_scene; /* NULL: the scene's own space, else affine and finite */
};

/* Of dual quaternions: those of the skin asked for last. Private. */
struct entity_signs {
    uint8_t content_hash[32]; /* of its model */
    uint32_t skin, joint_count;
    bool is_known;
    uint32_t *items; /* order and above, then scratch */
    size_t capacity;
};

/* Working memory, and what is known of the entity evaluated last; reused from entity to entity and from model to
 * model. */
struct entity_work {
    struct clip_palette compiled; /* with the best kernel, unless another is put there */
    struct pose pose;             /* exact: of the entity evaluated last where is_compiled is false */
    struct blend blend;
    struct root_step step;                /* with a motion: what was taken out */
    bool is_compiled;                     /* the entity evaluated last took the compiled way */
    uint64_t compiled_count, exact_count; /* entities evaluated each way; blends the compiled way does not cover are in
                                             the second */
    /* private */
    struct entity entity; /* evaluated last */
    struct clip_blend mixed;
    struct clip_blend_plan plan;
    bool is_mixed;    /* plan is of several layers, or masked */
    bool is_composed; /* compiled has scene_from_node */
    bool has_exact;   /* pose is that of the entity */
    struct dmat4 still_from_scene; /* with a motion */
    uint32_t *chain; /* nodes */
    uint8_t *is_in_chain;
    uint32_t chain_capacity;
    struct mat4 *matrices;
    uint32_t matrix_capacity;
    float *rows; /* of one skin, before they are moved */
    uint8_t *is_moved;
    uint32_t row_capacity;
    struct entity_signs signs;
};

void entity_work_init(struct entity_work *work);
void entity_work_fini(struct entity_work *work);
/* Memory that it holds. */
size_t entity_work_held_bytes(const struct entity_work *work);
/* Frees what blends of one huge model made larger than so much. */
void entity_work_trim(struct entity_work *work, size_t kept_bytes);

/* Evaluates the entity's pose. What *entity points at stays until the last entity_palette() or entity_nodes() of it.
 * Compiled results are within 2e-6 of the model's size of the exact ones (clip_blend.h), in world space before its
 * floats round them. */
void entity_evaluate(struct entity_work *work, const struct entity *entity);

/* The same, in double precision whatever the clips allow: work->pose has local transforms, morph weights and scene
 * matrices then, without the motion (of scene space: world_from_scene is not in it). */
void entity_evaluate_exact(struct entity_work *work, const struct entity *entity);

/* True when palettes of the entity cannot fail: one compiled clip as it is. */
bool entity_is_certain(const struct entity *entity, enum layout layout);

/* Of the entity evaluated last: layout_floats(layout) floats a joint into out[joint_count of the skin], by the skin's
 * own order of joints: world_from_joint * joint_from_bind. Returns 0, ERR_NOT_FINITE, or of LAYOUT_DUALQUAT
 * ERR_NOT_RIGID, naming the joint; out is undefined then. */
int entity_palette(struct entity_work *work, uint32_t skin, enum layout layout, float *out, struct err *err);

/* The same in another space than the entity's: world_from_scene is as struct entity has it. */
int entity_palette_in(struct entity_work *work, uint32_t skin, const struct dmat4 *world_from_scene, enum layout layout,
                      float *out, struct err *err);

/* scene_from_node of one node of the entity evaluated last, in double precision whichever way that was; work->pose has
 * it, too. */
struct dmat4 entity_scene_from_node(struct entity_work *work, uint32_t node);

/* True when compiled poses of the model have the node: a joint, or one above a joint. */
bool entity_is_in_rig(const struct model *model, uint32_t node);

/* world_from_node of one node of the entity evaluated last: as compiled where that has the node. */
struct dmat4 entity_node(struct entity_work *work, uint32_t node);

/* Of the entity evaluated last: layout_floats(layout) floats a node into out[count]: world_from_node. Returns 0,
 * ERR_NOT_FINITE or ERR_NOT_RIGID naming the node. */
int entity_nodes(struct entity_work *work, const uint32_t *nodes, uint32_t count, enum layout layout, float *out,
                 struct err *err);

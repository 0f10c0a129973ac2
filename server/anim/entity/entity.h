/* entity.h - a posed thing in a scene: a model, what it plays and where it stands. This is the only place that chooses
 * between compiled (anim/compiled) and exact (anim/pose) evaluation, so palettes of HTTP, packets, batches, streams,
 * hits and the library have the same bits.
 *
 * Pure; any thread, one struct entity_work per thread. Matrices are for column vectors. *World* is the space that the
 * caller's entities share: world_from_scene converts from the scene space of the model's file. */
#pragma once

#include "anim/compiled/clip_blend.h"
#include "anim/pose/layout.h"
#include "anim/pose/root_motion.h"

#include <stdbool.h>
#include <stdint.h>

/* What to pose. All pointers are borrowed for the call. */
struct entity {
    const struct model *model;
    const struct blend_layer *layers;     /* [layer_count], with wrapped times; none: the rest pose */
    uint32_t layer_count;                 /* <= BLEND_LAYERS_MAX; override and additive layers as in blend.h */
    const struct root_motion *motion;     /* NULL, or the motion to take out of the pose */
    const struct dmat4 *world_from_scene; /* affine and finite; NULL: world is scene space */
};

/* True when some layer is a given pose. */
static inline bool entity_has_given(const struct entity *entity)
{
    bool has = false;
    for (uint32_t i = 0; i < entity->layer_count; i++)
        has = has || entity->layers[i].given != NULL;
    return has;
}

/* Private: the sign order of dual quaternions for the last skin. */
struct entity_signs {
    uint8_t content_hash[32]; /* content hash of its model */
    uint32_t skin, joint_count;
    bool is_known;
    uint32_t *items; /* the order of joints and the joint above each, then scratch */
    size_t capacity;
};

/* Working memory, and the state of the last entity. Reused from entity to entity and from model to model. */
struct entity_work {
    struct clip_palette compiled; /* uses the best kernel, unless the caller replaces it */
    struct pose pose;             /* the last entity's exact pose, when is_compiled is false */
    struct blend blend;
    struct root_step step;                /* with a motion: the part that was taken out */
    bool is_compiled;                     /* the last entity was evaluated by compiled clips */
    uint64_t compiled_count, exact_count; /* entities evaluated each way; other blends are exact */
    uint64_t cubic_count;                 /* of compiled_count: those that play clips with splines */
    /* private */
    struct entity entity; /* the last one evaluated */
    struct clip_blend mixed;
    struct clip_blend_plan plan;
    bool is_mixed;                 /* plan has several layers, or a mask */
    bool is_composed;              /* `compiled` has scene_from_node */
    bool has_exact;                /* `pose` is the entity's pose */
    struct dmat4 still_from_scene; /* with a motion */
    uint32_t *chain;               /* nodes */
    uint8_t *is_in_chain;
    uint32_t chain_capacity;
    struct mat4 *matrices;
    uint32_t matrix_capacity;
    float *rows; /* palette of one skin, before it is moved to the world */
    uint8_t *is_moved;
    uint32_t row_capacity;
    struct entity_signs signs;
};

void entity_work_init(struct entity_work *work);
void entity_work_fini(struct entity_work *work);
/* Returns the memory that it holds. */
size_t entity_work_held_bytes(const struct entity_work *work);
/* Frees buffers that blends of a huge model made larger than `kept_bytes`. */
void entity_work_trim(struct entity_work *work, size_t kept_bytes);

/* Makes room for the model in blends of up to `layer_most` layers, so that evaluating its entities and storing their
 * palettes and nodes does not allocate. Returns 0 or ERR_NO_MEMORY; *work stays usable. */
int entity_work_reserve(struct entity_work *work, const struct model *model, uint32_t layer_most, struct err *err);

/* Evaluates the entity's pose. The memory that *entity points to must stay until its last entity_palette() or
 * entity_nodes(). Compiled results are within 2e-6 of the model's size of the exact ones (clip_blend.h), in world space
 * before rounding to float. */
void entity_evaluate(struct entity_work *work, const struct entity *entity);

/* Evaluates the pose in double precision, also where the clips are compiled. Then work->pose has local transforms,
 * morph weights and scene matrices, without the motion. They are in scene space: world_from_scene is not applied. */
void entity_evaluate_exact(struct entity_work *work, const struct entity *entity);

/* Returns the last entity's pose in double precision, as entity_evaluate_exact() leaves it, and computes it on the
 * first call. Palettes keep coming from the evaluation that entity_evaluate() chose. */
const struct pose *entity_pose(struct entity_work *work);

/* True when palettes of the entity cannot fail, because it plays a single compiled clip without blending. */
bool entity_is_certain(const struct entity *entity, enum layout layout);

/* Fills out[joint_count of the skin] for the last entity, in the skin's order of joints, with layout_floats(layout)
 * floats a joint: world_from_joint * joint_from_bind. Returns 0, ERR_NOT_FINITE, or for LAYOUT_DUALQUAT ERR_NOT_RIGID,
 * naming the joint; then `out` is undefined. */
int entity_palette(struct entity_work *work, uint32_t skin, enum layout layout, float *out, struct err *err);

/* The same with another world_from_scene than the entity's. */
int entity_palette_in(struct entity_work *work, uint32_t skin, const struct dmat4 *world_from_scene, enum layout layout,
                      float *out, struct err *err);

/* Returns scene_from_node of one node of the last entity, in double precision even after compiled evaluation. It is
 * then in work->pose too. */
struct dmat4 entity_scene_from_node(struct entity_work *work, uint32_t node);

/* True when compiled poses of the model have the node: a joint, or an ancestor of a joint. */
bool entity_is_in_rig(const struct model *model, uint32_t node);

/* Returns world_from_node of one node of the last entity, from the compiled pose where that has the node. */
struct dmat4 entity_node(struct entity_work *work, uint32_t node);

/* Fills out[count] for the last entity with layout_floats(layout) floats a node: world_from_node as in entity_node(),
 * dual quaternions from double precision. Returns 0, ERR_NOT_FINITE or ERR_NOT_RIGID, naming the node. */
int entity_nodes(struct entity_work *work, const uint32_t *nodes, uint32_t count, enum layout layout, float *out,
                 struct err *err);

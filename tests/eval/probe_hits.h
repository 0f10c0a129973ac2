/* probe_hits.h - the calls of eval_probe about hits. */
#pragma once

#include "clients/eval/posed_eval_hits.h"

/* Replaces *hitboxes and *scene (NULL: none yet) by new ones with room for `room` entities, and prints each volume:
 * NODE KIND NAME|- VERTICES OUTSIDE GIVEN FLOATS, separated by ;. */
void probe_hitboxes(const struct pe_model *model, int fit, uint32_t capacity, struct pe_hitboxes **hitboxes,
                    struct pe_scene **scene);

/* words: nearest|all, then 11 numbers a ray: origin, direction, most, radius, at, mask, ignored. Prints each hit: RAY
 * ENTITY NODE HITBOX INSIDE FLOATS, separated by ;. */
void probe_rays(struct pe_scene *scene, char *words);

/* Targets of rays at meshes. Each has its own copy of the data that its entities point to. */
enum { TARGETS_MAX = 16 };
struct probed_pose {
    struct pe_entity entity;
    struct pe_layer layers[PE_LAYERS_MAX];
    double world[16];
};
struct probed_meshes {
    struct pe_mesh *mesh;
    struct pe_caster *caster;
    struct probed_pose poses[TARGETS_MAX][2];
    struct pe_target targets[TARGETS_MAX];
    uint32_t count;
};
/* Makes room, and prints done. */
void probe_meshes(const struct pe_model *model, struct probed_meshes *meshes);
/* end: NULL if the target stands still. Layers have no masks. */
void probe_target(struct probed_meshes *meshes, const struct pe_entity *begin, const struct pe_entity *end,
                  uint32_t mask);
/* The same as probe_rays() for meshes. Prints each hit: RAY ENTITY NODE DRAW TRIANGLE INSIDE FLOATS. */
void probe_mesh_rays(struct probed_meshes *meshes, char *words);

/* hit_set.h - the volumes of a model: one for each joint that leads vertices, or those of its hitbox file.
 *
 * A joint leads the vertices of which it has the largest weight (bounds_main_joint()), in all draws of the scene. A
 * node leads the vertices of an unskinned mesh that moves with it. Volumes are fitted to the vertices in the joint's
 * space at rest: joint_from_bind * position, morphed by the rest weights. Immutable: any thread. */
#pragma once

#include "anim/shape/volume.h"
#include "base/err.h"

struct set_volume {
    struct hit_volume volume;
    uint32_t vertex_count;  /* vertices that its joint leads */
    uint32_t outside_count; /* of these, vertices outside the volume */
    bool is_given;          /* from the hitbox file, not fitted */
    /* Where its matrix comes from. Joint `joint` of skin `skin`: world_from_joint = world_from_bind * bind_from_joint.
     * With skin -1, node `joint` itself, and both matrices here are the identity. */
    int32_t skin;
    uint32_t joint;
    struct dmat4 joint_from_bind, bind_from_joint;
    double center[3], radius; /* of a ball around it, in bind space */
};

/* A copy of where a volume's matrix comes from, compact enough that those of all volumes fit a few cache lines. */
struct hit_place {
    int32_t skin;   /* or -1 */
    uint32_t joint; /* in the skin */
};

enum { HIT_LANES = 8, HIT_GROUP = 4 /* volumes whose rows are stored together */ };

/* A skin whose palette a set needs, and the groups of volumes that use it: `group_count` of set->groups, from
 * `group_first` on. */
struct hit_skin {
    uint32_t skin, group_first, group_count;
};
#define HIT_FLOAT_SLACK 4e-6 /* more than a few float operations lose, relative to the number */

struct hit_set {
    enum volume_kind fit;
    struct set_volume *volumes; /* sorted by node; for one node in the file's order */
    uint32_t count;
    struct hit_skin *skins; /* each skin once */
    uint32_t skin_count;
    uint32_t *groups; /* group numbers, skin by skin; a group with volumes of several skins is listed for each */
    uint32_t *nodes, node_count; /* nodes whose own matrices it needs, in the order of the volumes with skin -1 */
    uint32_t joint_most;         /* joint count of the largest skin */
    /* A copy of the balls around the volumes, in the layout that poses need: x, y, z and radius in four arrays of
     * `stride`, a multiple of HIT_LANES. The padding is balls that lie in no box. Radii are enlarged by the rounding
     * error of float. */
    float *balls;
    struct hit_place *places; /* [stride]: the padding has no skin */
    uint32_t stride;
    size_t size_bytes; /* total memory */
};

/* Fits the volumes of a checked model. vertices_max: greatest number of vertices to visit. Returns 0,
 * ERR_TOO_MANY_FRAMES, or ERR_BAD_HITBOXES with the import's message, when the model's hitbox file cannot be used. */
int hit_set_new(const struct model *model, enum volume_kind fit, uint64_t vertices_max, struct hit_set **out,
                struct err *err);
void hit_set_free(struct hit_set *set);

/* The code of the warning by which an import ignores a hitbox file. */
extern const char HITBOXES_WARNING[];

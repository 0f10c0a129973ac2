/* hit_set.h - the volumes of a model: one for each joint that leads vertices, and what its hitbox file says instead.
 *
 * A joint leads the vertices that it moves most (bounds_main_joint()), of all draws in the scene; a mesh that moves
 * with a node and has no skin is led by that node. The fit is to where these are in the joint's space at rest:
 * joint_from_bind * position, morphed by the rest weights. Immutable once made: any thread. */
#pragma once

#include "anim/shape/volume.h"
#include "base/err.h"

struct set_volume {
    struct hit_volume volume;
    uint32_t vertex_count;  /* that its joint leads */
    uint32_t outside_count; /* those of them that are not in the volume */
    bool is_given;          /* by the hitbox file, else fitted */
    /* Where its matrix comes from: of joint `joint` of skin `skin`, world_from_joint = world_from_bind *
     * bind_from_joint; skin -1: of node `joint` itself, and both matrices here are the identity. */
    int32_t skin;
    uint32_t joint;
    struct dmat4 joint_from_bind, bind_from_joint;
    double center[3], radius; /* a ball around it, in bind space */
};

/* Where the matrix of a volume comes from, once more: all of them fit into a few lines of a cache. */
struct hit_place {
    int32_t skin;   /* or -1 */
    uint32_t joint; /* of the skin */
};

enum { HIT_LANES = 8, HIT_GROUP = 4 /* volumes whose rows are put at once */ };

/* A skin whose palette a set needs, and those groups of the set's volumes that have some of it: `group_count` of
 * set->groups, from `group_first` on. */
struct hit_skin {
    uint32_t skin, group_first, group_count;
};
#define HIT_FLOAT_SLACK 4e-6 /* what a few operations in float lose of a number, and more */

struct hit_set {
    enum volume_kind fit;
    struct set_volume *volumes; /* by node, of one node in the order of the file */
    uint32_t count;
    struct hit_skin *skins; /* each once */
    uint32_t skin_count;
    uint32_t *groups; /* numbers of groups, skin by skin: one that has volumes of several is there for each */
    uint32_t *nodes, node_count; /* whose own matrices it needs, in the order of the volumes with skin -1 */
    uint32_t joint_most;         /* joints of the largest of the skins */
    /* The balls around the volumes once more, as poses need them: x, y, z, radius in four arrays of `stride`, a
     * multiple of HIT_LANES; behind the last volume stand balls that are in no box. Radii are larger by what floats
     * lose. */
    float *balls;
    struct hit_place *places; /* [stride]: behind the last volume of no skin */
    uint32_t stride;
    size_t size_bytes; /* all of it, in memory */
};

/* Fits the volumes of a checked model. vertices_max: so many are looked at at most. Returns 0, ERR_TOO_MANY_FRAMES, or
 * ERR_BAD_HITBOXES, with what the import said, where the model has a hitbox file that cannot be used. */
int hit_set_new(const struct model *model, enum volume_kind fit, uint64_t vertices_max, struct hit_set **out,
                struct err *err);
void hit_set_free(struct hit_set *set);

/* The code of the warning with which an import leaves out a hitbox file. */
extern const char HITBOXES_WARNING[];

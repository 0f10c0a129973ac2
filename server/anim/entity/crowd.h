/* crowd.h - many entities at once: evaluates those that are alike together, in the order in which memory is read best,
 * each into its own floats.
 *
 * Pure; any thread, one struct crowd_work (and one struct entity_work) a thread. Poses are those of entity.h, bit for
 * bit, whatever the order. Nothing is allocated once the working memory has its size. */
#pragma once

#include "anim/entity/crowd_group.h"
#include "anim/entity/entity.h"

enum crowd_what { CROWD_PALETTE = 0, CROWD_NODES = 1 };
enum { CROWD_ALL_SKINS = -1 };

/* Which matrices of an entity are wanted. */
struct crowd_wanted {
    enum crowd_what what;
    int32_t skin;          /* of CROWD_PALETTE: < skin_count, or CROWD_ALL_SKINS */
    const uint32_t *items; /* [item_count]: places in the skin's order of joints, or nodes; borrowed */
    uint32_t item_count;   /* 0: all; with CROWD_ALL_SKINS always */
    uint64_t item_bound;   /* 1 + the largest item, so that nobody looks at all of them once more; 0: not known */
};

/* Whether the model has what is wanted. */
bool crowd_wanted_is_there(const struct crowd_wanted *wanted, const struct model *model);
/* The same, and why not: 0, ERR_SKIN_NOT_FOUND or ERR_JOINT_NOT_FOUND, naming it. */
int crowd_wanted_check(const struct crowd_wanted *wanted, const struct model *model, struct err *err);
/* How many matrices that is; the model has it. */
uint64_t crowd_wanted_count(const struct crowd_wanted *wanted, const struct model *model);

/* An entity and where its matrices go: layout_floats(layout) * crowd_wanted_count() floats, world_from_joint *
 * joint_from_bind or world_from_node, in the order wanted. All is borrowed until the run has ended. */
struct crowd_member {
    struct entity entity; /* which has `wanted`; clips, masks and times as entity.h wants them */
    const struct crowd_wanted *wanted;
    enum layout layout;
    float *out;
};

/* Who is told of a member that cannot be posed: ERR_NOT_FINITE or ERR_NOT_RIGID, naming the joint or node. Its floats
 * are 0. */
struct crowd_listener {
    void (*failed)(struct crowd_listener *listener, uint32_t member, const struct err *err);
};

/* Working memory. */
struct crowd_work {
    struct crowd_place *places; /* private */
    uint32_t place_capacity;
    float *palette; /* of one skin of which some joints are wanted */
    size_t palette_capacity;
    uint32_t *nodes; /* [node_capacity]: 0, 1, .. */
    uint32_t node_capacity;
    struct crowd_group group;
};

void crowd_work_init(struct crowd_work *work);
void crowd_work_fini(struct crowd_work *work);
/* Room for so many members of so many layers, and for what may be wanted of the model, so that crowd_run() allocates
 * nothing where the evaluator has its room, too. False: memory is gone, and *work can be used as before. */
bool crowd_work_reserve(struct crowd_work *work, const struct model *model, uint32_t member_count, uint32_t layer_most);
size_t crowd_work_held_bytes(const struct crowd_work *work);

/* Evaluates all members, those of one model that have alike layers together. is_stopped: NULL, or true once nobody
 * needs the rest any more. Returns 0, or ERR_REQUEST_TIMEOUT when it was stopped: floats are undefined then. */
int crowd_run(struct crowd_work *work, struct entity_work *evaluator, const struct crowd_member *members,
              uint32_t count, const _Atomic bool *is_stopped, struct crowd_listener *listener);

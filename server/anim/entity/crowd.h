/* crowd.h - evaluates many entities at once: alike ones together, in the order that reads memory best, each into its
 * own floats.
 *
 * Pure; any thread, one struct crowd_work (and one struct entity_work) per thread. Poses are the same as those of
 * entity.h, bit for bit, in any order. Nothing is allocated once the working memory has its size. */
#pragma once

#include "anim/entity/crowd_group.h"
#include "anim/entity/crowd_order.h"
#include "anim/entity/entity.h"

enum crowd_what { CROWD_PALETTE = 0, CROWD_NODES = 1 };
enum { CROWD_ALL_SKINS = -1 };

/* Selects the matrices of an entity. */
struct crowd_wanted {
    enum crowd_what what;
    int32_t skin;          /* for CROWD_PALETTE: < skin_count, or CROWD_ALL_SKINS */
    const uint32_t *items; /* [item_count]: indices into the skin's joints, or nodes; borrowed */
    uint32_t item_count;   /* 0: all; always 0 with CROWD_ALL_SKINS */
    uint64_t item_bound;   /* 1 + the largest item, which saves a scan of the items; 0: not known */
};

/* True when the model has the selected matrices. */
bool crowd_wanted_is_there(const struct crowd_wanted *wanted, const struct model *model);
/* Checks the same and says what is missing: 0, ERR_SKIN_NOT_FOUND or ERR_JOINT_NOT_FOUND, naming it. */
int crowd_wanted_check(const struct crowd_wanted *wanted, const struct model *model, struct err *err);
/* Returns the number of selected matrices, all of which the model must have. */
uint64_t crowd_wanted_count(const struct crowd_wanted *wanted, const struct model *model);

/* An entity and where its matrices go: layout_floats(layout) * crowd_wanted_count() floats, world_from_joint *
 * joint_from_bind or world_from_node, in the selected order. Everything is borrowed until the run has ended. */
struct crowd_member {
    struct entity entity; /* its model has the `wanted` matrices; clips, masks and times as entity.h requires */
    const struct crowd_wanted *wanted;
    enum layout layout;
    float *out;
};

/* Receives each member that cannot be posed: ERR_NOT_FINITE or ERR_NOT_RIGID, naming the joint or node. Its floats are
 * 0. */
struct crowd_listener {
    void (*failed)(struct crowd_listener *listener, uint32_t member, const struct err *err);
};

/* Working memory. */
struct crowd_work {
    struct crowd_order order;
    float *palette; /* the whole palette of a skin when only some joints are wanted */
    size_t palette_capacity;
    uint32_t *nodes; /* [node_capacity]: 0, 1, .. */
    uint32_t node_capacity;
    struct crowd_group group;
};

void crowd_work_init(struct crowd_work *work);
void crowd_work_fini(struct crowd_work *work);
/* Makes room for `member_count` members of up to `layer_most` layers, and for any selection from the model. crowd_run()
 * then does not allocate if the evaluator has its room too. False: memory ran out, and *work stays usable. */
bool crowd_work_reserve(struct crowd_work *work, const struct model *model, uint32_t member_count, uint32_t layer_most);
size_t crowd_work_held_bytes(const struct crowd_work *work);

/* Evaluates all members. Members of one model with alike layers are evaluated together. is_stopped: NULL, or becomes
 * true once the caller no longer needs the rest. Returns 0, or ERR_REQUEST_TIMEOUT when it was stopped; then the floats
 * are undefined. */
int crowd_run(struct crowd_work *work, struct entity_work *evaluator, const struct crowd_member *members,
              uint32_t count, const _Atomic bool *is_stopped, struct crowd_listener *listener);

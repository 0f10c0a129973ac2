/* crowd_group.h - members of a crowd that the kernels evaluate at once (anim/compiled/clip_group.h). For crowd.c.
 *
 * Pure; any thread, one struct crowd_group a thread. Poses are those of entity.h, bit for bit. */
#pragma once

#include "anim/compiled/clip_group.h"
#include "anim/entity/entity.h"

struct crowd_member;

/* Working memory, and the group that is being gathered. */
struct crowd_group {
    struct clip_group lanes;
    struct clip_blend_plan plans[KERNEL_GROUP_MAX];
    uint32_t members[KERNEL_GROUP_MAX]; /* places in the crowd */
    enum clip_blend_way way;
    uint32_t count;
    float *palettes; /* of lanes whose palette is no answer yet, 16 floats a joint */
    size_t palette_capacity;
};

void crowd_group_init(struct crowd_group *group);
void crowd_group_fini(struct crowd_group *group);
size_t crowd_group_held_bytes(const struct crowd_group *group);
/* Room for the model in blends of so many layers. False: memory is gone, and *group can be used as before. */
bool crowd_group_reserve(struct crowd_group *group, const struct model *model, uint32_t layer_most);

/* Begins a crowd: models of the one before may be gone. */
void crowd_group_begin(struct crowd_group *group);

/* A number that members which may be in one group share. */
uint64_t crowd_group_shape(const struct crowd_member *member);

/* How a member may be evaluated. */
enum crowd_group_answer {
    CROWD_GROUP_ALONE, /* not in a group */
    CROWD_GROUP_FULL,  /* in the next group, once this one is evaluated */
    CROWD_GROUP_TAKEN,
};

/* Adds members[index] to the group. */
enum crowd_group_answer crowd_group_add(struct crowd_group *group, const struct kernel *kernel,
                                        const struct crowd_member *members, uint32_t index);

/* Evaluates the group, which is empty then, and answers its members. Returns the bits of those (by their places in
 * group->members, of which *count tells how many there were) that are to be evaluated alone. */
uint32_t crowd_group_run(struct crowd_group *group, struct entity_work *evaluator, const struct crowd_member *members,
                         uint32_t *count);

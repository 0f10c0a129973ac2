/* crowd_group.h - the members of a crowd that the kernels evaluate together (anim/compiled/clip_group.h). For crowd.c.
 *
 * Pure; any thread, one struct crowd_group per thread. Poses have the same bits as from entity.h. */
#pragma once

#include "anim/compiled/clip_group.h"
#include "anim/entity/entity.h"

struct crowd_member;

/* Working memory, and the unfinished group. */
struct crowd_group {
    struct clip_group lanes;
    struct clip_blend_plan plans[KERNEL_GROUP_MAX];
    uint32_t members[KERNEL_GROUP_MAX]; /* indices into the crowd */
    enum clip_blend_way way;
    uint32_t count;
    float *palettes; /* palettes that still have to be converted to an output, 16 floats a joint */
    size_t palette_capacity;
};

void crowd_group_init(struct crowd_group *group);
void crowd_group_fini(struct crowd_group *group);
size_t crowd_group_held_bytes(const struct crowd_group *group);
/* Makes room for the model in blends of up to `layer_most` layers. False: memory ran out, and *group stays usable. */
bool crowd_group_reserve(struct crowd_group *group, const struct model *model, uint32_t layer_most);

/* Begins a crowd. Models of the previous one may be freed. */
void crowd_group_begin(struct crowd_group *group);

/* Returns a number that is equal for members which may share a group. */
uint64_t crowd_group_shape(const struct crowd_member *member);

/* True when a group of `count` members takes less time than each of them alone. */
bool crowd_group_is_worth_it(uint32_t count, const struct kernel *kernel);

/* The answer of crowd_group_add(). */
enum crowd_group_answer {
    CROWD_GROUP_ALONE, /* must be evaluated alone */
    CROWD_GROUP_FULL,  /* run this group first, then add the member again */
    CROWD_GROUP_TAKEN,
};

/* Adds members[index] to the group. */
enum crowd_group_answer crowd_group_add(struct crowd_group *group, const struct kernel *kernel,
                                        const struct crowd_member *members, uint32_t index);

/* Evaluates the group, writes the outputs of its members and empties it. Returns a bit mask of the members that must
 * be evaluated alone: bit i is that of group->members[i]. *count: how many members there were. */
uint32_t crowd_group_run(struct crowd_group *group, struct entity_work *evaluator, const struct crowd_member *members,
                         uint32_t *count);

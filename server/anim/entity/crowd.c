#include "anim/entity/crowd.h"

#include "base/err.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void crowd_work_init(struct crowd_work *work)
{
    *work = (struct crowd_work){0};
    crowd_order_init(&work->order);
    crowd_group_init(&work->group);
}

void crowd_work_fini(struct crowd_work *work)
{
    crowd_order_fini(&work->order);
    free(work->palette);
    free(work->nodes);
    crowd_group_fini(&work->group);
    crowd_work_init(work);
}

size_t crowd_work_held_bytes(const struct crowd_work *work)
{
    return crowd_order_held_bytes(&work->order) + work->palette_capacity * sizeof *work->palette +
           work->node_capacity * sizeof *work->nodes + crowd_group_held_bytes(&work->group);
}

bool crowd_work_reserve(struct crowd_work *work, const struct model *model, uint32_t member_count, uint32_t layer_most)
{
    size_t floats = 0;
    for (uint32_t s = 0; s < model->skin_count; s++) {
        const size_t of = (size_t)model->skins[s].joint_count * layout_floats(LAYOUT_MAT4);
        floats = of > floats ? of : floats;
    }
    if (!crowd_order_reserve(&work->order, member_count))
        return false;
    if (floats > work->palette_capacity) {
        if (!mem_try_resize(&work->palette, floats, sizeof *work->palette))
            return false;
        work->palette_capacity = floats;
    }
    if (model->node_count > work->node_capacity &&
        !mem_try_resize(&work->nodes, model->node_count, sizeof *work->nodes))
        return false;
    for (; work->node_capacity < model->node_count; work->node_capacity++)
        work->nodes[work->node_capacity] = work->node_capacity;
    return crowd_group_reserve(&work->group, model, layer_most);
}

/* --- selections --- */

static uint64_t item_bound(const struct crowd_wanted *wanted)
{
    uint64_t bound = wanted->item_bound;
    for (uint32_t i = 0; i < wanted->item_count && wanted->item_bound == 0; i++)
        bound = wanted->items[i] < bound ? bound : (uint64_t)wanted->items[i] + 1;
    return bound;
}

/* Returns the number of joints or nodes to choose from. The skin must exist. */
static uint32_t choice_count(const struct crowd_wanted *wanted, const struct model *model)
{
    if (wanted->what != CROWD_PALETTE)
        return model->node_count;
    return wanted->skin != CROWD_ALL_SKINS ? model->skins[wanted->skin].joint_count : 0;
}

static bool has_skin(const struct crowd_wanted *wanted, const struct model *model)
{
    return wanted->what != CROWD_PALETTE || wanted->skin == CROWD_ALL_SKINS ||
           (uint32_t)wanted->skin < model->skin_count;
}

bool crowd_wanted_is_there(const struct crowd_wanted *wanted, const struct model *model)
{
    return has_skin(wanted, model) && item_bound(wanted) <= choice_count(wanted, model);
}

int crowd_wanted_check(const struct crowd_wanted *wanted, const struct model *model, struct err *err)
{
    if (crowd_wanted_is_there(wanted, model))
        return 0;
    if (!has_skin(wanted, model))
        return err_set(err, ERR_SKIN_NOT_FOUND, "there is no skin %d; there are %u", wanted->skin, model->skin_count);
    return err_set(err, ERR_JOINT_NOT_FOUND, "there is no %s %llu; there are %u",
                   wanted->what == CROWD_PALETTE ? "joint" : "node", (unsigned long long)item_bound(wanted) - 1,
                   choice_count(wanted, model));
}

uint64_t crowd_wanted_count(const struct crowd_wanted *wanted, const struct model *model)
{
    if (wanted->item_count > 0)
        return wanted->item_count;
    if (wanted->what == CROWD_NODES)
        return model->node_count;
    if (wanted->skin != CROWD_ALL_SKINS)
        return model->skins[wanted->skin].joint_count;
    uint64_t count = 0;
    for (uint32_t s = 0; s < model->skin_count; s++)
        count += model->skins[s].joint_count;
    return count;
}

/* --- evaluation --- */

static int put_skins(struct entity_work *evaluator, const struct crowd_member *member, struct err *err)
{
    const struct model *model = member->entity.model;
    float *out = member->out;
    for (uint32_t s = 0; s < model->skin_count; s++) {
        if (entity_palette(evaluator, s, member->layout, out, err) < 0)
            return err->code;
        out += (size_t)model->skins[s].joint_count * layout_floats(member->layout);
    }
    return 0;
}

/* Writes some joints of a skin. */
static int put_joints(struct crowd_work *work, struct entity_work *evaluator, const struct crowd_member *member,
                      struct err *err)
{
    const struct crowd_wanted *wanted = member->wanted;
    const uint32_t skin = (uint32_t)wanted->skin, floats = layout_floats(member->layout);
    const size_t needed = (size_t)member->entity.model->skins[skin].joint_count * floats;
    if (needed > work->palette_capacity) {
        work->palette = mem_realloc(work->palette, needed * sizeof *work->palette);
        work->palette_capacity = needed;
    }
    if (entity_palette(evaluator, skin, member->layout, work->palette, err) < 0)
        return err->code;
    float *out = member->out;
    for (uint32_t i = 0; i < wanted->item_count; i++, out += floats)
        memcpy(out, work->palette + (size_t)wanted->items[i] * floats, floats * sizeof *out);
    return 0;
}

/* Returns the numbers 0 to count - 1. */
static const uint32_t *all_nodes(struct crowd_work *work, uint32_t count)
{
    if (count > work->node_capacity) {
        work->nodes = mem_realloc(work->nodes, count * sizeof *work->nodes);
        for (; work->node_capacity < count; work->node_capacity++)
            work->nodes[work->node_capacity] = work->node_capacity;
    }
    return work->nodes;
}

static int put_nodes(struct crowd_work *work, struct entity_work *evaluator, const struct crowd_member *member,
                     struct err *err)
{
    const struct crowd_wanted *wanted = member->wanted;
    const uint32_t node_count = member->entity.model->node_count;
    const uint32_t *nodes = wanted->item_count > 0 ? wanted->items : all_nodes(work, node_count);
    const uint32_t count = wanted->item_count > 0 ? wanted->item_count : node_count;
    return entity_nodes(evaluator, nodes, count, member->layout, member->out, err);
}

static int put_member(struct crowd_work *work, struct entity_work *evaluator, const struct crowd_member *member,
                      struct err *err)
{
    const struct crowd_wanted *wanted = member->wanted;
    if (wanted->what == CROWD_NODES && member->layout == LAYOUT_DUALQUAT) /* exact, as in /v1/pose */
        entity_evaluate_exact(evaluator, &member->entity);
    else
        entity_evaluate(evaluator, &member->entity);
    if (wanted->what == CROWD_NODES)
        return put_nodes(work, evaluator, member, err);
    if (wanted->skin == CROWD_ALL_SKINS)
        return put_skins(evaluator, member, err);
    if (wanted->item_count > 0)
        return put_joints(work, evaluator, member, err);
    return entity_palette(evaluator, (uint32_t)wanted->skin, member->layout, member->out, err);
}

/* --- all members --- */

/* The arguments of a run. */
struct crowd_run {
    struct crowd_work *work;
    struct entity_work *evaluator;
    const struct crowd_member *members;
    const _Atomic bool *is_stopped;
    struct crowd_listener *listener;
};

static void run_alone(const struct crowd_run *run, uint32_t index)
{
    struct err err;
    const struct crowd_member *member = &run->members[index];
    if (put_member(run->work, run->evaluator, member, &err) == 0)
        return;
    memset(member->out, 0,
           crowd_wanted_count(member->wanted, member->entity.model) * layout_floats(member->layout) *
               sizeof *member->out);
    run->listener->failed(run->listener, index, &err);
}

static void run_group(const struct crowd_run *run)
{
    uint32_t count;
    struct crowd_group *group = &run->work->group;
    if (group->count == 0)
        return;
    const uint32_t alone = crowd_group_run(group, run->evaluator, run->members, &count);
    for (uint32_t i = 0; i < count; i++)
        if ((alone >> i & 1) != 0)
            run_alone(run, group->members[i]);
}

static bool is_stopped(const struct crowd_run *run) { return run->is_stopped != NULL && *run->is_stopped; }

/* Evaluates all in their own order. False: it was stopped. */
static bool run_each(const struct crowd_run *run, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (is_stopped(run))
            return false;
        run_alone(run, i);
    }
    return true;
}

/* Evaluates members[count] of one kind, in groups where there are enough. False: it was stopped. */
static bool run_kind(const struct crowd_run *run, const uint32_t *members, uint32_t count)
{
    struct crowd_group *group = &run->work->group;
    const struct kernel *kernel = run->evaluator->compiled.kernel;
    const bool has_groups = crowd_group_is_worth_it(count, kernel);
    for (uint32_t i = 0; i < count; i++) {
        if (is_stopped(run))
            return false;
        enum crowd_group_answer answer =
            has_groups ? crowd_group_add(group, kernel, run->members, members[i]) : CROWD_GROUP_ALONE;
        if (answer == CROWD_GROUP_FULL) {
            run_group(run);
            answer = crowd_group_add(group, kernel, run->members, members[i]);
        }
        if (answer == CROWD_GROUP_ALONE)
            run_alone(run, members[i]);
    }
    run_group(run);
    return true;
}

int crowd_run(struct crowd_work *work, struct entity_work *evaluator, const struct crowd_member *members,
              uint32_t count, const _Atomic bool *is_stopped, struct crowd_listener *listener)
{
    const struct crowd_run run = {work, evaluator, members, is_stopped, listener};
    if (!crowd_group_is_worth_it(count, evaluator->compiled.kernel)) /* to order them would take longer than it saves */
        return run_each(&run, count) ? 0 : ERR_REQUEST_TIMEOUT;
    if (!crowd_order_reserve(&work->order, count))
        mem_exhausted();
    crowd_group_begin(&work->group);
    crowd_order_find(&work->order, members, count);
    for (uint32_t i = 0, at = 0; i < work->order.run_count; at = work->order.runs[i++])
        if (!run_kind(&run, work->order.members + at, work->order.runs[i] - at))
            return ERR_REQUEST_TIMEOUT;
    return 0;
}

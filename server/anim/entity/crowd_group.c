#include "anim/entity/crowd_group.h"

#include "anim/entity/crowd.h"
#include "anim/entity/entity_given.h"
#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { PALETTES = KERNEL_GROUP_MAX + 1 }; /* one for each lane, and one to convert them */

void crowd_group_init(struct crowd_group *group)
{
    *group = (struct crowd_group){0};
    clip_group_init(&group->lanes);
}

void crowd_group_fini(struct crowd_group *group)
{
    clip_group_fini(&group->lanes);
    free(group->palettes);
    crowd_group_init(group);
}

size_t crowd_group_held_bytes(const struct crowd_group *group)
{
    return clip_group_held_bytes(&group->lanes) + group->palette_capacity * sizeof *group->palettes;
}

static size_t palette_floats(const struct model *model, uint32_t skin)
{
    return (size_t)model->skins[skin].joint_count * layout_floats(LAYOUT_MAT4);
}

bool crowd_group_reserve(struct crowd_group *group, const struct model *model, uint32_t layer_most)
{
    size_t floats = 0;
    if (model->rig_node_count > CLIP_GROUP_NODES_MAX)
        return true;
    for (uint32_t s = 0; s < model->skin_count; s++)
        if (clip_group_takes_skin(model, s) && palette_floats(model, s) > floats)
            floats = palette_floats(model, s);
    if (PALETTES * floats > group->palette_capacity) {
        if (!mem_try_resize(&group->palettes, PALETTES * floats, sizeof *group->palettes))
            return false;
        group->palette_capacity = PALETTES * floats;
    }
    return clip_group_reserve(&group->lanes, model, layer_most);
}

void crowd_group_begin(struct crowd_group *group)
{
    group->count = 0;
    clip_group_forget(&group->lanes);
}

/* --- which members can share a group --- */

static uint64_t with(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0xbf58476d1ce4e5b9);
    return hash ^ hash >> 31;
}

uint64_t crowd_group_shape(const struct crowd_member *member)
{
    const struct entity *entity = &member->entity;
    uint64_t hash = with(HASH64_SEED, (uint64_t)(uint32_t)member->wanted->skin << 32 | (uint64_t)member->layout << 2 |
                                          (uint64_t)member->wanted->what << 1 | (entity->world_from_scene != NULL));
    for (uint32_t i = 0; i < entity->layer_count; i++) {
        const struct blend_layer *layer = &entity->layers[i];
        hash = with(hash, (uint64_t)layer->mask_count << 3 | (uint64_t)(layer->given != NULL) << 2 |
                              (uint64_t)layer->is_additive << 1 | (layer->weight > 0));
        if (layer->mask_count > 0)
            hash = hash64(hash, layer->masks, layer->mask_count * sizeof *layer->masks);
    }
    return hash;
}

/* True when palettes go to `out` unchanged. */
static bool is_direct(const struct crowd_member *member)
{
    return member->entity.world_from_scene == NULL && member->wanted->item_count == 0;
}

static bool can_be_in_one(const struct crowd_member *member)
{
    return member->wanted->what == CROWD_PALETTE && member->wanted->skin != CROWD_ALL_SKINS &&
           member->layout != LAYOUT_DUALQUAT && member->entity.motion == NULL && member->entity.layer_count > 0 &&
           clip_group_takes_skin(member->entity.model, (uint32_t)member->wanted->skin);
}

static bool is_alike(const struct crowd_member *a, const struct crowd_member *b)
{
    return a->entity.model == b->entity.model && a->wanted->skin == b->wanted->skin && a->layout == b->layout &&
           (a->entity.world_from_scene == NULL) == (b->entity.world_from_scene == NULL);
}

static enum clip_blend_way choose(const struct entity *entity, struct clip_blend_plan *plan)
{
    return entity_has_given(entity) ? entity_given_choose(entity, plan)
                                    : clip_blend_choose(entity->model, entity->layers, entity->layer_count, plan);
}

enum crowd_group_answer crowd_group_add(struct crowd_group *group, const struct kernel *kernel,
                                        const struct crowd_member *members, uint32_t index)
{
    const struct crowd_member *member = &members[index];
    const struct entity *entity = &member->entity;
    if (!can_be_in_one(member) || kernel->group_width < 2)
        return CROWD_GROUP_ALONE;
    if (group->count == kernel->group_width)
        return CROWD_GROUP_FULL;
    struct clip_blend_plan *plan = &group->plans[group->count];
    const enum clip_blend_way way = choose(entity, plan);
    if (!clip_group_takes(entity->model, way, plan))
        return CROWD_GROUP_ALONE;
    if (group->count > 0 && (way != group->way || !is_alike(member, &members[group->members[0]]) ||
                             !clip_group_is_alike(way, plan, &group->plans[0])))
        return CROWD_GROUP_FULL;
    group->way = way;
    group->members[group->count++] = index;
    return CROWD_GROUP_TAKEN;
}

/* --- evaluation --- */

/* Converts the palette of a lane, and may overwrite it, to the member's output. False: something is not finite. */
static bool put_answer(const struct kernel *kernel, const struct crowd_member *member, float *palette, float *spare)
{
    const struct crowd_wanted *wanted = member->wanted;
    const uint32_t floats = layout_floats(member->layout);
    const uint32_t joints = member->entity.model->skins[wanted->skin].joint_count;
    if (member->entity.world_from_scene != NULL) {
        double world[12];
        dmat4_rows(member->entity.world_from_scene, world);
        float *moved = wanted->item_count > 0 ? spare : member->out;
        const struct kernel_move move = {.world_from_scene = world,
                                         .rows = palette,
                                         .count = joints,
                                         .is_mat4 = member->layout == LAYOUT_MAT4,
                                         .out = moved};
        kernel->move(&move);
        if (!floats_are_finite(moved, (uint64_t)joints * floats))
            return false;
        palette = moved;
    }
    for (uint32_t i = 0; i < wanted->item_count; i++)
        memcpy(member->out + (size_t)i * floats, palette + (size_t)wanted->items[i] * floats, floats * sizeof *palette);
    return true;
}

/* Most of a group's time is the same for any number of members: that of three quarters of its width alone. */
bool crowd_group_is_worth_it(uint32_t count, const struct kernel *kernel)
{
    return kernel->group_width >= 2 && 4 * count > 3 * kernel->group_width;
}

static bool are_direct(const struct crowd_group *group, const struct crowd_member *members, uint32_t count)
{
    bool are = true;
    for (uint32_t i = 0; i < count; i++)
        are = are && is_direct(&members[group->members[i]]);
    return are;
}

uint32_t crowd_group_run(struct crowd_group *group, struct entity_work *evaluator, const struct crowd_member *members,
                         uint32_t *count)
{
    struct clip_group_member lanes[KERNEL_GROUP_MAX];
    struct clip_palette *compiled = &evaluator->compiled;
    uint32_t alone = 0;
    *count = group->count;
    group->count = 0;
    if (!crowd_group_is_worth_it(*count, compiled->kernel))
        return UINT32_MAX;
    const struct crowd_member *first = &members[group->members[0]];
    const struct model *model = first->entity.model;
    const uint32_t skin = (uint32_t)first->wanted->skin;
    const bool is_mat4 = first->layout == LAYOUT_MAT4 && first->entity.world_from_scene == NULL;
    const size_t floats = palette_floats(model, skin);
    if (!are_direct(group, members, *count) && PALETTES * floats > group->palette_capacity) {
        group->palette_capacity = PALETTES * floats;
        group->palettes = mem_realloc(group->palettes, group->palette_capacity * sizeof *group->palettes);
    }
    for (uint32_t i = 0; i < *count; i++) {
        const struct crowd_member *member = &members[group->members[i]];
        lanes[i] = (struct clip_group_member){.plan = &group->plans[i],
                                              .out = is_direct(member) ? member->out : group->palettes + i * floats,
                                              .given = entity_has_given(&member->entity) ? member->entity.layers : NULL,
                                              .given_count = member->entity.layer_count};
    }
    alone = clip_group_palettes(&group->lanes, compiled, &evaluator->mixed, model, group->way, lanes, *count, skin,
                                is_mat4 ? PALETTE_MAT4 : PALETTE_MAT3X4);
    for (uint32_t i = 0; i < *count; i++) {
        const struct crowd_member *member = &members[group->members[i]];
        if ((alone >> i & 1) == 0 && !is_direct(member) &&
            !put_answer(compiled->kernel, member, lanes[i].out, group->palettes + KERNEL_GROUP_MAX * floats))
            alone |= UINT32_C(1) << i;
        if ((alone >> i & 1) != 0)
            continue;
        evaluator->compiled_count++;
        evaluator->cubic_count += clip_blend_is_cubic(model, &group->plans[i]);
    }
    return alone;
}

/* eval_crowd.c - many entities in one call, with the code that answers crowds of the server. */
#include "anim/entity/crowd.h"
#include "base/container_of.h"
#include "base/mem.h"
#include "clients/eval/eval_internal.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)PE_PALETTE == (int)CROWD_PALETTE && (int)PE_MATRICES == (int)CROWD_NODES &&
                   (int)PE_ALL_SKINS == (int)CROWD_ALL_SKINS,
               "what is wanted is the same");

struct pe_crowd {
    struct pe_evaluator *evaluator;
    struct crowd_work work;
    struct crowd_listener listener;
    struct crowd_member *members; /* [member_capacity]; also the next two */
    struct crowd_wanted *wanted;
    struct dmat4 *worlds;
    struct blend_layer *layers; /* [layer_capacity]: of all members */
    struct given_pose *given;   /* [layer_capacity]: likewise */
    struct blend_mask *masks;   /* [mask_capacity]: of all members */
    struct given_room room;     /* of all members */
    size_t layer_capacity;
    uint32_t member_capacity, layers_most, mask_capacity;
    /* of the current call */
    struct taken taken; /* the latest member */
    struct pe_member *asked;
    struct pe_error *error;
    size_t layer_count;
    uint32_t mask_count, failed_count;
    uint64_t wanted_count; /* matrices that the latest member wants */
};

static void on_failed(struct crowd_listener *listener, uint32_t member, const struct err *err)
{
    struct pe_crowd *crowd = container_of(listener, struct pe_crowd, listener);
    crowd->asked[member].status = eval_fail_by(NULL, err);
    if (crowd->failed_count++ == 0)
        eval_fail(crowd->error, crowd->asked[member].status, "member %u: %s", member, err->message);
}

int pe_crowd_new(struct pe_crowd **out, struct pe_error *error)
{
    if (out == NULL)
        return eval_fail(error, PE_E_ARGUMENT, "no place for the crowd");
    struct pe_crowd *crowd = *out = calloc(1, sizeof *crowd);
    if (crowd == NULL)
        return eval_fail(error, PE_E_MEMORY, "no memory for a crowd");
    crowd_work_init(&crowd->work);
    crowd->listener.failed = on_failed;
    crowd->room.is_borrowing = true;
    const int rc = pe_evaluator_new(&crowd->evaluator, error);
    if (rc < 0) {
        pe_crowd_free(crowd);
        *out = NULL;
    }
    return rc;
}

void pe_crowd_free(struct pe_crowd *crowd)
{
    if (crowd == NULL)
        return;
    pe_evaluator_free(crowd->evaluator);
    crowd_work_fini(&crowd->work);
    free(crowd->members);
    free(crowd->wanted);
    free(crowd->worlds);
    free(crowd->layers);
    free(crowd->given);
    eval_free_room(&crowd->room);
    free(crowd->masks);
    free(crowd);
}

/* --- room --- */

static bool reserve_members(struct pe_crowd *crowd, uint32_t members, uint32_t layers_most, uint32_t masks)
{
    const size_t layers = (size_t)members * layers_most;
    if (!mem_try_resize(&crowd->members, members, sizeof *crowd->members) ||
        !mem_try_resize(&crowd->wanted, members, sizeof *crowd->wanted) ||
        !mem_try_resize(&crowd->worlds, members, sizeof *crowd->worlds) ||
        !mem_try_resize(&crowd->layers, layers, sizeof *crowd->layers) ||
        !mem_try_resize(&crowd->given, layers, sizeof *crowd->given) ||
        !eval_reserve_room(&crowd->room, &(struct room_size){.layer_count = layers}) ||
        !mem_try_resize(&crowd->masks, masks, sizeof *crowd->masks))
        return false;
    crowd->member_capacity = members;
    crowd->layers_most = layers_most;
    crowd->layer_capacity = layers;
    crowd->mask_capacity = masks;
    return true;
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

int pe_crowd_reserve(struct pe_crowd *crowd, const struct pe_model *model, uint32_t member_count, uint32_t layers_most,
                     uint32_t mask_count, struct pe_error *error)
{
    if (crowd == NULL || model == NULL)
        return eval_fail(error, PE_E_ARGUMENT, "no crowd, or no model");
    if (layers_most > PE_LAYERS_MAX)
        return eval_fail(error, PE_E_ARGUMENT, "more than %d layers", PE_LAYERS_MAX);
    const uint32_t members = larger(member_count, crowd->member_capacity);
    const uint32_t layers = larger(larger(layers_most, 1), crowd->layers_most);
    /* the evaluator comes last, because it remembers for which models there is room */
    if (!crowd_work_reserve(&crowd->work, &model->file.model, members, layers) ||
        !eval_reserve_face(&crowd->room.face, &model->file.model) ||
        !reserve_members(crowd, members, layers, larger(mask_count, crowd->mask_capacity)))
        return eval_fail(error, PE_E_MEMORY, "no memory for a crowd of %u", member_count);
    return pe_evaluator_reserve(crowd->evaluator, model, layers_most, error);
}

int pe_crowd_reserve_poses(struct pe_crowd *crowd, uint32_t node_count, uint32_t weight_count, struct pe_error *error)
{
    if (crowd == NULL)
        return eval_fail(error, PE_E_ARGUMENT, "no crowd");
    const struct room_size size = {.node_count = node_count,
                                   .weight_count = weight_count,
                                   .look_bind_count = weight_count,
                                   .layer_count = crowd->layer_capacity};
    return eval_reserve_room(&crowd->room, &size)
               ? 0
               : eval_fail(error, PE_E_MEMORY, "no memory for poses of %u nodes and %u morph weights", node_count,
                           weight_count);
}

/* --- members --- */

/* Selects and checks the matrices of a member. One that wants all, as the member before and of the same model does,
 * shares what was found for that. */
static int take_wanted(struct pe_crowd *crowd, uint32_t index, const struct pe_member *asked, struct pe_error *error)
{
    struct crowd_member *member = &crowd->members[index];
    const struct crowd_member *former = index > 0 ? member - 1 : NULL;
    const struct model *model = member->entity.model;
    struct err err;
    const uint32_t floats = pe_layout_floats(asked->layout);
    if (asked->what < PE_PALETTE || asked->what > PE_MATRICES || floats == 0 || asked->skin < PE_ALL_SKINS ||
        (asked->item_count > 0 && (asked->items == NULL || (asked->what == PE_PALETTE && asked->skin == PE_ALL_SKINS))))
        return eval_fail(error, PE_E_ARGUMENT, "member %u: what, layout, skin or items are unknown", index);
    if (former != NULL && former->entity.model == model && asked->item_count == 0 && former->wanted->item_count == 0 &&
        (int)former->wanted->what == asked->what && former->wanted->skin == asked->skin) {
        member->wanted = former->wanted;
    } else {
        struct crowd_wanted *wanted = &crowd->wanted[index];
        *wanted = (struct crowd_wanted){.what = (enum crowd_what)asked->what,
                                        .skin = asked->skin,
                                        .items = asked->items,
                                        .item_count = asked->item_count};
        if (crowd_wanted_check(wanted, model, &err) < 0)
            return eval_fail(error, PE_E_ARGUMENT, "member %u: %s", index, err.message);
        member->wanted = wanted;
        crowd->wanted_count = crowd_wanted_count(wanted, model);
    }
    const uint64_t count = crowd->wanted_count;
    if (asked->capacity / floats < count || (asked->out == NULL && count > 0))
        return eval_fail(error, PE_E_ARGUMENT, "member %u: there is room for %zu floats, and %llu are needed", index,
                         asked->capacity, (unsigned long long)count * floats);
    return 0;
}

static int take_member(struct pe_crowd *crowd, uint32_t index, struct pe_member *asked, struct pe_error *error)
{
    struct crowd_member *member = &crowd->members[index];
    struct taken *taken = &crowd->taken;
    struct pe_error inner;
    asked->status = 0;
    if (asked->entity == NULL || asked->entity->motion != PE_MOTION_STAYS)
        return eval_fail(error, PE_E_ARGUMENT, "member %u: no entity, or one with root motion", index);
    member->layout = (enum layout)asked->layout;
    member->out = asked->out;
    taken->layers = crowd->layers + crowd->layer_count;
    taken->given = crowd->given + crowd->layer_count;
    taken->room = &crowd->room;
    taken->masks = crowd->masks + crowd->mask_count;
    taken->mask_capacity = crowd->mask_capacity - crowd->mask_count;
    taken->world_from_scene = &crowd->worlds[index];
    if (asked->entity->layers != NULL && asked->entity->layer_count > crowd->layer_capacity - crowd->layer_count)
        return eval_fail(error, PE_E_RESERVE, "member %u: the crowd has room for %zu layers", index,
                         crowd->layer_capacity);
    const int rc = eval_take(crowd->evaluator, asked->entity, taken, &member->entity, &inner);
    if (rc < 0)
        return eval_fail(error, rc, "member %u: %.400s", index, inner.message);
    crowd->layer_count += member->entity.layer_count;
    for (uint32_t i = 0; i < member->entity.layer_count; i++)
        crowd->mask_count += member->entity.layers[i].mask_count;
    return take_wanted(crowd, index, asked, error);
}

int pe_crowd_evaluate(struct pe_crowd *crowd, struct pe_member *members, uint32_t member_count, struct pe_error *error)
{
    if (crowd == NULL || (member_count > 0 && members == NULL))
        return eval_fail(error, PE_E_ARGUMENT, "no crowd, or no members");
    if (member_count > crowd->member_capacity)
        return eval_fail(error, PE_E_RESERVE, "the crowd has room for %u members, not for %u", crowd->member_capacity,
                         member_count);
    crowd->layer_count = 0;
    eval_empty_room(&crowd->room);
    crowd->mask_count = crowd->failed_count = 0;
    crowd->asked = members;
    crowd->error = error;
    for (uint32_t i = 0; i < member_count; i++) {
        const int rc = take_member(crowd, i, &members[i], error);
        if (rc < 0)
            return rc;
    }
    crowd_run(&crowd->work, &crowd->evaluator->work, crowd->members, member_count, NULL, &crowd->listener);
    return (int)crowd->failed_count;
}

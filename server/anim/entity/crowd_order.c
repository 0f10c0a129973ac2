/* crowd_order.c - a table of the kinds in a crowd, and members counted into it. */
#include "anim/entity/crowd_order.h"

#include "anim/entity/crowd.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Members with one model, shape (crowd_group_shape()) and the same clips in the first two layers; or, with clips WHOLE,
 * all members of this model and shape. */
struct crowd_kind {
    const struct model *model;
    uint64_t shape, clips;
    uint32_t count, first;
    uint32_t next; /* of WHOLE: 1 + the last kind that it consists of; otherwise the one before; 0: none */
};

#define WHOLE UINT64_MAX

void crowd_order_init(struct crowd_order *order) { *order = (struct crowd_order){0}; }

void crowd_order_fini(struct crowd_order *order)
{
    free(order->members);
    free(order->runs);
    free(order->kinds);
    free(order->kind_of);
    free(order->slots);
    crowd_order_init(order);
}

size_t crowd_order_held_bytes(const struct crowd_order *order)
{
    return order->capacity *
               (2 * sizeof *order->kinds + sizeof *order->members + sizeof *order->runs + sizeof *order->kind_of) +
           order->slot_capacity * sizeof *order->slots;
}

/* Returns the slots of a crowd: a power of two, at least twice as many as there can be kinds. */
static uint32_t slots_for(uint32_t count)
{
    uint32_t slots = 8;
    while (slots < 4 * (uint64_t)count && slots < UINT32_C(1) << 31)
        slots *= 2;
    return slots;
}

bool crowd_order_reserve(struct crowd_order *order, uint32_t count)
{
    const uint32_t slots = slots_for(count);
    if (count <= order->capacity)
        return true;
    if (!mem_try_resize(&order->members, count, sizeof *order->members) ||
        !mem_try_resize(&order->runs, count, sizeof *order->runs) ||
        !mem_try_resize(&order->kinds, 2 * (size_t)count, sizeof *order->kinds) ||
        !mem_try_resize(&order->kind_of, count, sizeof *order->kind_of) ||
        !mem_try_resize(&order->slots, slots, sizeof *order->slots))
        return false;
    order->slot_capacity = slots;
    order->capacity = count;
    return true;
}

static uint64_t mixed(uint64_t state, uint64_t word)
{
    state = (state ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return state ^ state >> 32;
}

static bool is_kind(const struct crowd_kind *kind, const struct model *model, uint64_t shape, uint64_t clips)
{
    return kind->model == model && kind->shape == shape && kind->clips == clips;
}

/* Returns the index of a kind, which is added when it is not there yet. */
static uint32_t find_kind(struct crowd_order *order, const struct model *model, uint64_t shape, uint64_t clips)
{
    const uint32_t last = order->slot_count - 1;
    uint32_t slot = (uint32_t)mixed(mixed((uintptr_t)model, shape), clips) & last;
    for (; order->slots[slot] != 0; slot = (slot + 1) & last)
        if (is_kind(&order->kinds[order->slots[slot] - 1], model, shape, clips))
            return order->slots[slot] - 1;
    order->kinds[order->kind_count] = (struct crowd_kind){.model = model, .shape = shape, .clips = clips};
    order->slots[slot] = ++order->kind_count;
    return order->kind_count - 1;
}

/* Equal for the same clip. A collision only changes the order in which memory is read. */
static uint32_t clip_key(const struct blend_layer *layer)
{
    const uint64_t source = (uintptr_t)layer->source;
    return (uint32_t)layer->clip + 2 + (uint32_t)(source >> 32 ^ source) * 0x9e3779b1U;
}

static uint64_t clips_of(const struct entity *entity)
{
    const uint32_t first = entity->layer_count == 0 ? 0 : clip_key(&entity->layers[0]);
    const uint32_t second = entity->layer_count < 2 ? 0 : clip_key(&entity->layers[1]);
    const uint64_t clips = (uint64_t)first << 32 | second;
    return clips == WHOLE ? 0 : clips;
}

/* Puts the kinds one after the other, those of one model and shape together. */
static void place_kinds(struct crowd_order *order)
{
    uint32_t at = 0;
    order->run_count = 0;
    for (uint32_t i = 0; i < order->kind_count; i++) {
        if (order->kinds[i].clips != WHOLE)
            continue;
        for (uint32_t k = order->kinds[i].next; k != 0; k = order->kinds[k - 1].next) {
            order->kinds[k - 1].first = at;
            at += order->kinds[k - 1].count;
        }
        order->runs[order->run_count++] = at;
    }
}

/* True when two members have one shape and no masks, without its hash. */
static bool has_shape_of(const struct crowd_member *a, const struct crowd_member *b)
{
    const struct entity *p = &a->entity, *q = &b->entity;
    bool is = a->wanted == b->wanted && a->layout == b->layout && p->layer_count == q->layer_count &&
              (p->world_from_scene == NULL) == (q->world_from_scene == NULL);
    for (uint32_t i = 0; i < p->layer_count && is; i++) {
        const struct blend_layer *own = &p->layers[i], *other = &q->layers[i];
        is = own->mask_count + other->mask_count == 0 && own->is_additive == other->is_additive &&
             (own->given == NULL) == (other->given == NULL) && (own->weight > 0) == (other->weight > 0);
    }
    return is;
}

void crowd_order_find(struct crowd_order *order, const struct crowd_member *members, uint32_t count)
{
    uint32_t kind = 0;
    uint64_t shape = 0;
    order->kind_count = 0;
    order->slot_count = slots_for(count);
    memset(order->slots, 0, order->slot_count * sizeof *order->slots);
    for (uint32_t i = 0; i < count; i++) {
        const struct entity *entity = &members[i].entity;
        const uint64_t clips = clips_of(entity);
        if (i == 0 || !has_shape_of(&members[i - 1], &members[i]))
            shape = crowd_group_shape(&members[i]);
        if (i == 0 || !is_kind(&order->kinds[kind], entity->model, shape, clips))
            kind = find_kind(order, entity->model, shape, clips);
        if (order->kinds[kind].count++ == 0) {
            const uint32_t whole = find_kind(order, entity->model, shape, WHOLE);
            order->kinds[kind].next = order->kinds[whole].next;
            order->kinds[whole].next = kind + 1;
        }
        order->kind_of[i] = kind;
    }
    place_kinds(order);
    for (uint32_t i = 0; i < count; i++)
        order->members[order->kinds[order->kind_of[i]].first++] = i;
}

/* crowd_order.h - the order in which a crowd is evaluated: members of one kind follow each other, and of these the ones
 * that play the same clips. For crowd.c. Pure; any thread, one struct crowd_order per thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct crowd_member;

/* Working memory, and the order. */
struct crowd_order {
    uint32_t *members; /* [member count]: indices into the crowd */
    uint32_t *runs;    /* [run_count]: where the members of each kind end in `members` */
    uint32_t run_count;
    /* private */
    struct crowd_kind *kinds; /* [2 * capacity] */
    uint32_t *kind_of;        /* [capacity] */
    uint32_t *slots;          /* [slot_capacity]: 0, or 1 + an index into `kinds` */
    uint32_t kind_count, slot_count, slot_capacity, capacity;
};

void crowd_order_init(struct crowd_order *order);
void crowd_order_fini(struct crowd_order *order);
size_t crowd_order_held_bytes(const struct crowd_order *order);
/* Makes room for `count` members. False: memory ran out, and *order stays usable. */
bool crowd_order_reserve(struct crowd_order *order, uint32_t count);

/* Fills members and runs, in a time that grows with `count` alone. There must be room. */
void crowd_order_find(struct crowd_order *order, const struct crowd_member *members, uint32_t count);

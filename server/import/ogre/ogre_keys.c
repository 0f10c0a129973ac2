/* ogre_keys.c - orders the keys of a track by time. */
#include "import/ogre/ogre_keys.h"

#include "base/mem.h"

#include <stdlib.h>

struct key {
    double time_s;
    uint32_t index;
};

static int by_time(const void *a, const void *b)
{
    const struct key *i = a, *k = b;
    if (i->time_s != k->time_s)
        return i->time_s < k->time_s ? -1 : 1;
    return (i->index > k->index) - (i->index < k->index);
}

void ogre_key_order_make(struct ogre_key_order *order, const double *times_s, size_t count, double length_s)
{
    struct key *keys = mem_alloc((count + 1) * sizeof *keys);
    *order = (struct ogre_key_order){.keys = mem_alloc((count + 1) * sizeof *order->keys),
                                     .times_s = mem_alloc((count + 1) * sizeof *order->times_s)};
    for (uint32_t i = 0; i < count; i++)
        keys[i] = (struct key){times_s[i], i};
    qsort(keys, count, sizeof *keys, by_time);
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && !(keys[i].time_s < keys[i + 1].time_s)) {
            order->is_repaired = true;
            continue;
        }
        order->keys[order->count] = keys[i].index;
        order->times_s[order->count++] = keys[i].time_s;
    }
    free(keys);
    if (order->count == 0)
        return;
    const double first = order->times_s[0], last = order->times_s[order->count - 1];
    order->has_end = order->count > 1 && last < length_s && first >= 0;
    if (order->has_end) {
        order->times_s[order->count] = length_s;
        order->end_part = (length_s - last) / (length_s + first - last);
    }
}

void ogre_key_order_fini(struct ogre_key_order *order)
{
    free(order->keys);
    free(order->times_s);
    *order = (struct ogre_key_order){0};
}

#include "import/mesh/vertex_set.h"

#include "base/mem.h"

#include <string.h>

void vertex_set_init(struct vertex_set *set, size_t count_max)
{
    size_t slot_count = 16;
    while (slot_count < 2 * count_max)
        slot_count *= 2;
    set->mask = slot_count - 1;
    set->slots = mem_alloc(slot_count * sizeof *set->slots);
    memset(set->slots, 0xff, slot_count * sizeof *set->slots);
}

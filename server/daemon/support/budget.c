#include "daemon/support/budget.h"

bool budget_has_room(struct budget *budget, uint64_t more_bytes)
{
    const bool has_room = budget_could_take(budget, more_bytes);
    if (!has_room)
        atomic_fetch_add_explicit(&budget->shortages, 1, memory_order_relaxed);
    return has_room;
}

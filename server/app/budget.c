#include "budget.h"

bool budget_has_room(struct budget *budget, uint64_t more_bytes)
{
    const bool has_room = budget->used_bytes + more_bytes <= budget->max_bytes;
    budget->is_short = budget->is_short || !has_room;
    return has_room;
}

void budget_count(struct budget *budget, size_t *counted_bytes, size_t bytes)
{
    budget->used_bytes += bytes - *counted_bytes;
    *counted_bytes = bytes;
}

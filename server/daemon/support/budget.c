#include "daemon/support/budget.h"

bool budget_has_capacity(struct budget *budget, uint64_t more_bytes)
{
    const bool has_capacity = budget_could_take(budget, more_bytes);
    if (!has_capacity)
        atomic_fetch_add_explicit(&budget->shortages, 1, memory_order_relaxed);
    return has_capacity;
}

bool budget_request_begins(struct budget *budget, uint64_t bytes)
{
    if (atomic_fetch_add(&budget->waiting_bytes, bytes) + bytes <= budget->max_bytes / 2)
        return true;
    budget_request_ends(budget, bytes);
    return false;
}

void budget_request_ends(struct budget *budget, uint64_t bytes) { atomic_fetch_sub(&budget->waiting_bytes, bytes); }

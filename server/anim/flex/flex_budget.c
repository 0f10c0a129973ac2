/* flex_budget.c - the memory and the work of a measurement. */
#include "anim/flex/flex_internal.h"

#include "base/mem.h"

bool flex_array(struct flex *flex, void *array, uint64_t count, size_t item_bytes)
{
    if (count < SIZE_MAX / 2 && mem_try_resize(array, (size_t)count + 1, item_bytes))
        return true;
    err_set(flex->err, ERR_NO_MEMORY, "memory ran out");
    return false;
}

bool flex_spend(struct flex *flex, uint64_t steps, uint64_t vertices)
{
    struct flex_report *report = flex->report;
    const struct flex_options *options = flex->options;
    if (options->is_stopped != NULL && *options->is_stopped) {
        err_set(flex->err, ERR_REQUEST_TIMEOUT, "the request was cancelled");
        return false;
    }
    if (steps > options->steps - report->step_count || vertices > options->vertices - report->vertex_count) {
        err_set(
            flex->err, ERR_TOO_MANY_FRAMES,
            "bending the joints takes more than the %llu nodes or %llu vertices that a request may evaluate; name a "
            "joint, or fewer angles",
            (unsigned long long)options->steps, (unsigned long long)options->vertices);
        return false;
    }
    report->step_count += steps;
    report->vertex_count += vertices;
    return true;
}

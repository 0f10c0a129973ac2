/* request_trace.h - how the reply to a request was made, for the request log.
 *
 * Part of the request's struct call. Whoever works on the request fills it, one thread at a time. */
#pragma once

#include <stdint.h>

/* Where the models of a reply came from, in the order of what that costs. */
enum model_origin { ORIGIN_NONE, ORIGIN_MEMORY, ORIGIN_DISK, ORIGIN_IMPORT };

struct request_trace {
    enum model_origin origin; /* the costliest of its models */
    uint64_t queue_ns;        /* how long it waited for its turn: for an import, a work thread, a renderer */
};

static inline void request_trace_add(struct request_trace *trace, enum model_origin origin, uint64_t queue_ns)
{
    trace->origin = origin > trace->origin ? origin : trace->origin;
    trace->queue_ns += queue_ns;
}

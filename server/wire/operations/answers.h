/* answers.h - the functions that answer each operation on models: the code columns of operations.def. Private to
 * server/wire, except for reply_cost_ns() and reply_least_bytes(). Pure; any thread. */
#pragma once

#include "wire/reply/cost.h"
#include "wire/reply/frame_reply.h"

#include <math.h>

struct operation {
    void (*body)(struct reply_context *context);
    const struct frame_writer *frames;
    cost_fn *cost;
    bytes_fn *bytes;
    least_bytes_fn *least_bytes;
};
extern const struct operation OPERATIONS[OP_ALL_COUNT];

/* Estimates the processor time of the answer; infinite when unknown. For a large model it stops as soon as the cost
 * exceeds COST_ENOUGH_NS. */
static inline double reply_cost_ns(const struct cost_input *input)
{
    cost_fn *cost = OPERATIONS[input->request->op].cost;
    return cost == NULL ? HUGE_VAL : cost(input);
}

/* Returns a lower bound of the body's size in bytes, unless the answer is an error; 0 when nothing is known. */
static inline uint64_t reply_least_bytes(const struct cost_input *input)
{
    least_bytes_fn *least = OPERATIONS[input->request->op].least_bytes;
    return least == NULL ? 0 : least(input);
}

/* Returns the writer of the reply's frames, or NULL for a reply without frames. */
static inline const struct frame_writer *frame_writer_of(const struct request *request)
{
    return request->format == FORMAT_GLB ? NULL : OPERATIONS[request->op].frames;
}

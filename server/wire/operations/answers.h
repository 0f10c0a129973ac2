/* answers.h - how each operation on models is answered: the columns of operations.def that are code. Private to
 * server/wire, but for reply_cost_ns() and reply_least_bytes(). Pure; any thread. */
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

/* How long the answer takes, about, of processor time; infinite: not known. Of a large model it reads only as much as
 * shows that it is more than COST_ENOUGH_NS. */
static inline double reply_cost_ns(const struct cost_input *input)
{
    cost_fn *cost = OPERATIONS[input->request->op].cost;
    return cost == NULL ? HUGE_VAL : cost(input);
}

/* The answer's body has so many bytes at least, unless it is an error; 0: nothing is known. */
static inline uint64_t reply_least_bytes(const struct cost_input *input)
{
    least_bytes_fn *least = OPERATIONS[input->request->op].least_bytes;
    return least == NULL ? 0 : least(input);
}

/* What writes the frames of the reply to this request; NULL: it has none. */
static inline const struct frame_writer *frame_writer_of(const struct request *request)
{
    return request->format == FORMAT_GLB ? NULL : OPERATIONS[request->op].frames;
}

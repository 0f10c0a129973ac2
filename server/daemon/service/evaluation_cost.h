/* evaluation_cost.h - about how long an answer will take. Pure; any thread. */
#pragma once

#include "anim/model/model.h"
#include "wire/request/request.h"

enum {
    EVALUATION_INLINE_NS = 2000000, /* a loop may be kept busy by one request for so long */
    EVALUATION_QUICK_NS = 50000,    /* several of these may go without a look at the clock */
};

/* Nanoseconds; sources: the models of request->sources. Looks at no more of a large model than it takes to know that it
 * is more than EVALUATION_INLINE_NS. */
double evaluation_cost_ns(const struct model *model, const struct model *const *sources, const struct request *request);

/* evaluator.h - an answer of models that are in memory, made where it is asked for. Each loop has its own. */
#pragma once

#include "wire/bodies/reply_make.h"
#include "daemon/model/imported_model.h"
#include "daemon/support/budget.h"
#include "daemon/config/config.h"

/* What is asked of which models; all borrowed. */
struct evaluation {
    const struct request *request; /* of any operation on a model; to be answered here: not of pictures */
    struct imported_model *imported;
    struct imported_model *const *clips; /* [clip_count]: the models of request->sources, in their order */
    const struct model *const *sources;  /* [clip_count]: likewise */
    uint32_t clip_count;
    struct limits *left; /* of a query in a batch: what all of it still may have; else NULL */
};

struct evaluator {
    const struct config *config;
    struct budget *budget;
    struct workspace answer;
};

void evaluator_init(struct evaluator *evaluator, const struct config *config, struct budget *budget);
void evaluator_fini(struct evaluator *evaluator);

/* Fills *reply when that takes no longer than a loop may be kept busy:
 * *spent_ns, which others of the same turn have taken, included. False: it would, and nothing was done. */
bool evaluator_answer(struct evaluator *evaluator, const struct evaluation *evaluation, double *spent_ns,
                      struct reply *reply);

/* The same of a query that is remembered, at the time of its key, of the model as it is now. False: it is not answered
 * this way, but as any request, and nothing was done; memory in the reply's body is kept. */
struct prepared_query;
struct query_key;
bool evaluator_answer_query(struct evaluator *evaluator, struct prepared_query *query, const struct query_key *key,
                            struct imported_model *imported, struct reply *reply);

/* The last step of that, for whoever made the answer in a thread of his own. For a loop. */
void evaluation_finish(const struct evaluation *evaluation, const struct reply_cost *cost, struct reply *reply);

/* True when the client's copy is good: *reply is then the 304. Otherwise *reply has its ETag and caching headers.
 * renderer: what draws pictures. */
bool evaluation_is_not_modified(const struct evaluation *evaluation, const char *renderer, struct reply *reply);

/* What every answer ends with: it is about this model (or NULL: none), and an error is not to be stored. */
void evaluation_end_reply(struct reply *reply, const struct imported_model *imported);

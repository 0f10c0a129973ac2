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

/* --- the entity tag of an answer: what it was made from, not what it holds, so that a client's copy is known to be
 * good before anything is evaluated. Pure; any thread. --- */

enum { ETAG_SIZE = 56, ETAG_FORMAT_MAX = 4 };

/* Everything that the bytes of an answer depend on. */
struct etag_source {
    const char *hash;         /* the model's content hash, hex, at least 16 digits */
    const char *canonical;    /* the request's, 16 hex digits */
    const char *const *clips; /* the content hashes of the other files that clips are from, in the request's order */
    size_t clips_count;
    const char *renderer; /* what draws, for pictures; "" otherwise */
    const char *format;   /* "json", "bin", "png": at most ETAG_FORMAT_MAX letters */
};

/* Writes a strong tag with its quotes. The server's version is part of it. */
void etag_make(const struct etag_source *source, char out[ETAG_SIZE]);

/* --- evaluator --- */

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

/* --- evaluation_cost.c: about how long an answer will take. Pure; any thread. --- */

enum {
    EVALUATION_INLINE_NS = 2000000, /* a loop may be kept busy by one request for so long */
    EVALUATION_QUICK_NS = 50000,    /* several of these may go without a look at the clock */
};

/* Nanoseconds; sources: the models of request->sources. Looks at no more of a large model than it takes to know that it
 * is more than EVALUATION_INLINE_NS. */
double evaluation_cost_ns(const struct model *model, const struct model *const *sources, const struct request *request);

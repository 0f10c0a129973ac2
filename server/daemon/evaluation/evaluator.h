/* evaluator.h - makes the answer to a request from models in memory, on the calling thread. Each loop has an evaluator,
 * for its thread only. */
#pragma once

#include "wire/operations/answers.h"
#include "wire/operations/reply_make.h"
#include "daemon/model/imported_model.h"
#include "daemon/support/budget.h"
#include "daemon/config/config.h"

/* A request and its models; all borrowed. */
struct evaluation {
    const struct request *request; /* of any operation on a model; the evaluator answers all of them except pictures */
    struct imported_model *imported;
    struct imported_model *const *clips; /* [clip_count]: the models of request->sources, in order */
    const struct model *const *sources;  /* [clip_count]: likewise */
    uint32_t clip_count;
    struct limits *left; /* for a query in a batch: what the batch may still use; else NULL */
};

/* Returns the request's own model, or NULL. */
static inline const struct model *evaluation_own_model(const struct evaluation *evaluation)
{
    return evaluation->imported == NULL ? NULL : &evaluation->imported->model;
}

/* --- entity tags. A tag names the inputs of an answer, not its content. So the server can validate a client's copy
 * without evaluating anything. Pure; any thread. --- */

enum { ETAG_SIZE = 56, ETAG_FORMAT_MAX = 5 };

/* All inputs on which the bytes of an answer depend. */
struct etag_source {
    const char *hash;         /* the model's content hash, hex, at least 16 digits */
    const char *canonical;    /* the request's, 16 hex digits */
    const char *const *clips; /* content hashes of the other files with clips, in the request's order */
    size_t clips_count;
    const char *renderer; /* the renderer of a picture; "" otherwise */
    const char *format;   /* "json", "bin", "png": at most ETAG_FORMAT_MAX letters */
    const char *maker;    /* ANSWER_MAKER: the version of the code that makes answers */
};

/* Writes a strong tag with quotes. */
void etag_make(const struct etag_source *source, char out[ETAG_SIZE]);

/* --- evaluator --- */

struct evaluator {
    const struct config *config;
    struct budget *budget;
    struct workspace workspace;
};

/* Borrows all arguments. retargeted_clips: the store of clips of other files. */
void evaluator_init(struct evaluator *evaluator, const struct config *config, struct budget *budget,
                    struct retargeted_clip_store *retargeted_clips);
void evaluator_fini(struct evaluator *evaluator);

enum { EVALUATION_INLINE_NS = COST_ENOUGH_NS }; /* how long one request may keep a loop busy */

/* Returns the input of reply_cost_ns() and reply_least_bytes(). */
static inline struct cost_input evaluation_cost_input(const struct evaluation *evaluation)
{
    return (struct cost_input){evaluation->request, evaluation_own_model(evaluation), evaluation->sources};
}

/* Estimates how long the answer would keep a loop busy; infinite when it must go to a work thread. Pure; any thread. */
double evaluation_cost_ns(const struct evaluation *evaluation);

/* Fills *reply if the loop stays busy for at most EVALUATION_INLINE_NS, including *spent_ns, to which it adds. False:
 * the answer takes longer, or needs a clip of another file that is not retargeted yet; *reply is empty, and *spent_ns
 * leaves no room for more. The cost of ray hits is only known after casting: the evaluator tries, and stops at the same
 * limit. */
bool evaluator_answer(struct evaluator *evaluator, const struct evaluation *evaluation, double *spent_ns,
                      struct reply *reply);

/* Likewise answers a prepared query at the time of its key. False: nothing happened, and the query must be answered
 * like any other request. The reply's body keeps its memory. */
struct prepared_query;
struct query_key;
bool evaluator_answer_query(struct evaluator *evaluator, struct prepared_query *query, const struct query_key *key,
                            struct imported_model *imported, struct reply *reply);

/* Appends to *out the body of the reply to such a query at `time_s`. It needs a binary reply that cannot fail, and an
 * earlier reply for the model's current content. False: nothing happened. After at most PREPARED_ROW_MAX calls
 * evaluator_finish_replies() evaluates the missing parts together. */
bool evaluator_append_reply(struct evaluator *evaluator, struct prepared_query *query, double time_s,
                            const struct imported_model *imported, struct buf *out);
void evaluator_finish_replies(struct evaluator *evaluator, struct prepared_query *query, struct buf *out);

/* Finishes a reply that a work thread made. Call it on the loop's thread. */
void evaluation_finish(const struct evaluation *evaluation, const struct reply_cost *cost, struct reply *reply);

/* True when the client's copy is valid: *reply is then the 304. Otherwise *reply has its ETag and caching headers.
 * renderer: the renderer of a picture. */
bool evaluation_is_not_modified(const struct evaluation *evaluation, const char *renderer, struct reply *reply);

/* Sets the model (or NULL) that the reply is about; the last step of every reply. */
void evaluation_end_reply(struct reply *reply, const struct imported_model *imported);

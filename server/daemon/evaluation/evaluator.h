/* evaluator.h - makes the answer to a request from models in memory, on the calling thread. Each loop has an evaluator;
 * it is for the thread of that loop only. */
#pragma once

#include "wire/operations/answers.h"
#include "wire/operations/reply_make.h"
#include "daemon/model/imported_model.h"
#include "daemon/support/budget.h"
#include "daemon/config/config.h"

/* A request and the models that it is about; all borrowed. */
struct evaluation {
    const struct request *request; /* of any operation on a model; the evaluator answers all but pictures */
    struct imported_model *imported;
    struct imported_model *const *clips; /* [clip_count]: the models of request->sources, in their order */
    const struct model *const *sources;  /* [clip_count]: likewise */
    uint32_t clip_count;
    struct limits *left; /* of a query in a batch: what the batch may still use; else NULL */
};

/* The request's own model; NULL: there is none. */
static inline const struct model *evaluation_own_model(const struct evaluation *evaluation)
{
    return evaluation->imported == NULL ? NULL : &evaluation->imported->model;
}

/* --- entity tags. They name what an answer is made from, not what it holds, so that the server knows that a client's
 * copy is good before it evaluates anything. Pure; any thread. --- */

enum { ETAG_SIZE = 56, ETAG_FORMAT_MAX = 5 };

/* Everything that the bytes of an answer depend on. */
struct etag_source {
    const char *hash;         /* the model's content hash, hex, at least 16 digits */
    const char *canonical;    /* the request's, 16 hex digits */
    const char *const *clips; /* the content hashes of the other files that clips are from, in the request's order */
    size_t clips_count;
    const char *renderer; /* what draws, for pictures; "" otherwise */
    const char *format;   /* "json", "bin", "png": at most ETAG_FORMAT_MAX letters */
    const char *maker;    /* ANSWER_MAKER: what else the bytes follow from */
};

/* Writes a strong tag with its quotes. */
void etag_make(const struct etag_source *source, char out[ETAG_SIZE]);

/* --- evaluator --- */

struct evaluator {
    const struct config *config;
    struct budget *budget;
    struct workspace workspace;
};

/* All are borrowed; retargeted_clips: where clips of other files are kept. */
void evaluator_init(struct evaluator *evaluator, const struct config *config, struct budget *budget,
                    struct retargeted_clip_store *retargeted_clips);
void evaluator_fini(struct evaluator *evaluator);

enum { EVALUATION_INLINE_NS = COST_ENOUGH_NS }; /* how long one request may keep a loop busy */

/* What reply_cost_ns() and reply_least_bytes() ask about. */
static inline struct cost_input evaluation_cost_input(const struct evaluation *evaluation)
{
    return (struct cost_input){evaluation->request, evaluation_own_model(evaluation), evaluation->sources};
}

/* How long the answer keeps a loop busy, about; infinite: it is for a work thread. Pure; any thread. */
double evaluation_cost_ns(const struct evaluation *evaluation);

/* Fills *reply if that keeps the loop busy for no longer than EVALUATION_INLINE_NS, including *spent_ns, which counts
 * up. False: it takes longer, or needs a clip of another file that is not ready to be played: *reply is empty, and
 * *spent_ns says that nothing else fits. What rays meet is only known once they are cast: that is tried, and ends where
 * it has taken as long. */
bool evaluator_answer(struct evaluator *evaluator, const struct evaluation *evaluation, double *spent_ns,
                      struct reply *reply);

/* The same for a prepared query, at the time of its key. False: it has to be answered like any other request, and
 * nothing was done; the reply's body keeps its memory. */
struct prepared_query;
struct query_key;
bool evaluator_answer_query(struct evaluator *evaluator, struct prepared_query *query, const struct query_key *key,
                            struct imported_model *imported, struct reply *reply);

/* Appends the body of the reply to such a query at `time_s` to *out: of a binary reply that cannot fail, once there was
 * one of the model's content as it is. False: nothing was done. After at most PREPARED_ROW_MAX of them
 * evaluator_finish_replies() puts in what is still left out, which is evaluated together. */
bool evaluator_append_reply(struct evaluator *evaluator, struct prepared_query *query, double time_s,
                            const struct imported_model *imported, struct buf *out);
void evaluator_finish_replies(struct evaluator *evaluator, struct prepared_query *query, struct buf *out);

/* Finishes a reply that a work thread made; call it on the thread of the loop. */
void evaluation_finish(const struct evaluation *evaluation, const struct reply_cost *cost, struct reply *reply);

/* True when the client's copy is good: *reply is then the 304. Otherwise *reply has its ETag and caching headers.
 * renderer: what draws pictures. */
bool evaluation_is_not_modified(const struct evaluation *evaluation, const char *renderer, struct reply *reply);

/* The last step of every reply: names the model that it is about (or NULL). */
void evaluation_end_reply(struct reply *reply, const struct imported_model *imported);

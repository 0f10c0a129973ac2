/* service_parts.h - what the files of the service share. Private to service*.c. */
#pragma once

#include "../wire/answer.h"
#include "cache.h"
#include "listing.h"
#include "render_pool.h"
#include "service.h"

struct service {
    uv_loop_t *loop;
    const struct config *config;
    int root_fd;
    struct import_pool *imports;
    struct cache *cache;
    struct listing *listing;
    struct render_pool *renders;
    struct answer answer;  /* of the loop thread */
    uv_prepare_t turn;     /* once a turn of the loop */
    struct job *jobs;      /* calls under way */
    struct batch *batches; /* of them those of several queries */
    uint32_t job_count;
    uint32_t work_count;    /* of them with a work thread */
    struct job *work_queue; /* of them those that wait for one */
    uint32_t work_queue_count;
    uint32_t dropped_count; /* of them let go by the render pool: answered at the next turn */
    bool is_draining;
    bool is_ending, is_closed; /* service_free() was called; the handle is closed */
};

/* A call that is not answered at once. */
struct job {
    struct service *service;
    struct call *call;
    struct baked *baked;                              /* a reference, or NULL */
    struct baked *clips[REQUEST_SOURCES_MAX];         /* likewise: those of the request's sources, in their order */
    const struct model *sources[REQUEST_SOURCES_MAX]; /* their models */
    uint32_t clip_count;                              /* found so far */
    struct cache_wait wait;
    struct listing_job listing;
    struct render_query render;
    struct render_blend *blend; /* of `render`, or NULL */
    bool is_dropped;            /* by the render pool */
    uv_work_t work;
    struct answer *answer;   /* of the work thread, while there is work */
    struct reply reply;      /* what the work makes */
    struct answer_cost cost; /* of that */
    struct job *work_prev, *work_next;
    struct job *prev, *next;
};

struct job *job_start(struct service *service, struct call *call);
/* Ends the job and hands *reply to its call. The job is gone afterwards. */
void job_finish(struct job *job, struct reply *reply);
void job_fail(struct job *job, const struct err *err);

/* Puts what is not the answer itself but told beside it: warnings. */
void job_put_notes(const struct job *job, struct reply *reply);

/* True when the client's copy is good: *reply is then the 304. Otherwise *reply has its ETag and caching headers. */
bool job_is_not_modified(const struct job *job, struct reply *reply);

/* Evaluates job->baked (any operation on a model but OP_RENDER), here or in a work thread, and finishes the job. */
void service_answer(struct job *job);
/* Has job->baked drawn and finishes the job. */
void service_render(struct job *job);
/* Answers the queries of an OP_QUERY one after the other. */
void service_batch(struct service *service, struct call *call);
/* Ends the batches that wait for nothing but models; once no model will come. */
void service_batch_end(struct service *service);
/* Finds the models of a call and answers it. */
void service_find_model(struct service *service, struct call *call);
/* Takes work back from its thread, if that has not begun. */
void service_answer_cancel(struct job *job);
/* Frees the service once nothing of it is in use. */
void service_release(struct service *service);

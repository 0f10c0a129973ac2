/* service_parts.h - what the files of the service share. Private to service*.c. */
#pragma once

#include "wire/bodies/reply_make.h"
#include "wire/bodies/sheet_plan.h"
#include "daemon/service/reply_stream.h"
#include "daemon/cache/cache.h"
#include "daemon/service/evaluator.h"
#include "daemon/service/listing.h"
#include "daemon/renderer/render_pool.h"
#include "daemon/service/service.h"
#include "daemon/upload/upload.h"

struct service {
    uv_loop_t *loop;
    const struct config *config;
    struct budget *budget;
    int root_fd;
    struct import_pool *imports;
    struct cache *cache;
    struct listing *listing;
    struct render_pool *renders;
    struct uploads *uploads; /* or NULL: none are taken */
    struct evaluator evaluator;
    uv_prepare_t turn;     /* once a turn of the loop */
    struct job *jobs;      /* calls under way */
    struct batch *batches; /* of them those of several queries */
    uint32_t job_count;
    uint32_t work_count;         /* of them with a work thread */
    uint32_t file_count;         /* uploads and deletions under way */
    uint64_t work_ended_ms;      /* when one of these was done last */
    uint64_t work_room_bytes;    /* what their answers may fill */
    struct job_queue work_queue; /* of them those that wait for one */
    bool is_draining;
    bool is_ending, is_closed; /* service_free() was called; the handle is closed */
};

/* What a job waits for. */
enum job_stage {
    JOB_FINDS_MODEL, /* in the cache */
    JOB_LISTS,
    JOB_QUEUES, /* for a work thread */
    JOB_WORKS,  /* in one */
    JOB_DRAWS,
};

/* A call that is not answered at once. */
struct job {
    struct service *service;
    struct call *call;
    enum job_stage stage;
    struct imported_model *imported;                   /* a reference, or NULL */
    struct imported_model *clips[REQUEST_SOURCES_MAX]; /* likewise: those of the request's sources, in their order */
    const struct model *sources[REQUEST_SOURCES_MAX];  /* their models */
    uint32_t clip_count;                               /* found so far */
    struct cache_waiter wait;
    struct listing_job listing;
    struct render_waiter render;
    struct picture_spec picture; /* of the picture, with what the model knows */
    int32_t render_clip;         /* likewise, for messages */
    double render_begin_s;       /* clip time at which the part that is played begins */
    struct render_blend *blend;  /* likewise, or NULL */
    struct sheet_plan *plan;     /* of a sheet, or NULL */
    uv_work_t work;
    struct reply_stream *source;   /* of the work thread, while there is work */
    uint64_t room_bytes;           /* what the answer may fill */
    uint64_t queued_ms;            /* when it began to wait for that and a thread */
    _Atomic bool is_stopped;       /* read by it: nobody waits for the answer any more */
    struct reply reply;            /* what the work makes */
    struct reply_cost cost;        /* of that */
    uint64_t cpu_ns;               /* likewise, of the thread */
    struct job_queue_entry queued; /* for that */
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

/* Evaluates job->imported (any operation on a model but pictures), here or in a work thread, and finishes the job. */
void service_answer(struct job *job);
/* evaluator_answer() for the call, of which the processor time is counted where it is one of a batch. */
bool service_evaluate(struct service *service, const struct evaluation *evaluation, struct call *call,
                      struct reply *reply);
/* Has job->imported drawn and finishes the job. */
void service_render(struct job *job);

/* --- service_sheet.c: what service_render() does for a sheet --- */

/* What a sheet's query borrows until it is submitted. */
struct sheet_cells {
    struct render_cell *cells;
    double *layer_times_s;
};
/* Makes job->plan; *span: of its first clip. */
int service_sheet_plan(struct job *job, const struct model *clips, int32_t clip, struct clip_span *span,
                       struct err *err);
/* Puts the plan's cells into the query. */
void service_sheet_fill(struct job *job, struct sheet_cells *cells, struct render_spec *query);
void service_sheet_free(struct sheet_cells *cells);
/* Fills the 200 with what the renderer made. */
void service_sheet_reply(struct job *job, struct blob *made, struct reply *reply);

/* --- calls --- */

/* Fills the reply to an operation that needs no model and waits for nothing, and to any once the service ends. False:
 * it is another. */
bool service_info(const struct service *service, enum op op, struct reply *reply);
/* Answers the queries of an OP_QUERY one after the other. */
void service_batch(struct service *service, struct call *call);
/* The client of a batch has left. */
void service_batch_cancel(struct service *service, struct call *call);
/* Ends the batches that wait for nothing but models; once no model will come. */
void service_batch_end(struct service *service);
/* Answers an OP_FILE. */
void service_file(struct service *service, struct call *call);
/* Finds the models of a call and answers it. */
void service_find_model(struct service *service, struct call *call);
/* Takes work back from its thread, or lets it end soon: the job then ends by itself. */
void service_answer_stop(struct job *job);
/* Begins large answers that wait and have room. */
void service_answer_resume(struct service *service);
/* Takes the job out of the queue for work threads. */
void service_answer_dequeue(struct job *job);
/* Frees the service once nothing of it is in use. */
void service_release(struct service *service);

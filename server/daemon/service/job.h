/* job.h - the inside of the service: its state, and a job for each call that is under way. Private to the service.
 *
 * job.c begins and ends jobs. service_find.c has their models found, service_work.c and service_render.c have them
 * answered. Main loop's thread only, but for what a work thread does. */
#pragma once

#include "daemon/cache/cache.h"
#include "daemon/renderer/render_pool.h"
#include "daemon/service/evaluator.h"
#include "daemon/service/listing.h"
#include "daemon/service/service.h"
#include "daemon/support/job_queue.h"
#include "daemon/upload/upload.h"
#include "wire/bodies/sheet_plan.h"

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
    uv_prepare_t tick; /* once a turn of the loop, while there are calls */
    uv_prepare_cb on_tick;
    struct job *jobs;
    struct batch *batches;
    uint32_t call_count;         /* under way: of jobs and batches */
    uint32_t work_count;         /* jobs with a work thread */
    uint32_t file_count;         /* uploads and deletions under way */
    uint64_t work_ended_ns;      /* when a work thread was done last */
    uint64_t work_room_bytes;    /* what the answers of work threads may fill */
    struct job_queue work_queue; /* jobs that wait for a work thread */
    bool is_draining;
    bool is_ending, is_closed; /* service_free() was called; the handle is closed */
};

/* What a job waits for. */
enum job_stage {
    JOB_FINDS_MODEL, /* in the cache */
    JOB_QUEUES,      /* for a work thread */
    JOB_WORKS,       /* in one */
    JOB_DRAWS,
};

/* A picture on its way. */
struct picture_job {
    struct job *job;
    struct render_waiter waiter;
    struct picture_spec look; /* with what the model knows */
    int32_t clip;
    double begin_s;             /* clip time at which the part that is played begins */
    struct render_blend *blend; /* or NULL */
    struct sheet_plan *plan;    /* of a sheet, or NULL */
};

/* A call that is not answered at once. */
struct job {
    struct service *service;
    struct call *call;
    enum job_stage stage;
    uint64_t waits_ns; /* of uv_hrtime(): since when it waits in this stage */
    /* The request's own model, then those of its sources, in their order: references. */
    struct imported_model *models[1 + REQUEST_SOURCES_MAX];
    const struct model *sources[REQUEST_SOURCES_MAX]; /* of the latter */
    uint32_t model_count;                             /* found so far */
    struct cache_waiter waiter;
    struct listing_job listing;
    struct picture_job *picture; /* or NULL */
    uv_work_t work;
    struct reply_stream *stream;   /* of the work thread, while there is work */
    uint64_t room_bytes;           /* what the answer may fill */
    _Atomic bool is_stopped;       /* read by it: no client waits for the answer any more */
    struct reply reply;            /* what the work makes */
    struct reply_cost cost;        /* of that */
    uint64_t cpu_ns;               /* likewise, of the thread */
    struct job_queue_entry queued; /* for that */
    struct job *prev, *next;
};

/* --- job.c --- */

struct job *job_start(struct service *service, struct call *call);
/* Ends the job and hands *reply to its call. The job is gone afterwards. */
void job_finish(struct job *job, struct reply *reply);
void job_fail(struct job *job, const struct err *err);
void job_fail_abandoned(struct job *job);
/* From now on the job waits for this. */
void job_enter(struct job *job, enum job_stage stage);
/* It was in a queue since then, until `end_ns` of uv_hrtime(); 0: it was in none. */
void job_leave_queue(struct job *job, uint64_t end_ns);
struct evaluation job_evaluation(const struct job *job);

/* A call begins; `call_count` is counted down when it ends. */
void service_count_call(struct service *service);
/* Fills *err with what a call gets that the end of the service cuts off. */
int service_refuse_late(struct err *err);
/* Frees the service once nothing of it is in use. */
void service_release(struct service *service);

/* --- service_find.c: finds the models of a call and answers it --- */

void service_find_models(struct service *service, struct call *call);
/* The client of such a job has left. */
void service_cancel_models(struct job *job);

/* --- service_work.c: evaluation, in a work thread where it takes long --- */

/* Evaluates the job's models (any operation on a model but pictures) and finishes the job. */
void service_answer(struct job *job);
/* Takes work back from its thread, or lets it end soon: the job then ends by itself. */
void service_answer_stop(struct job *job);
/* Begins large answers that wait and have room. */
void service_answer_resume(struct service *service);
/* Takes the job out of the queue for work threads. */
void service_answer_dequeue(struct job *job);

/* --- service_render.c --- */

/* Returns 0, or the error of every picture while none can be drawn. */
int service_check_renderers(const struct service *service, const struct request *request, struct err *err);
/* Has the picture drawn and finishes the job. */
void service_render(struct job *job);

/* --- service_sheet.c: what service_render() does for a sheet --- */

/* What is drawn when; a picture's spec borrows it until it is submitted. */
struct picture_cells {
    uint32_t count;
    struct render_cell *cells; /* [count] */
    double *layer_times_s;     /* [count][layers of the blend] */
};
void picture_cells_alloc(struct picture_cells *cells, uint32_t count, const struct render_blend *blend);
void picture_cells_free(struct picture_cells *cells);
/* Makes picture->plan; *span: of its first clip. */
int service_sheet_plan(struct picture_job *picture, const struct model *clips, struct clip_span *span, struct err *err);
/* Fills the plan's cells, and of the spec what is a sheet's. */
void service_sheet_fill(struct picture_job *picture, struct picture_cells *cells, struct render_spec *spec);
/* Fills the 200 with what the renderer made. */
void service_sheet_reply(const struct picture_job *picture, struct blob *made, struct reply *reply);

/* --- other calls --- */

/* service_info.c: fills the reply to an operation that needs no model and waits for nothing, and to any once the
 * service ends. False: it is another. */
bool service_info(const struct service *service, enum op op, struct reply *reply);
/* service_batch.c: answers the queries of an OP_QUERY one after the other. */
void service_batch(struct service *service, struct call *call);
/* The client of a batch has left. */
void service_batch_cancel(struct call *call);
/* Ends the batches that wait for nothing but models; once no model will come. */
void service_batch_end(struct service *service);
/* service_upload.c: answers an OP_FILE. */
void service_file(struct service *service, struct call *call);

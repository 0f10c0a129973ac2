/* job.h - the inside of the service: its state, and a job for each call that is under way. Private to the service.
 *
 * job.c begins and ends jobs. service_find.c has their models found, service_work.c and service_render.c have them
 * answered. Main loop's thread only, but for what a work thread does. */
#pragma once

#include "daemon/cache/cache.h"
#include "daemon/cache/retargeted_clip_cache.h"
#include "daemon/model/listing.h"
#include "daemon/model/root_probe.h"
#include "daemon/renderer/render_pool.h"
#include "daemon/evaluation/evaluator.h"
#include "daemon/evaluation/pace.h"
#include "daemon/service/handlers.h"
#include "daemon/service/service.h"
#include "daemon/support/job_queue.h"
#include "daemon/threads/turn_share.h"
#include "daemon/threads/work.h"
#include "wire/encode/exposition.h"
#include "daemon/upload/upload.h"
#include "wire/sheet/sheet_plan.h"

#include <pthread.h>

enum { SERVICE_PROTOCOL_VERSION = 1 };
/* Answers that are made in work threads at the same time. The other work threads (main.c) are for files: revalidation,
 * listings, stores. */
enum { SERVICE_WORK_MAX = 2 };

/* What work has taken so far: see service_estimate.c. */
struct paces {
    struct pace import, pictures;
    struct pace answers[OP_ALL_COUNT];     /* of evaluation */
    struct pace files[SHEET_FORMAT_COUNT]; /* bytes of pictures */
};

struct service {
    uv_loop_t *loop;
    const struct config *config;
    struct budget *budget;
    const struct access *access; /* or NULL, until service_use_access() */
    int root_fd;
    struct import_pool *imports;
    struct cache *cache;
    struct retargeted_clip_cache *retargeted_clips;
    struct render_pool *renders;
    struct uploads *uploads; /* or NULL: none are taken */
    struct evaluator evaluator;
    uv_prepare_t tick; /* once a turn of the loop, while there are calls */
    uv_prepare_cb on_tick;
    struct job *jobs;
    struct batch *batches;
    uint32_t call_count;                /* under way: of jobs and batches */
    uint32_t work_count;                /* jobs with a work thread */
    uint32_t file_count;                /* uploads, deletions and listings under way */
    uint64_t work_ended_ns;             /* when a work thread last finished */
    uint64_t watched_ms;                /* when service_answer_watch() last looked */
    uint64_t work_capacity_bytes;       /* memory reserved for answers of work threads */
    struct job_queue work_queue;        /* jobs that wait for a work thread */
    struct job_queue list_queue;        /* listings that wait for a walk */
    bool is_listing;                    /* a walk is under way: */
    uint64_t walk_count;                /* the number of the last that began */
    uint64_t walked_count;              /* jobs up to this walk have what they wait for */
    struct turn_share list_answers;     /* answers them */
    struct listing *listing;            /* the last, or NULL */
    uint64_t list_stale_ms;             /* since when the root cannot be walked; 0: it can */
    uint64_t list_failed_ms;            /* when that was tried last */
    struct job_queue environment_queue; /* jobs that wait for the environment that is being made */
    bool is_making_environment;
    struct root_probe *root_probe;
    struct paces paces;
    struct err disk_failure;      /* why there is no disk cache; code 0: there is one, or none is wanted */
    bool is_leaving, is_draining; /* service_leave(), service_drain() were called */
    bool is_ending, is_closed;    /* service_free() was called; the handle is closed */
};

/* What a job waits for. */
enum job_stage {
    JOB_FINDS_MODEL, /* in the cache */
    JOB_QUEUES,      /* for a work thread */
    JOB_WORKS,       /* in one */
    JOB_DRAWS,
};

/* What a job for a picture has besides. */
struct picture_job {
    struct job *job;
    struct render_waiter waiter;
    struct render_job drawing; /* the picture as its worker gets it */
    int32_t clip;
    double begin_s;          /* clip time at which the played span begins */
    struct sheet_plan *plan; /* of a sheet, or NULL */
};

/* A call that is not answered at once. */
struct job {
    struct service *service;
    struct call *call;
    enum job_stage stage;
    uint64_t waits_ns; /* of uv_hrtime(): when it entered this stage */
    /* The request's own model, then those of its sources, in their order, then the environment: references. */
    struct imported_model *models[1 + REQUEST_SOURCES_MAX];
    const struct model *sources[REQUEST_SOURCES_MAX]; /* of all but the first */
    struct request_source environment;                /* of a picture that has one */
    uint32_t model_count;                             /* found so far */
    struct cache_waiter waiter;
    uint32_t stale_s;            /* of the models found so far, the longest */
    struct picture_job *picture; /* or NULL */
    struct work work;
    struct reply_stream *stream; /* of the work thread, while there is work */
    uint64_t capacity_bytes;     /* memory reserved for the answer */
    _Atomic bool is_stopped;     /* read by the thread: the answer is not wanted any more */
    struct reply reply;          /* made by the thread */
    struct reply_cost cost;      /* of the reply */
    uint64_t cpu_ns;             /* processor time of the thread */
    pthread_t thread;            /* that works, once `works` is set */
    uint64_t cpu_begin_ns;       /* likewise: its processor time when it began */
    _Atomic bool works;
    bool is_out_of_cpu;            /* it was stopped because it took too much */
    uint64_t estimated_bytes;      /* of an estimate: by the thread */
    uint64_t list_walk;            /* of a listing: the first walk that answers it */
    struct job_queue_entry queued; /* in work_queue or list_queue */
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
/* It was in a queue since it entered its stage, until `end_ns` of uv_hrtime(); 0: it was in none. */
void job_leave_queue(struct job *job, uint64_t end_ns);
struct evaluation job_evaluation(const struct job *job);

/* A call begins. When it ends, its owner decrements call_count. */
void service_count_call(struct service *service);
/* Fills *err with the error of calls that the end of the service cuts off; returns its code. */
int service_refuse_late(struct err *err);
/* Frees the service once nothing of it is in use. */
void service_release(struct service *service);

/* --- service_work.c: evaluation, in a work thread where it takes long --- */

/* Takes work back from its thread, or lets it end soon: the job then ends by itself. */
void service_answer_stop(struct job *job);
/* Begins large answers that wait and have room. */
void service_answer_resume(struct service *service);
/* Stops crowds and raycasts that have used up the processor time that a request may take. */
void service_answer_watch(struct service *service);
/* Has an estimate that takes long made in a work thread. */
void service_answer_estimate(struct job *job);
/* Takes the job out of the queue for work threads. */
void service_answer_dequeue(struct job *job);

/* --- service_render.c --- */

/* Returns 0, or the error that every picture gets as long as there is no renderer. */
int service_check_renderers(const struct service *service, const struct request *request, struct err *err);

/* --- service_sheet.c: what service_render() does for a sheet --- */

/* The cells of a picture and their times, borrowed by its spec until it is submitted. */
struct picture_cells {
    uint32_t count;
    struct render_cell *cells;                 /* [count] */
    struct render_layer_moment *layer_moments; /* [count][layers of the blend] */
};
void picture_cells_alloc(struct picture_cells *cells, uint32_t count, uint32_t layer_count);
/* Each layer of a blend has its own time in each frame: sets those of cell c. */
void picture_cells_set_times(struct picture_cells *cells, const struct picture_job *picture, uint32_t c,
                             uint32_t frame);
void picture_cells_free(struct picture_cells *cells);
/* Makes picture->plan. *span is zeroed: each cell has its own. */
int service_sheet_plan(struct picture_job *picture, struct clip_span *span, struct err *err);
/* Fills the cells of the plan, and those members of the drawing that only sheets have. */
void service_sheet_fill(struct picture_job *picture, struct picture_cells *cells);
/* Fills a reply of status 200 with what the renderer made. */
void service_sheet_reply(const struct picture_job *picture, struct blob *made, struct reply *reply);

/* --- service_estimate.c: calls with estimate=1, whose jobs these finish --- */

/* True: a model is not in memory, and the job is finished. */
bool service_estimate_imports(struct job *job);
/* In a work thread, or where it is quick on the loop. False: *reply is an error. */
bool service_estimate_measure(const struct job *job, struct workspace *workspace, uint64_t *bytes, struct reply *reply);
/* What service_estimate_measure() found. */
void service_estimate_finish(struct job *job, uint64_t bytes);
/* The picture is planned. */
void service_estimate_picture(struct picture_job *picture);
/* What was done: an import, an answer of a work thread, a picture and the size of its file. */
void service_learn_import(struct service *service, uint64_t duration_ns);
void service_learn_answer(const struct job *job);
void service_learn_picture(const struct picture_job *picture, uint64_t duration_ns, uint64_t file_bytes);

/* --- other calls --- */

/* service_metrics.c: everything that the process counts, as /metrics tells it. */
void service_put_metrics(const struct service *service, enum exposition_form form, struct buf *out);
/* The cache has ended: ends the batches that only wait for prefetched models. */
void service_batch_end(struct service *service);
/* service_list.c: listings begin and end with the service. */
void service_list_begin(struct service *service);
void service_list_end(struct service *service, uv_close_cb closed);
/* The root is down: listings that wait for a walk are answered without. */
void service_list_offline(struct service *service);

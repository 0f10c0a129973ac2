/* job.h - the internals of the service: its state, and a job for each pending call. Private to the service.
 *
 * job.c begins and ends jobs. service_find.c finds their models; service_work.c and service_render.c answer them. Main
 * loop's thread only, except for the code of work threads. */
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
/* Limit on answers that work threads make concurrently. The other work threads (main.c) are for files: revalidation,
 * listings, stores. */
enum { SERVICE_WORK_MAX = 2 };

/* Measured durations of past work: see service_estimate.c. */
struct paces {
    struct pace import, pictures;
    struct pace answers[OP_ALL_COUNT];     /* evaluation by operation */
    struct pace files[SHEET_FORMAT_COUNT]; /* bytes of picture files */
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
    struct uploads *uploads; /* or NULL: uploads are disabled */
    struct evaluator evaluator;
    uv_prepare_t tick; /* runs once per loop iteration while calls are pending */
    uv_prepare_cb on_tick;
    struct job *jobs;
    struct batch *batches;
    uint32_t call_count;                /* pending jobs and batches */
    uint32_t work_count;                /* jobs in a work thread */
    uint32_t file_count;                /* other pending work: uploads, deletions, listings, rests of pictures */
    uint64_t work_ended_ns;             /* when a work thread last finished */
    uint64_t watched_ms;                /* when service_answer_watch() last ran */
    uint64_t work_capacity_bytes;       /* memory reserved for answers of work threads */
    struct job_queue work_queue;        /* jobs that wait for a work thread */
    struct job_queue picture_queue;     /* jobs that wait for their turn to read files of textures */
    uint32_t picture_count;             /* jobs that read or hold such files */
    struct job_queue list_queue;        /* listings that wait for a walk */
    bool is_listing;                    /* a walk is running: */
    uint64_t walk_count;                /* number of the last walk that began */
    uint64_t walked_count;              /* the walk up to which listing jobs can be answered */
    struct turn_share list_answers;     /* time slices for answering these jobs */
    struct listing *listing;            /* the last listing, or NULL */
    uint64_t list_stale_ms;             /* since when the root has been unreadable; 0: it is readable */
    uint64_t list_failed_ms;            /* time of the last failed walk */
    struct job_queue environment_queue; /* jobs that wait for the environment answer in progress */
    bool is_making_environment;
    struct root_probe *root_probe;
    struct paces paces;
    struct err disk_failure;      /* why the disk cache is unavailable; code 0: it is available or not configured */
    bool is_leaving, is_draining; /* service_leave(), service_drain() were called */
    bool is_ending, is_closed;    /* service_free() was called; the handle is closed */
};

/* What a job is waiting for. */
enum job_stage {
    JOB_FINDS_MODEL,     /* for its models in the cache */
    JOB_WAITS_FOR_FILES, /* for its turn to read the files of textures */
    JOB_READS,           /* for the thread that does so */
    JOB_QUEUES,          /* for a free work thread */
    JOB_WORKS,           /* for its work thread */
    JOB_DRAWS,
};

/* The additional state of a job for a picture. */
struct picture_job {
    struct job *job;
    struct render_waiter waiter;
    struct render_job drawing; /* the picture as passed to its worker */
    int32_t clip;
    double begin_s;                 /* clip time at which the played span begins */
    struct sheet_plan *plan;        /* of a sheet, or NULL */
    struct buf given;               /* given poses (anim/given/given_store.h), */
    uint32_t given_count;           /* and how many */
    struct buf points;              /* struct resolved_point, of keypoints and of view=openpose */
    struct resolved_layers *layers; /* as found, without given poses, or NULL */
    struct err rest_err;            /* why retarget=rest cannot be resolved; code 0: it can */
};

/* A call that needs time to answer. */
struct job {
    struct service *service;
    struct call *call;
    enum job_stage stage;
    uint64_t waits_ns; /* uv_hrtime() when it entered this stage */
    /* References: the request's own model, then its sources in order, then the environment. */
    struct imported_model *models[1 + REQUEST_SOURCES_MAX];
    const struct model *sources[REQUEST_SOURCES_MAX]; /* of models[1] and the following */
    struct request_source environment;                /* of a picture with an environment */
    uint32_t model_count;                             /* found so far */
    struct cache_waiter waiter;
    uint32_t stale_s;                 /* the longest among the models found so far */
    struct picture_job *picture;      /* or NULL */
    struct picture_reading *pictures; /* the files of its textures (service_pictures.c), or NULL */
    struct work work;
    struct reply_stream *stream; /* of the work thread while it runs */
    uint64_t capacity_bytes;     /* memory reserved for the answer */
    _Atomic bool is_stopped;     /* read by the thread: the answer is no longer needed */
    struct reply reply;          /* result of the thread */
    struct reply_cost cost;      /* of the reply */
    uint64_t cpu_ns;             /* processor time of the thread */
    pthread_t thread;            /* the working thread, valid once `works` is set */
    uint64_t cpu_begin_ns;       /* likewise: its processor time at the start */
    _Atomic bool works;
    bool is_out_of_cpu;            /* it was stopped because it exceeded its processor time */
    uint64_t estimated_bytes;      /* of an estimate: set by the thread */
    uint64_t list_walk;            /* of a listing: the first walk that can answer it */
    struct job_queue_entry queued; /* in work_queue, picture_queue or list_queue */
    struct job *prev, *next;
};

/* --- job.c --- */

struct job *job_start(struct service *service, struct call *call);
/* Ends the job and hands *reply to its call. The job is gone afterwards. */
void job_finish(struct job *job, struct reply *reply);
void job_fail(struct job *job, const struct err *err);
void job_fail_abandoned(struct job *job);
/* Sets the stage in which the job waits. */
void job_enter(struct job *job, enum job_stage stage);
/* Counts the queueing time of a job since it entered its stage, until `end_ns` of uv_hrtime(); 0: it was not queued. */
void job_leave_queue(struct job *job, uint64_t end_ns);
struct evaluation job_evaluation(const struct job *job);

/* Counts a new call. When the call ends, its owner decrements call_count. */
void service_count_call(struct service *service);
/* Fills *err with the error of calls that are cut off by the shutdown of the service. Returns its code. */
int service_refuse_late(struct err *err);
/* Frees the service once nothing uses it. */
void service_release(struct service *service);

/* --- service_work.c: evaluation, in a work thread if it takes long --- */

/* Cancels the work of a job in its thread, or makes it end soon; the job then ends by itself. */
void service_answer_stop(struct job *job);
/* Starts waiting large answers for which there is room. */
void service_answer_resume(struct service *service);
/* Stops crowds and raycasts that have exceeded the processor time of a request. */
void service_answer_watch(struct service *service);
/* Makes a slow estimate in a work thread. */
void service_answer_estimate(struct job *job);
/* Queues the job for a work thread. */
void service_answer_queue(struct job *job);
/* Removes the job from the queue for work threads. */
void service_answer_dequeue(struct job *job);

/* --- service_pictures.c: the files of textures --- */

/* Reads them, then queues the job for a work thread. False: the answer has none. */
bool service_pictures_read(struct job *job);
/* Returns them, or NULL. Any thread, while the job exists. */
const struct own_pictures *service_pictures_of(const struct job *job);
/* Frees them, so that the next job may read some. */
void service_pictures_free(struct job *job);
/* Fails the waiting jobs if the root is unreadable. */
void service_pictures_offline(struct service *service);

/* --- service_render.c --- */

/* Returns 0, or the error of every picture while no renderer is available. */
int service_check_renderers(const struct service *service, const struct request *request, struct err *err);

/* Draws the picture, whose humanoids and given poses are known if it needs them. */
void service_picture_draw(struct job *job);

/* --- service_picture.c --- */

/* Finds the layers and what lies on top, unless that was done. Any thread. False: *reply is the error. */
bool service_picture_blend(struct picture_job *picture, struct reply *reply);
/* Fills the drawing with what the request names. False: *reply is the error. */
bool service_picture_find(struct picture_job *picture, struct reply *reply);

/* --- service_points.c: keypoints, and the body of view=openpose --- */

/* Finds the points in the model. Any thread. False: *reply is the error. */
bool service_points_find(struct picture_job *picture, struct reply *reply);
/* Gives the drawing its points. */
void service_points_fill(struct picture_job *picture);
/* Fills a reply of status 200 with the output of the renderer. */
void service_points_reply(const struct picture_job *picture, const struct blob *made, struct reply *reply);

/* --- service_resolve.c --- */

/* Finds humanoids, points and given poses in a work thread, then draws the picture. False: it needs neither. */
bool service_resolve(struct job *job);

/* --- service_sheet.c: the counterparts of service_render() for a sheet --- */

/* The cells of a picture and their times. The spec borrows them until it is submitted. */
struct picture_cells {
    uint32_t count;
    struct render_cell *cells;                 /* [count] */
    struct render_layer_moment *layer_moments; /* [count][layers of the blend] */
};
void picture_cells_alloc(struct picture_cells *cells, uint32_t count, uint32_t layer_count);
/* Sets the times of the layers of a blend in cell c. Each layer has its own time in each frame. */
void picture_cells_set_times(struct picture_cells *cells, const struct picture_job *picture, uint32_t c,
                             uint32_t frame);
/* The same for a cell behind them, at another time of the first frame. */
void picture_cells_set_later(struct picture_cells *cells, const struct picture_job *picture, uint32_t c, double time_s);
void picture_cells_free(struct picture_cells *cells);
/* Makes picture->plan and zeroes *span, because each cell has its own span. */
int service_sheet_plan(struct picture_job *picture, struct clip_span *span, struct err *err);
/* Fills the cells of the plan, and the members of the drawing that only sheets use. */
void service_sheet_fill(struct picture_job *picture, struct picture_cells *cells);
/* Fills a reply of status 200 with the output of the renderer. */
void service_sheet_reply(const struct picture_job *picture, struct blob *made, struct reply *reply);

/* --- service_estimate.c: finishes jobs with estimate=1 --- */

/* True when a model is not in memory; the job is then finished. */
bool service_estimate_imports(struct job *job);
/* Measures the answer, on the loop if possible, else in a work thread. False: *reply is an error. */
bool service_estimate_measure(const struct job *job, struct workspace *workspace, uint64_t *bytes, struct reply *reply);
/* Finishes the job with the result of service_estimate_measure(). */
void service_estimate_finish(struct job *job, uint64_t bytes);
/* Finishes the job of a planned picture. */
void service_estimate_picture(struct picture_job *picture);
/* Records measured work: an import, an answer of a work thread, a picture and its file size. */
void service_learn_import(struct service *service, uint64_t duration_ns);
void service_learn_answer(const struct job *job);
void service_learn_picture(const struct picture_job *picture, uint64_t duration_ns, uint64_t file_bytes);

/* --- other calls --- */

/* service_metrics.c: writes all counters of the process, as /metrics reports them. */
void service_put_metrics(const struct service *service, enum exposition_form form, struct buf *out);
/* Ends the batches that only wait for prefetched models, after the cache has ended. */
void service_batch_end(struct service *service);
/* service_list.c: listings begin and end with the service. */
void service_list_begin(struct service *service);
void service_list_end(struct service *service, uv_close_cb closed);
/* Answers the listings that wait for a walk when the root is unreadable. */
void service_list_offline(struct service *service);

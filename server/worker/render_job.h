/* render_job.h - the contract between posed and a posed-render process.
 *
 * posed starts `posed-render [options]` with file descriptor 3 = one end of a SOCK_STREAM socket pair. posed
 * sends struct render_job, with the model's sealed memfd attached (SCM_RIGHTS) to its first byte, and behind it
 * those of other models that clips lie in, in the order of sources; the worker
 * answers struct render_result followed by size_bytes bytes (the PNG, or nothing on failure), in order. One
 * job is under way at a time. Before its first job, once the GL context has drawn its warm-up frame, the worker
 * sends a render_result with job_id 0 and its renderer's name in message. End of stream: the worker exits. */
#pragma once

#include "../base/err.h"
#include "../base/picture_spec.h"

#include <stdint.h>

enum { RENDER_SOCKET_FD = 3 };
#define RENDER_JOB_MAGIC    UINT32_C(0x424f4a50) /* "PJOB" */
#define RENDER_RESULT_MAGIC UINT32_C(0x53455250) /* "PRES" */

enum { RENDER_LAYERS_MAX = 16, RENDER_MASKS_MAX = 1024, RENDER_SOURCES_MAX = 16, RENDER_UNMATCHED_SIZE = 1024 };

/* Another model that clips are from. */
struct render_source {
    uint64_t key; /* same key = same bytes: the worker may still have it */
    uint64_t size_bytes;
};

/* Layers to blend instead of one clip, as anim/blend.h has them. */
struct render_layer {
    int32_t clip, reference_clip;           /* or POSE_REST */
    uint32_t clip_source, reference_source; /* 0: clips of the model; n: of sources[n - 1] */
    double clip_time_s, reference_time_s;
    double weight;
    uint32_t is_additive;
    uint32_t mask_first, mask_count; /* in masks */
    uint32_t reserved;
};
struct render_blend {
    uint32_t layer_count; /* 0: clip and clip_time_s of the job hold */
    uint32_t mask_count;
    struct render_layer layers[RENDER_LAYERS_MAX];
    uint32_t masks[RENDER_MASKS_MAX]; /* node * 4 + enum blend_reach */
};

struct render_job {
    uint32_t magic;
    int32_t clip;         /* or POSE_REST */
    uint64_t job_id;      /* > 0 */
    uint64_t model_key;   /* same key = same bytes: the worker may still have it on the GPU */
    uint64_t model_bytes; /* size of the baked model in the memfd */
    uint32_t source_count;
    uint32_t clip_source; /* 0: the clip is one of the model; n: of sources[n - 1] */
    struct render_source sources[RENDER_SOURCES_MAX];
    double clip_time_s;  /* wrapped */
    uint32_t root;       /* 0, or 1 + the node whose movement over the ground is taken out */
    uint32_t has_turn;   /* its turning too */
    double root_start_s; /* clip time since which it moves */
    uint32_t joint;      /* 0, or 1 + the node that the view is about */
    uint32_t reserved;
    struct picture_spec look;
    struct render_blend blend;
};

struct render_result {
    uint32_t magic;
    uint32_t number; /* 0, or of the error table */
    uint64_t job_id;
    uint64_t size_bytes;                   /* of the PNG that follows */
    char message[ERR_MESSAGE_SIZE];        /* NUL-terminated; why, when number is not 0 */
    char unmatched[RENDER_UNMATCHED_SIZE]; /* likewise, printable ASCII: with a picture that has clips of other files,
                                              what of them has no partner (anim/retarget_report.h) */
};

/* render_job.h - the contract between posed and a posed-render process.
 *
 * posed starts `posed-render [options]` with file descriptor 3 = one end of a SOCK_STREAM socket pair. posed
 * sends struct render_job, with the model's sealed memfd attached (SCM_RIGHTS) to its first byte, and behind it
 * that of another model when the clip lies there; the worker
 * answers struct render_result followed by size_bytes bytes (the PNG, or nothing on failure), in order. One
 * job is under way at a time. Before its first job, once the GL context has drawn its warm-up frame, the worker
 * sends a render_result with job_id 0 and its renderer's name in message. End of stream: the worker exits. */
#pragma once

#include "../base/err.h"

#include <stdint.h>

enum { RENDER_SOCKET_FD = 3 };
#define RENDER_JOB_MAGIC    UINT32_C(0x424f4a50) /* "PJOB" */
#define RENDER_RESULT_MAGIC UINT32_C(0x53455250) /* "PRES" */

enum { RENDER_LAYERS_MAX = 16, RENDER_MASKS_MAX = 1024 };

/* Layers to blend instead of one clip, as anim/blend.h has them. */
struct render_layer {
    int32_t clip, reference_clip; /* or POSE_REST */
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
    uint32_t width, height; /* pixels */
    int32_t clip;           /* of the clips' model, or POSE_REST */
    uint64_t job_id;        /* > 0 */
    uint64_t model_key;     /* same key = same bytes: the worker may still have it on the GPU */
    uint64_t model_bytes;   /* size of the baked model in the memfd */
    uint64_t clips_key;     /* likewise of the model that has the clips */
    uint64_t clips_bytes;   /* 0: there is none, the model has its own */
    double clip_time_s;     /* wrapped */
    double yaw_deg, pitch_deg;
    uint8_t background[4]; /* straight RGBA */
    uint32_t reserved;
    struct render_blend blend;
};

struct render_result {
    uint32_t magic;
    uint32_t number; /* 0, or of the error table */
    uint64_t job_id;
    uint64_t size_bytes;            /* of the PNG that follows */
    char message[ERR_MESSAGE_SIZE]; /* NUL-terminated; why, when number is not 0 */
};

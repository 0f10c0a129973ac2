/* render_job.h - the contract between posed and a posed-render process.
 *
 * posed starts `posed-render [options]` with file descriptor 3 = one end of a SOCK_STREAM socket pair. posed
 * sends struct render_job, with the model's sealed memfd attached (SCM_RIGHTS) to its first byte, and behind it
 * those of other models that clips lie in, in the order of sources, and the environment's; behind it come the
 * job's cells, struct render_cell[cell_count], and when it has layers what they are in each cell, struct
 * render_layer_moment[cell_count][layer_count],
 * and behind these the rules that rename joints, char[rename_bytes]: all of it is small enough for one sendmsg() into
 * an empty socket. The worker answers struct render_result followed by size_bytes bytes (the PNG, or nothing on
 * failure), in order. One job is under way at a time. Before its first job, once the GL context has drawn its warm-up
 * frame, the worker sends a render_result with job_id 0 and its renderer's name in message. End of stream: the worker
 * exits. */
#pragma once

#include "base/err.h"
#include "base/picture_spec.h"
#include "base/sheet_spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RENDER_SOCKET_FD = 3 };
#define RENDER_JOB_MAGIC    UINT32_C(0x424f4a50) /* "PJOB" */
#define RENDER_RESULT_MAGIC UINT32_C(0x53455250) /* "PRES" */

/* Cells times layers are bounded too, because each cell has a moment of each layer. */
enum { RENDER_CELLS_MAX = 1024, RENDER_LAYER_MOMENTS_MAX = 4096 };
/* The roles of anim/retarget/humanoid.h. */
enum { RENDER_ROLES = 55 };
/* The rules of anim/retarget/name_map.h, each with a NUL behind it. */
enum { RENDER_RENAMES_MAX = 256, RENDER_RENAME_BYTES_MAX = 16384 };
enum { RENDER_CAPTION_CLIP = 1, RENDER_CAPTION_TIME = 2, RENDER_CAPTION_YAW = 4 };
enum { RENDER_LAYERS_MAX = 16, RENDER_MASKS_MAX = 1024, RENDER_SOURCES_MAX = 16, RENDER_UNMATCHED_SIZE = 1536 };

/* Files that come with a job: the model's, those of sources, the environment's. */
enum { RENDER_FDS_MAX = 1 + RENDER_SOURCES_MAX + 1 };

enum { RENDER_SOURCE_NAME_SIZE = 64 };
/* Another model that clips are from. */
struct render_source {
    uint64_t key; /* same key = same bytes: the worker may still have it */
    uint64_t size_bytes;
    uint32_t is_by_rest; /* its clips are made of rotations relative to the rests */
    uint32_t reserved;
    int32_t roles[RENDER_ROLES]; /* likewise: nodes, or -1 */
    int32_t reserved_role;
    char name[RENDER_SOURCE_NAME_SIZE]; /* UTF-8, NUL-terminated: what captions and errors call it; empty: nothing */
};

/* Layers to blend instead of one clip, as anim/pose/blend.h has them. */
struct render_layer {
    int32_t clip, reference_clip;           /* or POSE_REST */
    uint32_t clip_source, reference_source; /* 0: clips of the model; n: of sources[n - 1] */
    double reference_time_s;
    uint32_t is_additive;
    uint32_t mask_first, mask_count; /* in masks */
    uint32_t reserved;
};
/* A layer in one cell. */
struct render_layer_moment {
    double clip_time_s; /* wrapped */
    double weight;      /* >= 0; of an additive layer at most 1 */
};
struct render_blend {
    uint32_t layer_count; /* 0: clip and clip_time_s of each cell hold */
    uint32_t mask_count;
    struct render_layer layers[RENDER_LAYERS_MAX];
    uint32_t masks[RENDER_MASKS_MAX]; /* node * 4 + enum mask_scope */
};

/* One moment of the model, seen from one direction, and where in the picture it is drawn: `width` by `height` pixels of
 * the job's picture, their top left one at x, y. Cells are framed alike: one camera fits all of them, and turns around
 * the model by what their directions differ. */
struct render_cell {
    int32_t clip;              /* or POSE_REST; without meaning when the job has layers */
    uint32_t clip_source;      /* 0: the clip is one of the model; n: of sources[n - 1] */
    double clip_time_s;        /* wrapped; without meaning when the job has layers */
    double yaw_deg, pitch_deg; /* added to those of the job's picture */
    uint32_t x, y;
    double begin_s, end_s; /* clip times between which the clip is played; since begin_s the root moves */
    uint32_t duration_ms;  /* of an animation's frame */
    uint32_t reserved;
};

/* The one description of a picture behind the request: the service fills it, the pool adds ids and models, the worker
 * draws it. In an animation (base/sheet_spec.h) each cell is a frame: cells lie one below the other, as wide as the
 * picture. The background of files without transparency is opaque. Instead of a picture SHEET_JSON is answered by
 * struct render_cameras and struct render_cell_camera[cell_count], whatever is drawn. */
struct render_job {
    uint32_t magic;
    uint32_t cell_count;        /* 1..RENDER_CELLS_MAX, with layers at most RENDER_LAYER_MOMENTS_MAX / layer_count */
    uint64_t job_id;            /* > 0 */
    uint64_t model_key;         /* same key = same bytes: the worker may still have it on the GPU */
    uint64_t model_bytes;       /* size of the baked model in the memfd */
    uint64_t environment_key;   /* likewise, of the model that is the environment (anim/light/panorama.h) */
    uint64_t environment_bytes; /* 0: there is none */
    uint32_t source_count;
    uint32_t joint; /* 0, or 1 + the node that the view is about */
    struct render_source sources[RENDER_SOURCES_MAX];
    uint32_t width, height;      /* of the whole picture, in pixels; every drawn cell lies within */
    uint32_t root;               /* 0, or 1 + the node whose movement over the ground is taken out */
    uint32_t has_turn;           /* its turning too */
    uint32_t loops;              /* how often an animation plays; 0: for ever */
    uint32_t captions;           /* RENDER_CAPTION_ bits: what stands in the band under each cell */
    uint32_t caption_height;     /* of that band, in pixels; 0: none */
    uint32_t format;             /* enum sheet_format */
    uint32_t has_locked_feet;    /* of clips by rest */
    int32_t roles[RENDER_ROLES]; /* likewise: nodes of the model, or -1 */
    uint64_t rest_steps;         /* likewise: work for the clips of one source at most */
    uint32_t rename_bytes;       /* of the rules that rename the nodes of sources, at most RENDER_RENAME_BYTES_MAX */
    uint32_t quality;            /* 1..100 of a file that loses something; 0: the format's own */
    uint32_t first_drawn, drawn_count; /* of the cells those that the picture has; the camera is that of all */
    double frame_rate;                 /* of SHEET_Y4M: frames a second, > 0 */
    struct picture_spec picture;
    struct render_blend blend;
};

/* A whole job as its worker has it. */
struct render_work {
    struct render_job job;
    struct render_cell cells[RENDER_CELLS_MAX];
    struct render_layer_moment layer_moments[RENDER_LAYER_MOMENTS_MAX]; /* cell after cell, layer after layer */
    char renames[RENDER_RENAME_BYTES_MAX];                              /* rename_bytes of them */
};

/* False: no job has so many cells, layers and rules, or draws such cells. */
static inline bool render_job_is_bounded(const struct render_job *job)
{
    const uint32_t layers = job->blend.layer_count;
    return job->cell_count >= 1 && job->cell_count <= RENDER_CELLS_MAX && layers <= RENDER_LAYERS_MAX &&
           job->drawn_count >= 1 && job->first_drawn <= job->cell_count &&
           job->drawn_count <= job->cell_count - job->first_drawn &&
           job->cell_count * layers <= RENDER_LAYER_MOMENTS_MAX && job->rename_bytes <= RENDER_RENAME_BYTES_MAX;
}
static inline size_t render_cells_bytes(const struct render_job *job)
{
    return job->cell_count * sizeof(struct render_cell);
}
static inline size_t render_layer_moments_bytes(const struct render_job *job)
{
    return (size_t)job->cell_count * job->blend.layer_count * sizeof(struct render_layer_moment);
}

/* What the cells have in common. */
struct render_cameras {
    double clip_from_view[16];
    double pivot[3]; /* scene space: what the camera turns around, on the ground */
    uint32_t is_ortho;
    uint32_t cell_count;
};
struct render_cell_camera {
    double view_from_scene[16];
    double clip_time_s;
};

/* How a picture of one cell shows its model; of several cells what is common to them, or 0. */
struct render_shown {
    double clip_time_s;         /* of the first cell */
    double view_from_scene[16]; /* column-major, as anim/camera/camera.h */
    double clip_from_view[16];
};

/* What is told beside a picture. */
struct render_notes {
    struct render_shown shown;             /* finite */
    char unmatched[RENDER_UNMATCHED_SIZE]; /* NUL-terminated printable ASCII: of a picture that has clips of other files
                                              what of them has no partner (anim/retarget/retarget_report.h) */
};

struct render_result {
    uint32_t magic;
    uint32_t number; /* 0, or of the error table */
    uint64_t job_id;
    uint64_t size_bytes;            /* of the PNG that follows */
    char message[ERR_MESSAGE_SIZE]; /* NUL-terminated; why, when number is not 0 */
    struct render_notes notes;
};

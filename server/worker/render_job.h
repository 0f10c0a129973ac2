/* render_job.h - the contract between posed and a posed-render process.
 *
 * posed starts `posed-render [options]` with file descriptor 3 = one end of a SOCK_STREAM socket pair. For each job it
 * sends in one sendmsg(), as everything fits into an empty socket:
 *   - struct render_job, whose first byte carries sealed memfds (SCM_RIGHTS): the model's, those of other models with
 *     clips, in the order of sources, the environment's, and that of the given poses (anim/given/given_store.h) with
 *     the points behind them,
 *   - the job's cells, struct render_cell[cell_count + later_count],
 *   - for layers, their state in each of these, struct render_layer_moment[..][layer_count],
 *   - the rules that rename joints, char[rename_bytes].
 *
 * The worker answers in order with a struct render_result and size_bytes bytes (the file, or nothing on failure). One
 * job is under way at a time. Before its first job, once the GL context has drawn its warm-up frame, the worker sends a
 * render_result with job_id 0 and its renderer's name in message. At end of stream the worker exits. */
#pragma once

#include "base/err.h"
#include "base/picture/picture_spec.h"
#include "base/picture/sheet_spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RENDER_SOCKET_FD = 3 };
#define RENDER_JOB_MAGIC    UINT32_C(0x424f4a50) /* "PJOB" */
#define RENDER_RESULT_MAGIC UINT32_C(0x53455250) /* "PRES" */

/* Cells times layers are also bounded, because each cell has a moment of each layer. */
enum { RENDER_CELLS_MAX = 1024, RENDER_LAYER_MOMENTS_MAX = 4096 };
/* The roles of anim/humanoid/humanoid.h. */
enum { RENDER_ROLES = 55 };
/* The rules of anim/retarget/name_map.h, each followed by a NUL. */
enum { RENDER_RENAMES_MAX = 256, RENDER_RENAME_BYTES_MAX = 16384 };
enum { RENDER_CAPTION_CLIP = 1, RENDER_CAPTION_TIME = 2, RENDER_CAPTION_YAW = 4 };
enum { RENDER_LAYERS_MAX = 16, RENDER_MASKS_MAX = 1024, RENDER_SOURCES_MAX = 16, RENDER_UNMATCHED_SIZE = 1536 };

/* Files of a job: the model, the sources, the environment, the given poses. */
enum { RENDER_FDS_MAX = 1 + RENDER_SOURCES_MAX + 1 + 1 };
/* Given poses of a job: of each layer, and the one on top. */
enum { RENDER_GIVEN_MAX = RENDER_LAYERS_MAX + 1 };
/* Points of a job, and points times cells. */
enum { RENDER_POINTS_MAX = 65536 };

enum { RENDER_SOURCE_NAME_SIZE = 64 };
/* Another model that provides clips. */
struct render_source {
    uint64_t key; /* same key = same bytes: the worker may still have it */
    uint64_t size_bytes;
    uint32_t is_by_rest; /* its clips are converted by rotations relative to the rests */
    uint32_t reserved;
    int32_t roles[RENDER_ROLES]; /* with is_by_rest: nodes, or -1 */
    int32_t reserved_role;
    char name[RENDER_SOURCE_NAME_SIZE]; /* UTF-8, NUL-terminated: its name in captions and errors; empty: none */
};

/* A layer to blend instead of one clip, as in anim/pose/blend.h. */
struct render_layer {
    int32_t clip, reference_clip;           /* an index, or POSE_REST */
    uint32_t clip_source, reference_source; /* 0: a clip of the model; n: of sources[n - 1] */
    double reference_time_s;
    uint32_t is_additive;
    uint32_t mask_first, mask_count; /* range in masks */
    uint32_t given;                  /* 0, or the number of the given pose in place of a clip, from 1 on */
};
/* A layer in one cell. */
struct render_layer_moment {
    double clip_time_s; /* wrapped */
    double weight;      /* >= 0; of an additive layer <= 1 */
};
struct render_blend {
    uint32_t layer_count; /* 0: clip and clip_time_s of each cell apply */
    uint32_t mask_count;
    struct render_layer layers[RENDER_LAYERS_MAX];
    uint32_t masks[RENDER_MASKS_MAX]; /* node * 4 + enum mask_scope */
};

/* A point of the model that is looked for in its pictures. The body of VIEW_OPENPOSE has
 * RENDER_BODY_POINTS of them. */
enum { RENDER_BODY_POINTS = 18 };
enum render_point_kind {
    RENDER_POINT_NONE,    /* the model lacks it */
    RENDER_POINT_NODE,    /* place: in the space of node `first` */
    RENDER_POINT_BETWEEN, /* the middle between the origins of nodes `first` and `second` */
    RENDER_POINT_SURFACE, /* triangle `second` of draw `first`; place: weights of its corners, whose sum is 1 */
    RENDER_POINT_KINDS
};
struct render_point {
    uint32_t kind; /* RENDER_POINT_ */
    uint32_t first, second;
    uint32_t reserved;
    double place[3];
};

/* The model at one time, seen from one direction, and its place in the picture: `width` by `height` pixels of the job's
 * picture, with the top left one at x, y. All cells have the same framing: one camera fits all of them, and turns
 * around the model by the differences of their directions. */
struct render_cell {
    int32_t clip;              /* an index, or POSE_REST; ignored when the job has layers */
    uint32_t clip_source;      /* 0: a clip of the model; n: of sources[n - 1] */
    double clip_time_s;        /* wrapped; ignored when the job has layers */
    double yaw_deg, pitch_deg; /* added to the job's picture's */
    uint32_t x, y;
    double begin_s, end_s; /* clip times between which the clip is played; the root moves since begin_s */
    uint32_t duration_ms;  /* of a frame of an animation */
    uint32_t reserved;
};

/* The complete description of a picture behind a request. The service fills it, the pool adds ids and models, and the
 * worker draws it. In an animation (base/picture/sheet_spec.h) each cell is a frame: cells lie below each other, as
 * wide as the picture. Formats without transparency need an opaque background. SHEET_JSON is answered by struct
 * render_cameras and struct render_cell_camera[cell_count] instead of a picture, whatever is drawn. SHEET_POINTS is
 * answered, for each cell, by struct render_shown and struct render_keypoint[point_count]: each cell has the
 * camera that it would have as a picture of its own. */
struct render_job {
    uint32_t magic;
    uint32_t cell_count;        /* 1..RENDER_CELLS_MAX, with layers at most RENDER_LAYER_MOMENTS_MAX / layer_count */
    uint64_t job_id;            /* > 0 */
    uint64_t model_key;         /* same key = same bytes: the worker may still have it on the GPU */
    uint64_t model_bytes;       /* size of the baked model in the memfd */
    uint64_t environment_key;   /* key of the environment's model (anim/light/panorama.h) */
    uint64_t environment_bytes; /* 0: none */
    uint32_t source_count;
    uint32_t joint; /* 0, or 1 + the node that the view shows */
    struct render_source sources[RENDER_SOURCES_MAX];
    uint32_t width, height;      /* of the whole picture, in pixels; every drawn cell lies inside */
    uint32_t root;               /* 0, or 1 + the node whose motion over the ground is taken out */
    uint32_t has_turn;           /* its rotation is taken out too */
    uint32_t loops;              /* times that an animation plays; 0: for ever */
    uint32_t captions;           /* RENDER_CAPTION_ bits: contents of the band under each cell */
    uint32_t caption_height;     /* height of that band, in pixels; 0: none */
    uint32_t format;             /* enum sheet_format */
    uint32_t has_locked_feet;    /* for clips by rest */
    uint32_t clip_rest;          /* likewise: enum rest_kind */
    uint32_t clip_rest_frame;    /* likewise, of REST_FRAME */
    uint32_t padding;            /* 0 */
    int32_t roles[RENDER_ROLES]; /* for clips by rest: nodes of the model, or -1 */
    uint64_t rest_steps;         /* for clips by rest: greatest work for the clips of one source */
    uint32_t rename_bytes;       /* size of the rules that rename nodes of sources, at most RENDER_RENAME_BYTES_MAX */
    uint32_t quality;            /* 1..100 for lossy formats; 0: the format's default */
    uint32_t first_drawn, drawn_count; /* the cells that the picture shows; the camera frames all */
    double frame_rate;                 /* for SHEET_Y4M: frames a second, > 0 */
    struct picture_spec picture;
    uint64_t given_bytes;   /* size of the given poses; 0: none */
    uint32_t on_top;        /* 0, or the number of the given pose after the clip or the layers */
    uint32_t later_count;   /* 1 with PASS_MOTION: the cell behind the others is the pose that it leads to */
    uint32_t point_count;   /* with SHEET_POINTS or VIEW_OPENPOSE */
    uint32_t point_padding; /* 0 */
    double tolerance; /* of SHEET_POINTS: scene units by which a point may lie behind what is drawn and still be seen */
    struct render_blend blend;
};

/* Returns the size of the memory that holds the given poses and the points; 0: there is none. */
static inline uint64_t render_job_given_size(const struct render_job *job)
{
    return job->given_bytes + (uint64_t)job->point_count * sizeof(struct render_point);
}

/* A whole job in its worker's memory. */
struct render_work {
    struct render_job job;
    struct render_cell cells[RENDER_CELLS_MAX];
    struct render_layer_moment layer_moments[RENDER_LAYER_MOMENTS_MAX]; /* cell after cell, layer after layer */
    char renames[RENDER_RENAME_BYTES_MAX];                              /* rename_bytes of them */
};

/* False when a job exceeds a bound on cells, layers or rules, or draws cells beyond its own. */
static inline bool render_job_is_bounded(const struct render_job *job)
{
    const uint32_t layers = job->blend.layer_count;
    return job->cell_count >= 1 && job->cell_count <= RENDER_CELLS_MAX && layers <= RENDER_LAYERS_MAX &&
           job->drawn_count >= 1 && job->first_drawn <= job->cell_count &&
           job->drawn_count <= job->cell_count - job->first_drawn && job->later_count <= 1 &&
           job->cell_count + job->later_count <= RENDER_CELLS_MAX &&
           (job->cell_count + job->later_count) * layers <= RENDER_LAYER_MOMENTS_MAX &&
           job->rename_bytes <= RENDER_RENAME_BYTES_MAX &&
           (uint64_t)job->point_count * job->cell_count <= RENDER_POINTS_MAX;
}
static inline size_t render_cells_bytes(const struct render_job *job)
{
    return (job->cell_count + job->later_count) * sizeof(struct render_cell);
}
static inline size_t render_layer_moments_bytes(const struct render_job *job)
{
    return (size_t)(job->cell_count + job->later_count) * job->blend.layer_count * sizeof(struct render_layer_moment);
}

/* The camera data that all cells share. */
struct render_cameras {
    double clip_from_view[16];
    double pivot[3]; /* scene space: the point on the ground that the camera turns around */
    uint32_t is_ortho;
    uint32_t cell_count;
};
struct render_cell_camera {
    double view_from_scene[16];
    double clip_time_s;
};

/* Whether a point is seen. In the order of the words of the answer. */
enum render_point_state { RENDER_POINT_VISIBLE, RENDER_POINT_HIDDEN, RENDER_POINT_OUTSIDE, RENDER_POINT_STATES };
struct render_keypoint {
    double pixel[2];     /* from the top left corner of the picture, whole numbers lie between pixels; NaN: none */
    double depth;        /* along the camera's axis, scene units; NaN: the model lacks the point */
    double drawn_depth;  /* likewise of the surface that its pixel shows; NaN: none */
    uint32_t state;      /* RENDER_POINT_ */
    int32_t drawn_joint; /* the node that moves that surface most, or -1 */
};

/* How a picture of one cell shows its model. For several cells it has what they share, or 0. */
struct render_shown {
    double clip_time_s;           /* of the first cell */
    struct picture_camera camera; /* with near and far; for several cells of no kind */
    double clip_from_view[16];    /* column-major, as in anim/camera/camera.h */
};

/* The numbers of a pass in a PNG file: 1 and 65535 of PASS_AS_RANGE. Otherwise 0. */
struct render_pass_range {
    double least, most;
};

/* The notes beside a picture. */
struct render_notes {
    struct render_shown shown;             /* finite */
    struct render_pass_range range;        /* finite */
    char unmatched[RENDER_UNMATCHED_SIZE]; /* NUL-terminated printable ASCII: for clips of other files, the report of
                                              nodes without a partner (anim/retarget/retarget_report.h) */
};

struct render_result {
    uint32_t magic;
    uint32_t number; /* 0, or a number of the error table */
    uint64_t job_id;
    uint64_t size_bytes;            /* of the file that follows */
    char message[ERR_MESSAGE_SIZE]; /* NUL-terminated; the reason when number is not 0 */
    struct render_notes notes;
};

/* answer_parts.h - what the answers have in common; private to server/wire/answer*.c. Pure. */
#pragma once

#include "anim/pose/clip_time.h"
#include "wire/bodies/reply_make.h"
#include "wire/reply/motion.h"
#include "wire/encode/frames.h"

struct clip_sources;
struct frame_writer;

/* What a request selects, as its form found it; arrays lie in struct workspace. */
struct palette_work {
    const uint32_t *skins;
    uint32_t skin_count;
    int32_t mesh_node;  /* whose space the palettes are in, or -1: each skin's own */
    bool is_compiled;   /* they are clip_palette.h's: no pose is evaluated, and none of them can fail */
    bool has_pose;      /* then: the frame's pose is that of answer->clip_palette */
    double clip_time_s; /* likewise: the frame's */
};
struct pose_work {
    uint32_t *nodes, *sheared_places; /* in `nodes`: those that have a local matrix */
    uint32_t node_count, sheared_count;
};
/* Memory for one primitive at a time. */
struct deform {
    uint32_t *draws; /* into the model's: the entries of the answer */
    uint32_t draw_count;
    struct mat4 *palette; /* of the skin of the draw at hand */
    struct vec3 *morphed, *deformed;
    uint32_t skin; /* whose palette it is; UINT32_MAX: none yet, as at the begin of a frame */
};

/* What JSON takes; of a frame besides its times, its root motion and the brace behind it. */
struct json_size {
    uint64_t frame_numbers, head_numbers; /* in a frame, nearly; before the frames, at least */
    uint64_t frame_bytes_least, frame_bytes_most;
};

/* One request being answered. */
struct reply_context {
    struct workspace *answer;
    const struct model *model;
    const struct request *request;
    struct reply *reply;
    struct buf *out; /* the reply's body, limited to limit_bytes */
    const struct limits *limits;
    uint64_t limit_bytes;
    uint64_t evaluations_max;
    int32_t clip;               /* or POSE_REST */
    double duration_s;          /* of the clip; 0 at rest */
    struct clip_sources *clips; /* those of other files; `model` is a view that has them when the request is no blend */
    struct clip_span span;
    struct reply_motion motion;
    const struct frame_writer *form; /* this and what follows: of answers of frames */
    union {
        struct palette_work palette;
        struct pose_work pose;
        struct deform mesh;
    } work;
    struct json_size json;
    struct frames frames; /* binary */
};

/* Finds the clips and layers of any request for an answer, and fills *reply but for its body. All is borrowed. False:
 * the reply is an error. */
bool context_start(struct reply_context *context, struct workspace *answer, const struct model *model,
                   struct clip_sources *clips, const struct request *request, const struct limits *limits,
                   struct reply *reply);

/* The part of *reply that says what kind of answer it is; its body is empty then. */
void reply_describe(const struct request *request, uint64_t limit_bytes, struct reply *reply);

void body_put_model(struct reply_context *context);
void body_put_bounds(struct reply_context *context);

/* An array of `count` items in `buf`, whose former content is dropped; NULL when memory is gone. */
void *workspace_array(struct buf *buf, size_t count, size_t item_bytes);

/* Make the reply an error. */
void context_fail(struct reply_context *context, const struct err *err);
void context_fail_memory(struct reply_context *context);
void context_fail_too_large(struct reply_context *context);
void context_fail_body(struct reply_context *context); /* reply->body has failed */
/* `err` is about the pose at `time_s`: its message gets clip and time in front. */
void context_fail_at(struct reply_context *context, struct err *err, double time_s);

/* What one frame of the request takes to evaluate: nodes and morph weights, for each pose of a blend. */
uint64_t pose_steps(const struct model *model, const struct request *request);

/* What a request costs does not follow from the size of its answer: one joint may need a whole skeleton. True when
 * all its frames of so many steps, each about the work for one node, may be asked for; else the reply is an error. */
bool context_is_affordable(struct reply_context *context, uint64_t steps_per_frame);

/* What a frame of JSON takes at least, with its brace and comma, when its own things take `own_bytes`, beside its times
 * and root motion. */
uint64_t context_frame_least(const struct reply_context *context, uint64_t own_bytes);
/* True when an answer of JSON could fit that has `head_bytes` before its frames, and of these at least `frame_bytes`
 * each (context_frame_least()); else the reply is an error. */
bool context_may_fit_json(struct reply_context *context, uint64_t head_bytes, uint64_t frame_bytes);
/* Ends an answer of JSON whose first `done` frames are in context->out, once those that are left surely do not fit: the
 * buffer then fails. */
void context_end_early(struct reply_context *context, uint32_t done, uint64_t frame_bytes);
/* Writers of JSON ask for more room than they fill, by less than this: their buffer has it beyond the limit. */
enum { JSON_SLACK_BYTES = 8192 };
/* At the end of an answer: whether reply->body holds all of it, within the limit. Else the reply is an error. */
bool context_end_body(struct reply_context *context);

/* Ends every loop over poses when nobody needs the answer any more: the buffer then fails. */
void context_check_stop(struct reply_context *context);
/* Evaluates the pose at a time of the clip, without its root motion where that is asked for. */
void context_evaluate_at(struct reply_context *context, double clip_time_s);
/* Whether this is an answer of palettes that need no pose: see struct palette_work. */
bool context_is_compiled(const struct reply_context *context);
/* Evaluates the pose of one of the frames asked for, or notes its time for clip_palette.h. */
void context_evaluate(struct reply_context *context, uint32_t frame);

/* {"model":..,"hash":..,"clip":..,"wrap":.. */
void context_put_head(struct reply_context *context);
void put_name_and_hash(struct buf *out, const struct model *model, const struct request *request);
/* The content hash in hex. */
void put_hash(struct buf *out, const struct model *model);
/* {"time":..,"clip_time":.. */
void context_put_frame_head(struct reply_context *context, uint32_t frame);
/* "base_color", "metallic_roughness", ...: texture_slot in answers. */
extern const char *const TEXTURE_SLOT_NAMES[TEXTURE_SLOT_COUNT];
/* An index, or null for -1. */
void json_put_index(struct buf *out, int32_t index);
/* "clip":{..}, or null for POSE_REST */
void put_clip_name(struct buf *out, const struct model *model, int32_t index);
/* {"node":..,"name":..  */
void put_node_head(struct buf *out, const struct model *model, uint32_t node);
/* ,"extras":.. where the thing has some */
void put_extras(struct buf *out, const struct model *model, enum extra_owner owner, uint32_t index);

/* Of JSON: a float and its comma (-1.1754944e-38,), the brackets of a list and its comma; a number. */
enum { JSON_FLOAT_MOST = 15, JSON_LIST_MOST = 3, JSON_NUMBER_LEAST = 1 };
/* Of a list in JSON of so many things, of which each takes at least so many bytes. */
static inline uint64_t json_list_least(uint64_t count, uint64_t thing_bytes)
{
    return count == 0 ? 2 : 1 + count * (thing_bytes + 1);
}

enum { MATRIX_FLOATS_MAX = 16 };
/* The matrix as `layout` (not LAYOUT_DUALQUAT) orders it; returns the number of floats, 16 or 12. */
size_t layout_store_matrix(const struct mat4 *matrix, enum layout layout, float out[MATRIX_FLOATS_MAX]);
/* 16, 12 or 8. */
uint32_t layout_floats(enum layout layout);
const char *layout_name(enum layout layout);
bool floats_are_finite(const float *values, size_t count);

/* reply_context.h - one request on its way to a reply: what the makers of bodies share. Private to server/wire. Pure; a
 * context belongs to one thread at a time. */
#pragma once

#include "anim/pose/clip_time.h"
#include "anim/pose/skin.h"
#include "wire/encode/frames.h"
#include "wire/reply/motion.h"
#include "wire/reply/workspace.h"

struct clip_sources;
struct frame_writer;

/* What a request selects, as the writer of its frames found it; arrays lie in the workspace. */
struct palette_work {
    const uint32_t *skins;
    uint32_t skin_count;
    int32_t mesh_node; /* whose space the palettes are in, or -1: each skin's own */
};
struct pose_work {
    uint32_t *nodes, *sheared_places; /* in `nodes`: those that have a local matrix */
    uint32_t node_count, sheared_count;
};
/* Memory for one primitive at a time. */
struct deform {
    uint32_t *draws; /* into the model's: the entries of the reply */
    uint32_t draw_count;
    const uint32_t *skins; /* with weights=1: those of the draws, each once */
    uint32_t skin_count;
    struct skin_palette palette; /* of the skin of the draw at hand */
    struct vec3 *deformed;       /* of the draw at hand; room for a struct vec4 each */
    uint32_t variant;            /* 0, or 1 + that of the model whose materials are told */
    uint32_t skin;               /* whose palette it is; UINT32_MAX: none yet, as at the begin of a frame */
};

/* What JSON takes; of a frame besides its times, its root motion and the brace behind it. */
struct json_size {
    uint64_t frame_numbers, head_numbers; /* in a frame, nearly; before the frames, at least */
    uint64_t frame_bytes_least, frame_bytes_most;
};

struct reply_context {
    struct workspace *workspace;
    const struct model *model;
    const struct request *request;
    struct reply *reply;
    struct buf *out; /* the reply's body, limited to limit_bytes */
    const struct limits *limits;
    uint64_t limit_bytes;
    int32_t clip;       /* or POSE_REST */
    bool has_all_clips; /* OP_KEYS that names none, OP_EXPORT: the reply is about all clips of the other files, and
                           `clip` is POSE_REST */
    const int32_t *own_clips; /* OP_EXPORT: [own_clip_count], clips of the model itself in the reply */
    uint32_t own_clip_count;
    double duration_s;             /* of the clip; 0 at rest */
    struct clip_sources *clips;    /* those of other files; `model` has them unless the request is a blend */
    const struct model *own_model; /* the request's, without clips of other files */
    struct clip_span span;
    struct reply_motion motion;
    const struct frame_writer *writer; /* this and what follows: of replies of frames */
    union {
        struct palette_work palette;
        struct pose_work pose;
        struct deform mesh;
    } work;
    bool may_compile;         /* the writer asks workspace->entity for palettes or nodes; else for its exact pose */
    bool is_certain;          /* and none of them can fail */
    struct blend_layer layer; /* of a request without layers: its clip at the time evaluated last */
    struct json_size json;
    struct frames frames; /* binary */
};

/* The form of the reply: JSON where the operation has no other. */
static inline enum format reply_format(const struct request *request)
{
    const enum op_form form = OP_INFO[request->op].form;
    return form == FORM_PNG ? FORMAT_PNG : form == FORM_JSON || form == FORM_SHEET ? FORMAT_JSON : request->format;
}
/* The part of *reply that says what kind of reply it is; its body is empty then. */
void reply_describe(const struct request *request, uint64_t limit_bytes, struct reply *reply);

/* As workspace_array(). NULL: the reply is an error. */
void *context_array(struct reply_context *context, struct buf *buf, size_t count, size_t item_bytes);

/* Make the reply an error. They return false. */
bool context_fail(struct reply_context *context, const struct err *err);
bool context_fail_memory(struct reply_context *context);
bool context_fail_too_large(struct reply_context *context);
/* `err` is about the pose at `time_s`: its message gets clip and time in front. */
bool context_fail_at(struct reply_context *context, struct err *err, double time_s);
/* `err` is about a pose of the model: its message gets the model, the clip (or POSE_REST) and the time in front. */
void err_name_pose(const struct model *model, const struct request *request, int32_t clip, double time_s,
                   struct err *err);

/* What one frame takes to evaluate: nodes and morph weights, for each pose of a blend. */
uint64_t pose_steps(const struct model *model, const struct request_pose *pose);
/* What a request costs does not follow from the size of its reply: one joint may need a whole skeleton. True when
 * all its frames of so many steps, each about the work for one node, may be asked for; else the reply is an error. */
bool context_is_affordable(struct reply_context *context, uint64_t steps_per_frame);

/* Writers of JSON ask for more room than they fill, by less than this: their buffer has it beyond the limit. */
enum { JSON_SLACK_BYTES = 8192 };
/* At the end: whether reply->body holds all of it, within the limit. Else the reply is an error. */
bool context_end_body(struct reply_context *context);

/* Ends every loop over poses when nobody needs the reply any more: the buffer then fails. */
void context_check_stop(struct reply_context *context);
/* Evaluates the exact pose at a time of the clip, without its root motion where that is asked for. */
void context_evaluate_at(struct reply_context *context, double clip_time_s);
/* What one of the frames asked for shows. */
struct entity context_entity(struct reply_context *context, uint32_t frame);
/* Evaluates it: exactly, unless context->may_compile. */
void context_evaluate(struct reply_context *context, uint32_t frame);

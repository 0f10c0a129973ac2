/* reply_context.h - the state of a reply in progress, shared by the functions that write bodies. Private to
 * server/wire. Pure; one thread at a time. */
#pragma once

#include "anim/pose/clip_time.h"
#include "anim/pose/skin.h"
#include "wire/encode/frames.h"
#include "wire/reply/motion.h"
#include "wire/reply/workspace.h"

struct clip_sources;
struct frame_writer;

/* The selections of a request, resolved by the writer of its frames. Arrays lie in the workspace. */
struct palette_work {
    const uint32_t *skins;
    uint32_t skin_count;
    int32_t mesh_node; /* node whose space the palettes use, or -1: each skin's own */
};
struct pose_work {
    uint32_t *nodes, *sheared_places; /* indices into `nodes` of the nodes that have a local matrix */
    uint32_t node_count, sheared_count;
};
/* Memory for deforming one primitive at a time. */
struct deform {
    uint32_t *draws; /* indices of the model's draws: the entries of the reply */
    uint32_t draw_count;
    const uint32_t *skins; /* with weights=1: the distinct skins of the draws */
    uint32_t skin_count;
    struct skin_palette palette; /* of the skin of the current draw */
    struct vec3 *deformed;       /* of the current draw; room for a struct vec4 per vertex */
    uint32_t variant;            /* 0, or 1 + index of the model's variant whose materials are reported */
    uint32_t skin;               /* skin of the palette; UINT32_MAX: no skin yet, as at the beginning of a frame */
};

/* Sizes of JSON output. Frame sizes exclude times, root motion and the closing brace. */
struct json_size {
    uint64_t frame_numbers, head_numbers; /* numbers in a frame, approximate; numbers before the frames, at least */
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
    bool has_all_clips; /* OP_KEYS without a clip, OP_EXPORT: the reply covers all clips of the other files, and `clip`
                           is POSE_REST */
    const int32_t *own_clips; /* OP_EXPORT: [own_clip_count], clips of the model itself */
    uint32_t own_clip_count;
    double duration_s;             /* of the clip; 0 at rest */
    struct clip_sources *clips;    /* of other files; `model` plays them unless the request is a blend */
    const struct model *own_model; /* the request's model, without clips of other files */
    struct clip_span span;
    struct reply_motion motion;
    const struct frame_writer *writer; /* this and the following fields are for replies of frames */
    union {
        struct palette_work palette;
        struct pose_work pose;
        struct deform mesh;
    } work;
    bool may_compile; /* the writer reads palettes or nodes from workspace->entity; otherwise its exact pose */
    bool is_certain;  /* none of these can fail */
    uint32_t frame;   /* evaluated last by context_evaluate() */
    struct blend_layer played[2]; /* of a request without layers: its clip at the time evaluated last, and what is on
                                     top */
    struct json_size json;
    struct frames frames; /* binary */
};

/* Returns the form of the reply: JSON when the operation has no other. */
static inline enum format reply_format(const struct request *request)
{
    const enum op_form form = OP_INFO[request->op].form;
    return form == FORM_PNG ? FORMAT_PNG : form == FORM_JSON || form == FORM_SHEET ? FORMAT_JSON : request->format;
}
/* Sets the fields of *reply that describe its kind; its body stays empty. */
void reply_describe(const struct request *request, uint64_t limit_bytes, struct reply *reply);

/* Like workspace_array(). NULL: the reply is an error. */
void *context_array(struct reply_context *context, struct buf *buf, size_t count, size_t item_bytes);

/* Make the reply an error and return false. */
bool context_fail(struct reply_context *context, const struct err *err);
bool context_fail_memory(struct reply_context *context);
bool context_fail_too_large(struct reply_context *context);
/* Prefixes the message of `err`, about the pose at `time_s`, with clip and time, and makes it the reply. */
bool context_fail_at(struct reply_context *context, struct err *err, double time_s);
/* Prefixes the message of `err`, about a pose of the model, with the model, the clip (or POSE_REST) and the time. */
void err_name_pose(const struct model *model, const struct request *request, int32_t clip, double time_s,
                   struct err *err);

/* Returns the steps that evaluating a frame takes: nodes and morph weights, for each pose of a blend. */
uint64_t pose_steps(const struct model *model, const struct request_pose *pose);
/* Checks the evaluation cost of all frames against the limit; otherwise the reply is an error. A step is about the work
 * for one node. The size of the reply is no measure of this cost, because a single joint may need a whole skeleton. */
bool context_is_affordable(struct reply_context *context, uint64_t steps_per_frame);

/* JSON writers reserve up to this much more than they fill. Their buffer has this slack beyond the limit. */
enum { JSON_SLACK_BYTES = 8192 };
/* Checks at the end that reply->body is complete and within the limit. Otherwise the reply is an error. */
bool context_end_body(struct reply_context *context);

/* Fails the buffer when the reply is no longer needed, which ends every loop over poses. */
void context_check_stop(struct reply_context *context);
/* Evaluates the exact pose at a clip time, without root motion if the request extracts it. */
void context_evaluate_at(struct reply_context *context, double clip_time_s);
/* Returns the entity that a frame shows. */
struct entity context_entity(struct reply_context *context, uint32_t frame);
/* Evaluates a frame: exactly, unless context->may_compile. */
void context_evaluate(struct reply_context *context, uint32_t frame);

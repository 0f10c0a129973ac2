/* answer.h - a model and a request to the bytes of an answer: evaluation and encoding together, so that
 * frames go from the pose straight into the output.
 *
 * Pure; any thread with its own struct workspace. Documents: protocol/answers.md (fields), protocol/frames.md
 * (binary). */
#pragma once

#include "anim/pose/blend.h"
#include "anim/compiled/clip_palette.h"
#include "wire/reply/layers.h"
#include "wire/encode/glb.h"
#include "wire/encode/reply.h"
#include "wire/request/request.h"

/* What answering took of what a request may have: of LIMIT_FRAMES, LIMIT_EVALUATIONS and LIMIT_BOUNDS_VERTICES. */
struct reply_cost {
    uint64_t frames, evaluations, vertices;
};

/* Working memory, reused from request to request. */
struct workspace {
    struct reply_cost cost;         /* of the last answer, once it is made without an error */
    const _Atomic bool *is_stopped; /* the maker's, or NULL: once it is true nobody needs the answer that is being made,
                                       and it ends soon, as some error */
    struct pose pose;
    struct clip_palette clip_palette; /* with the best kernel, unless another is put there */
    struct blend blend;               /* of requests with layers */
    struct resolved_layers layers;    /* likewise */
    struct buf selection;             /* uint32_t: which skins, nodes or draws */
    struct buf blocks;                /* struct frames_block, or struct glb_primitive */
    struct buf palette;               /* struct mat4 of one skin */
    struct buf vertices;              /* struct vec3, twice those of one primitive */
    struct buf laid;                  /* float: a palette in another layout than mat4 */
    struct buf signs;                 /* of answer_dualquat.c */
    struct buf moved;                 /* of answer_motion.c */
    struct buf places;                /* uint32_t: of body_put_glb.c */
    struct glb glb;                   /* likewise */
};
void workspace_init(struct workspace *answer);
void workspace_fini(struct workspace *answer);
/* Memory that it holds. */
size_t workspace_held_bytes(const struct workspace *answer);

/* Looks the request's clip up in `model`, which is the one that has the clips (request->clip_file, where that is
 * given): an index, POSE_REST, or the first clip when none is named (the rest pose when a model has none, and POSE_REST
 * for a blend; a clip file without clips is an error). Unknown: 404, ambiguous: 409, with candidates in *reply, which
 * is then complete. Returns 0, ERR_CLIP_NOT_FOUND or ERR_AMBIGUOUS_NAME. */
int select_clip(const struct model *model, const struct request *request, int32_t *clip, struct reply *reply);

/* The part of a clip of `duration_s` (0 at rest) that the request means. Returns 0, or ERR_BAD_PARAMETER when from= or
 * to= lies behind the clip's end by more than 0.1 ms; nearer than that it is the end. */
int span_resolve(const struct request *request, double duration_s, struct clip_span *span, struct err *err);
/* True when the request says anything of that part, so that the answer repeats it. */
bool span_is_given(const struct request *request);

/* The node whose movement request->has_root_motion means: request->root, or the joint that all others hang from (in a
 * model without skins, of the nodes that its clips move). `answer` lends memory. Returns 0 or the code of *reply, which
 * is then the complete error: ERR_JOINT_NOT_FOUND, ERR_AMBIGUOUS_NAME, ERR_NO_MEMORY, or ERR_BAD_PARAMETER when there
 * is no such joint. */
int motion_find_root(struct workspace *answer, const struct model *model, const struct request *request, uint32_t *node,
                     struct reply *reply);

/* True when the operation's answer has a binary form. */
bool op_has_binary(enum op op);

/* The form of the answer: JSON where the operation has no other. */
enum format reply_format(const struct request *request);
/* The content type that reply_make() will give for this request. */
const char *reply_content_type(const struct request *request);

/* Fills *reply with the answer of OP_MODEL, OP_PALETTE, OP_POSE, OP_MESH or OP_BOUNDS for `model`, which is called
 * request->model. Never fails otherwise than by making *reply an error. Does not set the ETag. */
void reply_make(struct workspace *answer, const struct model *model, const struct request *request,
                const struct limits *limits, struct reply *reply);

/* `err` is about a pose of the model: its message gets the model, the clip (or POSE_REST) and the time in front. */
void err_name_pose(const struct model *model, const struct request *request, int32_t clip, double time_s,
                   struct err *err);
/* The same of a request that takes clips from other models: sources[request->source_count], those of request->sources.
 * Says in reply->unmatched what of them has no partner. */
void reply_make_with(struct workspace *answer, const struct model *model, const struct model *const *sources,
                     const struct request *request, const struct limits *limits, struct reply *reply);

/* Warnings about what a request is about, for a header: those of the model and of the other files, and how these
 * differ. */
uint32_t reply_count_warnings(const struct model *model, const struct model *const *sources, uint32_t source_count);

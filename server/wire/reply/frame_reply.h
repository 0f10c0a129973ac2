/* frame_reply.h - replies of frames: what is said once, then the frames, each by itself, then an end. They are made in
 * this order, whole (frame_reply_make()) or in pieces (reply_cursor.h). Private to server/wire. Pure. */
#pragma once

#include "wire/reply/reply_context.h"

/* What an operation puts into its frames. */
struct frame_writer {
    enum frames_kind kind;
    /* Finds what the request selects, into context->work, and how much JSON that gives, into context->json. False: the
     * reply is an error. */
    bool (*start)(struct reply_context *context);
    /* JSON: what stands before the frames, behind the clip. */
    void (*put_head)(struct reply_context *context);
    /* JSON: the pose evaluated last, behind the frame's times. False: the reply is an error. */
    bool (*put_frame)(struct reply_context *context, double time_s);
    /* Binary: puts the blocks, static ones first, to workspace->blocks. Returns their number, or FRAMES_NO_PLAN: the
     * reply is an error. */
    uint32_t (*plan)(struct reply_context *context);
    /* Binary: the items of a static block. */
    void (*put_static)(struct reply_context *context, const struct frames_block *block);
    /* Binary: the items of another one, of the pose evaluated last. False: the reply is an error. */
    bool (*put_block)(struct reply_context *context, const struct frames_block *block, double time_s);
};
#define FRAMES_NO_PLAN UINT32_MAX

/* Finds everything that the frames need. False: the reply is an error. */
bool frame_reply_start(struct reply_context *context, const struct frame_writer *writer);

/* Then each of these once, in order; all append to context->out. What goes wrong makes the reply an error, and
 * frame_reply_put() false; a buffer that is full, or a reply that nobody needs any more, shows as buf_failed(). */
void frame_reply_put_head(struct reply_context *context);
bool frame_reply_put(struct reply_context *context, uint32_t frame);
void frame_reply_put_end(struct reply_context *context);

/* All of it, after frame_reply_start(). */
void frame_reply_make(struct reply_context *context);
/* Its steps: the room, without which the reply is an error; the head; the frames and the end. */
static inline bool frame_reply_reserve(struct reply_context *context)
{
    if (context->request->format == FORMAT_JSON || buf_reserve(context->out, context->frames.size_bytes) != NULL)
        return true;
    return context_fail_memory(context);
}
void frame_reply_put_frames(struct reply_context *context);

/* Binary: of all. JSON: about that. */
uint64_t frame_reply_bytes(const struct reply_context *context);

/* Evaluates every frame and tells of none: true when no frame can make the reply an error, nor the whole be larger than
 * an answer may; JSON needs `head_bytes` before its frames. Else the reply is the error, or context->out failed. */
bool frame_reply_check(struct reply_context *context, uint64_t head_bytes);

/* --- parts, for replies of frames that have no writer --- */

/* {"model":..,"hash":..,"clip":..,"wrap":.. */
void context_put_head(struct reply_context *context);
/* {"time":..,"clip_time":.. */
void context_put_frame_head(struct reply_context *context, uint32_t frame);

/* What a frame of JSON takes at least, with its brace and comma, when its own things take `own_bytes`, beside its times
 * and root motion. */
uint64_t context_frame_least(const struct reply_context *context, uint64_t own_bytes);
/* True when a reply of JSON could fit that has `head_bytes` before its frames, and of these at least `frame_bytes`
 * each (context_frame_least()); else the reply is an error. */
bool context_may_fit_json(struct reply_context *context, uint64_t head_bytes, uint64_t frame_bytes);
/* Ends a reply of JSON whose first `done` frames are in context->out, once those that are left surely do not fit: the
 * buffer then fails. */
void context_end_early(struct reply_context *context, uint32_t done, uint64_t frame_bytes);

/* frame_reply.h - replies of frames: a head, independent frames, and an end. They are made in this order, as a whole
 * (frame_reply_make()) or in pieces (reply_cursor.h). Private to server/wire. Pure. */
#pragma once

#include "wire/reply/reply_context.h"

/* The functions by which an operation writes its frames. */
struct frame_writer {
    enum frames_kind kind;
    /* Resolves what the request selects into context->work, and the size of its JSON into context->json. False: the
     * reply is an error. */
    bool (*start)(struct reply_context *context);
    /* JSON: writes the part between the clip and the frames. */
    void (*put_head)(struct reply_context *context);
    /* JSON: writes the pose evaluated last, after the frame's times. False: the reply is an error. */
    bool (*put_frame)(struct reply_context *context, double time_s);
    /* Binary: writes the list of blocks, static ones first, to workspace->blocks. Returns their number, or
     * FRAMES_NO_PLAN when the reply is an error. */
    uint32_t (*plan)(struct reply_context *context);
    /* Binary: writes the items of a static block. */
    void (*put_static)(struct reply_context *context, const struct frames_block *block);
    /* Binary: writes the items of another block for the pose evaluated last. False: the reply is an error. */
    bool (*put_block)(struct reply_context *context, const struct frames_block *block, double time_s);
};
#define FRAMES_NO_PLAN UINT32_MAX

/* Resolves everything that the frames need. False: the reply is an error. */
bool frame_reply_start(struct reply_context *context, const struct frame_writer *writer);

/* Call each of these once, in this order; all append to context->out. On failure the reply becomes an error and
 * frame_reply_put() returns false. A full buffer and a cancelled reply show as buf_failed(). */
void frame_reply_put_head(struct reply_context *context);
bool frame_reply_put(struct reply_context *context, uint32_t frame);
void frame_reply_put_end(struct reply_context *context);

/* Makes the whole reply, after frame_reply_start(). */
void frame_reply_make(struct reply_context *context);
/* The steps of frame_reply_make(): reserve memory (false: the reply is an error), write the head, write the frames and
 * the end. */
static inline bool frame_reply_reserve(struct reply_context *context)
{
    if (context->request->format == FORMAT_JSON || buf_reserve(context->out, context->frames.size_bytes) != NULL)
        return true;
    return context_fail_memory(context);
}
void frame_reply_put_frames(struct reply_context *context);

/* Returns the size of the whole reply: exact in binary, approximate in JSON. */
uint64_t frame_reply_bytes(const struct reply_context *context);

/* Evaluates every frame without writing any. True when no frame can make the reply an error and the whole fits the size
 * limit; JSON needs `head_bytes` before its frames. Otherwise the reply is the error, or context->out has failed. */
bool frame_reply_check(struct reply_context *context, uint64_t head_bytes);

/* --- parts for replies of frames without a writer --- */

/* {"model":..,"hash":..,"clip":..,"wrap":.. */
void context_put_head(struct reply_context *context);
/* {"time":..,"clip_time":.. */
void context_put_frame_head(struct reply_context *context, uint32_t frame);

/* Returns a lower bound for the size of a JSON frame, with its brace, comma, times and root motion, when its own
 * content takes `own_bytes`. */
uint64_t context_frame_least(const struct reply_context *context, uint64_t own_bytes);
/* True when a JSON reply can fit that has `head_bytes` before its frames and at least `frame_bytes` per frame
 * (context_frame_least()); otherwise the reply is an error. */
bool context_may_fit_json(struct reply_context *context, uint64_t head_bytes, uint64_t frame_bytes);
/* Ends a JSON reply early, by failing its buffer, when the frames after the first `done` cannot fit any more. */
void context_end_early(struct reply_context *context, uint32_t done, uint64_t frame_bytes);

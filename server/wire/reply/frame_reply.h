/* frame_reply_make.h - answers of frames: what is said once, then the frames, each by itself, then an end. They are
 * made in this order, whole (frame_reply_make()) or in pieces (answer_stream.h). Private to server/wire. Pure. */
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
    /* Binary: puts the blocks, static ones first, to answer->blocks. Returns their number, or FRAMES_NO_PLAN: the reply
     * is an error. */
    uint32_t (*plan)(struct reply_context *context);
    /* Binary: the items of a static block. */
    void (*put_static)(struct reply_context *context, const struct frames_block *block);
    /* Binary: the items of another one, of the pose evaluated last. False: the reply is an error. */
    bool (*put_block)(struct reply_context *context, const struct frames_block *block, double time_s);
};
#define FRAMES_NO_PLAN UINT32_MAX

extern const struct frame_writer PALETTE_WRITER, POSE_WRITER, MESH_WRITER;

/* The form of the request's answer; NULL: it is not of frames. */
const struct frame_writer *frame_writer_of(const struct request *request);

/* Finds everything that the frames need. False: the reply is an error. */
bool frame_reply_start(struct reply_context *context, const struct frame_writer *form);

/* Then each of these once, in order; all append to context->out. What goes wrong makes the reply an error, and
 * frame_reply_put() false; a buffer that is full, or an answer that nobody needs any more, shows as buf_failed(). */
void frame_reply_put_head(struct reply_context *context);
bool frame_reply_put(struct reply_context *context, uint32_t frame);
void frame_reply_put_end(struct reply_context *context);

/* All of it, after frame_reply_start(). */
void frame_reply_make(struct reply_context *context);

/* Binary: of all. JSON: about that. */
uint64_t frame_reply_bytes(const struct reply_context *context);

/* Evaluates every frame and tells of none: true when no frame can make the reply an error, nor the whole be larger than
 * an answer may; JSON needs `head_bytes` before its frames. Else the reply is the error, or context->out failed. */
bool frame_reply_check(struct reply_context *context, uint64_t head_bytes);

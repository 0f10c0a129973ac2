/* answer_frames.h - answers of frames: what is said once, then the frames, each by itself, then an end. They are made
 * in this order, whole (answer_frames()) or in pieces (answer_stream.h). Private to server/wire. Pure. */
#pragma once

#include "wire/answer/answer_parts.h"

/* What an operation puts into its frames. */
struct answer_form {
    enum frames_kind kind;
    /* Finds what the request selects, into task->work, and how much JSON that gives, into task->json. False: the reply
     * is an error. */
    bool (*start)(struct task *task);
    /* JSON: what stands before the frames, behind the clip. */
    void (*put_head)(struct task *task);
    /* JSON: the pose evaluated last, behind the frame's times. False: the reply is an error. */
    bool (*put_frame)(struct task *task, double time_s);
    /* Binary: puts the blocks, static ones first, to answer->blocks. Returns their number, or FRAMES_NO_PLAN: the reply
     * is an error. */
    uint32_t (*plan)(struct task *task);
    /* Binary: the items of a static block. */
    void (*put_static)(struct task *task, const struct frames_block *block);
    /* Binary: the items of another one, of the pose evaluated last. False: the reply is an error. */
    bool (*put_block)(struct task *task, const struct frames_block *block, double time_s);
};
#define FRAMES_NO_PLAN UINT32_MAX

extern const struct answer_form ANSWER_PALETTE, ANSWER_POSE, ANSWER_MESH;

/* The form of the request's answer; NULL: it is not of frames. */
const struct answer_form *answer_form_of(const struct request *request);

/* Finds everything that the frames need. False: the reply is an error. */
bool answer_frames_start(struct task *task, const struct answer_form *form);

/* Then each of these once, in order; all append to task->out. What goes wrong makes the reply an error, and
 * answer_frames_put() false; a buffer that is full, or an answer that nobody needs any more, shows as buf_failed(). */
void answer_frames_put_head(struct task *task);
bool answer_frames_put(struct task *task, uint32_t frame);
void answer_frames_put_end(struct task *task);

/* All of it, after answer_frames_start(). */
void answer_frames(struct task *task);

/* Binary: of all. JSON: about that. */
uint64_t answer_frames_bytes(const struct task *task);

/* Evaluates every frame and tells of none: true when no frame can make the reply an error, nor the whole be larger than
 * an answer may; JSON needs `head_bytes` before its frames. Else the reply is the error, or task->out failed. */
bool answer_frames_check(struct task *task, uint64_t head_bytes);

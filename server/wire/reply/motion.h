/* answer_motion.h - root motion in an answer: found, taken out of the poses, told. Private to server/wire. Pure. */
#pragma once

#include "anim/pose/root_motion.h"

struct reply_context;
struct frames;

/* Of one request; all zero without root_motion=. */
struct reply_motion {
    bool is_on;
    struct root_motion motion;
    struct root_step lap;  /* from the beginning of what is played to its end */
    struct root_step step; /* of the frame evaluated last */
};

/* Finds the root and measures the lap. False: the reply is an error. */
bool motion_start(struct reply_context *context);
/* ,"root_motion":{..} of the head */
void motion_put_head(struct reply_context *context);
/* Bytes that motion_put() appends at least. */
uint64_t motion_bytes_least(const struct reply_context *context);
/* The root's movement in the frame evaluated last is finite. False: the reply is an error. */
bool motion_check(struct reply_context *context, double time_s);
/* ,"root_motion":{..} of the frame evaluated last. False: the reply is an error. */
bool motion_put(struct reply_context *context, double time_s);
/* The same as the frame's block. */
bool motion_put_block(struct reply_context *context, const struct frames *frames, uint32_t frame);

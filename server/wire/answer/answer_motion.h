/* answer_motion.h - root motion in an answer: found, taken out of the poses, told. Private to server/wire. Pure. */
#pragma once

#include "anim/pose/root_motion.h"

struct task;
struct frames;

/* Of one request; all zero without root_motion=. */
struct answer_motion {
    bool is_on;
    struct root_motion motion;
    struct root_step lap;  /* from the beginning of what is played to its end */
    struct root_step step; /* of the frame evaluated last */
};

/* Finds the root and measures the lap. False: the reply is an error. */
bool motion_start(struct task *task);
/* ,"root_motion":{..} of the head */
void motion_put_head(struct task *task);
/* Bytes that motion_put() appends at least. */
uint64_t motion_bytes_least(const struct task *task);
/* The root's movement in the frame evaluated last is finite. False: the reply is an error. */
bool motion_check(struct task *task, double time_s);
/* ,"root_motion":{..} of the frame evaluated last. False: the reply is an error. */
bool motion_put(struct task *task, double time_s);
/* The same as the frame's block. */
bool motion_put_block(struct task *task, const struct frames *frames, uint32_t frame);

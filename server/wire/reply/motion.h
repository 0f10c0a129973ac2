/* motion.h - root motion in a reply: found, taken out of the poses, told. Private to server/wire, but for
 * motion_find_root(). Pure. */
#pragma once

#include "anim/pose/root_motion.h"

struct model;
struct reply;
struct reply_context;
struct request;
struct workspace;

/* Of one request; all zero without root_motion=. */
struct reply_motion {
    bool is_on;
    struct root_motion motion;
    struct root_step lap;  /* from the beginning of what is played to its end */
    struct root_step step; /* of the frame evaluated last */
};

/* The node whose movement request->has_root_motion means: request->root, or the joint that all others hang from (in a
 * model without skins, of the nodes that its clips move). `workspace` lends memory. Returns 0 or the code of *reply,
 * which is then the complete error: ERR_JOINT_NOT_FOUND, ERR_AMBIGUOUS_NAME, ERR_NO_MEMORY, or ERR_BAD_PARAMETER when
 * there is no such joint. */
int motion_find_root(struct workspace *workspace, const struct model *model, const struct request *request,
                     uint32_t *node, struct reply *reply);

/* Of a request with root motion: finds the root and measures the lap. False: the reply is an error. */
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
bool motion_put_block(struct reply_context *context, uint32_t frame);

/* motion.h - root motion in a reply: finds the root, removes its motion from the poses, and reports it. Private to
 * server/wire, except for motion_find_root(). Pure. */
#pragma once

#include "anim/pose/root_motion.h"

struct model;
struct reply;
struct reply_context;
struct request;
struct workspace;

/* The root motion of a request; zero without root_motion=. */
struct reply_motion {
    bool is_on;
    struct root_motion motion;
    struct root_step lap;  /* from the beginning to the end of the played part */
    struct root_step step; /* of the frame evaluated last */
};

/* Finds the root node of root_motion=: request->motion.root, or the joint that is the ancestor of all others (without
 * skins, of the nodes that the clips move). `workspace` lends memory. Returns 0, or the code of *reply, which is then
 * the complete error: ERR_JOINT_NOT_FOUND, ERR_AMBIGUOUS_NAME, ERR_NO_MEMORY, or ERR_BAD_PARAMETER when no such joint
 * exists. */
int motion_find_root(struct workspace *workspace, const struct model *model, const struct request *request,
                     uint32_t *node, struct reply *reply);

/* Finds the root and measures the lap of a request with root motion. False: the reply is an error. */
bool motion_start(struct reply_context *context);
/* Appends ,"root_motion":{..} to the head. */
void motion_put_head(struct reply_context *context);
/* Returns a lower bound of the bytes that motion_put() appends. */
uint64_t motion_bytes_least(const struct reply_context *context);
/* Checks that the root's movement in the frame evaluated last is finite. False: the reply is an error. */
bool motion_check(struct reply_context *context, double time_s);
/* Appends ,"root_motion":{..} of the frame evaluated last. False: the reply is an error. */
bool motion_put(struct reply_context *context, double time_s);
/* Writes it as a block of the frame. False: the reply is an error. */
bool motion_put_block(struct reply_context *context, uint32_t frame);

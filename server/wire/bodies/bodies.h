/* bodies.h - the body of each operation's reply, for reply_make.c. Private to this folder, but for body_put_formats().
 * Pure. */
#pragma once

#include "wire/reply/frame_reply.h"

extern const struct frame_writer PALETTE_WRITER, POSE_WRITER, MESH_WRITER;

void body_put_model(struct reply_context *context);
void body_put_bounds(struct reply_context *context);
/* The posed mesh as a GLB file (protocol/glb.md). */
void body_put_glb(struct reply_context *context);

/* The nodes of joints=, joint_name= and subtree=, in the order given; a subtree is its topmost node and all nodes below
 * it by rising index. All nodes where none of the three is given. The array lies in workspace->selection, with room for
 * *count items behind it. NULL: the reply is an error. */
uint32_t *select_nodes(struct reply_context *context, uint32_t *count);

/* What is different between two models: `old` is that of request->with. */
void body_put_compare(struct workspace *workspace, const struct model *model, const struct model *old,
                      const struct request *request, const struct limits *limits, struct reply *reply);

/* Of packets alone: what a handle tells, and one thing of a model. */
void body_put_opened(const struct model *model, struct reply *reply);
void body_put_found(const struct model *model, const struct request *request, struct reply *reply);

/* GET /v1/formats: which files this build reads, and how exactly (protocol/formats.def). */
void body_put_formats(struct buf *out);

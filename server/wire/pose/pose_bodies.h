/* pose_bodies.h - answers about a model at given times (palettes, poses, meshes and bounds), and their cost. Private to
 * server/wire. Pure. */
#pragma once

#include "wire/reply/cost.h"
#include "wire/reply/frame_reply.h"

extern const struct frame_writer PALETTE_WRITER, POSE_WRITER, MESH_WRITER;

void body_put_palette(struct reply_context *context);
void body_put_pose(struct reply_context *context);
/* Write frames, or the posed mesh as a GLB file (protocol/glb.md). */
void body_put_mesh(struct reply_context *context);
void body_put_glb(struct reply_context *context);
void body_put_bounds(struct reply_context *context);

cost_fn cost_of_palette, cost_of_pose, cost_of_mesh, cost_of_bounds;
least_bytes_fn palette_least_bytes, pose_least_bytes;
bytes_fn bounds_bytes;

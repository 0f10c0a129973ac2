/* deform.h - the draws that a request for vertices selects, and their vertices at a time, one primitive after
 * the other. Private to server/wire. Pure. */
#pragma once

#include "wire/reply/reply_context.h"

/* Of several draws: joints of the largest skin, and of those that need parts, vertices of the largest primitive. */
struct deform_most {
    uint32_t joints, parts, vertices;
};
/* The draws of mesh=, without it all, in the model's order: *count indices in workspace->selection. NULL: the reply is
 * an error. */
uint32_t *deform_select(struct reply_context *context, uint32_t *count, struct deform_most *most);

/* Gives a palette memory for all of them; false: the reply is an error. */
bool deform_palette(struct reply_context *context, const struct deform_most *most, struct skin_palette *palette);

/* Fills context->work.mesh: the draws asked for, and memory for the largest; what all frames take is within the limits.
 * False: the reply is an error. */
bool deform_start(struct reply_context *context);

/* Of the entry, one of those that deform_start() selected: its draw and that one's primitive. */
const struct draw *deform_draw(const struct reply_context *context, uint32_t entry);
const struct primitive *deform_primitive(const struct reply_context *context, uint32_t entry);
/* Its material, or -1: in the variant that the request names. */
int32_t deform_material(const struct reply_context *context, uint32_t entry);

/* BLOCK_POSITIONS or BLOCK_NORMALS of one entry in the pose evaluated last, scene space, finite, into deformed;
 * palette is then that of the entry's skin. time_s: for messages. False: the reply is an error. */
bool deform_entry(struct reply_context *context, uint32_t entry, enum frames_block_kind kind, double time_s);
/* The tangents of the entry whose positions or normals came last (PRIMITIVE_TANGENTS), in place of these. */
const struct vec4 *deform_tangents(struct reply_context *context, uint32_t entry);

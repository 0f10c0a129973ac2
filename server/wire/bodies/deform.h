/* answer_deform.h - the draws that a request for vertices selects, and their vertices at a time, one primitive after
 * the other. Private to server/wire. Pure. */
#pragma once

#include "wire/reply/reply_context.h"

/* The draws asked for, in the model's order, and memory for the largest; what all frames take is within the limits.
 * False: the reply is an error. */
bool deform_start(struct reply_context *context, struct deform *work);

/* Of the entry, one of those that deform_start() selected: its draw and that one's primitive. */
const struct draw *deform_draw(const struct reply_context *context, const struct deform *work, uint32_t entry);
const struct primitive *deform_primitive(const struct reply_context *context, const struct deform *work,
                                         uint32_t entry);
/* The place of a primitive within its mesh. */
uint32_t deform_place(const struct model *model, uint32_t primitive);

/* BLOCK_POSITIONS or BLOCK_NORMALS of one entry in the pose evaluated last, scene space, finite, into work->deformed;
 * work->palette is then that of the entry's skin. time_s: for messages. False: the reply is an error. */
bool deform_entry(struct reply_context *context, struct deform *work, uint32_t entry, enum frames_block_kind kind,
                  double time_s);
/* The tangents of the entry whose positions or normals came last (PRIMITIVE_TANGENTS), in place of these. */
const struct vec4 *deform_tangents(struct reply_context *context, struct deform *work, uint32_t entry);

/* deform.h - selects the draws that a request for vertices covers, and deforms the vertices of one primitive after the
 * other. Private to server/wire. Pure. */
#pragma once

#include "wire/reply/reply_context.h"

/* The largest counts among several draws: joints per skin, joints per skin that needs parts, vertices per primitive. */
struct deform_most {
    uint32_t joints, parts, vertices;
};
/* Selects the draws of mesh=, by default all, in the model's order: *count indices in workspace->selection. NULL: the
 * reply is an error. */
uint32_t *deform_select(struct reply_context *context, uint32_t *count, struct deform_most *most);

/* Reserves palette memory for all these draws. False: the reply is an error. */
bool deform_palette(struct reply_context *context, const struct deform_most *most, struct skin_palette *palette);

/* Fills context->work.mesh with the requested draws and memory for the largest one, and checks the limits for all
 * frames. False: the reply is an error. */
bool deform_start(struct reply_context *context);

/* Return the draw of an entry selected by deform_start(), and its primitive. */
const struct draw *deform_draw(const struct reply_context *context, uint32_t entry);
const struct primitive *deform_primitive(const struct reply_context *context, uint32_t entry);
/* Returns the entry's material in the requested variant, or -1. */
int32_t deform_material(const struct reply_context *context, uint32_t entry);

/* Computes BLOCK_POSITIONS or BLOCK_NORMALS of an entry in the pose evaluated last, into `deformed`; the values are
 * finite and in scene space. `palette` is then the palette of the entry's skin. time_s is for messages. False: the
 * reply is an error. */
bool deform_entry(struct reply_context *context, uint32_t entry, enum frames_block_kind kind, double time_s);
/* Returns the tangents of the entry deformed last (PRIMITIVE_TANGENTS), overwriting its positions or normals. */
const struct vec4 *deform_tangents(struct reply_context *context, uint32_t entry);

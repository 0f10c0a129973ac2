/* answer_deform.h - the draws that a request for vertices selects, and their vertices at a time, one primitive after
 * the other. Private to server/wire. Pure. */
#pragma once

#include "answer_parts.h"

/* Memory for one primitive at a time, borrowed from struct answer. */
struct deform {
    uint32_t *draws; /* into the model's: the entries of the answer */
    uint32_t draw_count;
    struct mat4 *palette; /* of the skin of the draw at hand */
    struct vec3 *morphed, *deformed;
    uint32_t skin; /* whose palette it is; UINT32_MAX: none yet, as at the begin of a frame */
};

/* The draws asked for, in the model's order, and memory for the largest; what all frames take is within the limits.
 * False: the reply is an error. */
bool deform_start(struct task *task, struct deform *work);

const struct draw *deform_draw(const struct task *task, const struct deform *work, uint32_t entry);
const struct primitive *deform_primitive(const struct task *task, const struct deform *work, uint32_t entry);
/* The place of a primitive within its mesh. */
uint32_t deform_place(const struct model *model, uint32_t primitive);

/* BLOCK_POSITIONS or BLOCK_NORMALS of one entry in the pose evaluated last, scene space, finite, into work->deformed;
 * work->palette is then that of the entry's skin. time_s: for messages. False: the reply is an error. */
bool deform_entry(struct task *task, struct deform *work, uint32_t entry, enum frames_block_kind kind, double time_s);
/* The tangents of the entry whose positions or normals came last (PRIMITIVE_TANGENTS), in place of these. */
const struct vec4 *deform_tangents(struct task *task, struct deform *work, uint32_t entry);

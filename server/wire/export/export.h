/* export.h - exports a whole model as a GLB file (protocol/glb.md), or as a .posed file (anim/posed_file). Pure.
 *
 * The file keeps the model's numbers of nodes, skins and meshes where possible. What glTF needs in addition follows at
 * the end: joints that a skin names twice, and a node above all others. The file's poses equal the model's to within
 * EXPORT_EXACT of the model's size. Where glTF cannot say that, the file has the nearest that it can, and reports how
 * far off that is; with exact=1 the export refuses it. */
#pragma once

#include "wire/reply/cost.h"
#include "wire/reply/reply_context.h"

/* The largest distance between a node in the file and in the model, as a share of the model's size. */
#define EXPORT_EXACT 2e-6
/* From this share on, what is off is a warning. */
#define EXPORT_WARNED 1e-4

/* Makes the reply the file, or an error. */
void body_put_export(struct reply_context *context);

cost_fn cost_of_export;

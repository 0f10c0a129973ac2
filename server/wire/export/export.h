/* export.h - a whole model as a GLB file (protocol/glb.md), or as a .posed file (anim/posed_file). Pure.
 *
 * The file has the model's nodes, skins and meshes under their own numbers as far as that is possible; what glTF needs
 * beyond them stands behind: joints that a skin names twice, a node above all others. Poses of the file are those of
 * the model, to within EXPORT_EXACT of its size: what cannot be so is refused, unless the request asks for the nearest
 * that there is. */
#pragma once

#include "wire/reply/cost.h"
#include "wire/reply/reply_context.h"

/* How far a node of the file may be from where the model has it, as a share of the model's size. */
#define EXPORT_EXACT 2e-6

/* Makes the reply the file, or an error. */
void body_put_export(struct reply_context *context);

cost_fn cost_of_export;

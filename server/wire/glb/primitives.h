/* primitives.h - writes the parts of primitives that all GLB files share (glTF 2.0, 3.7.2). Private to server/wire.
 * Pure. */
#pragma once

#include "wire/encode/glb.h"

/* Whether the file contains the primitive's normals. Generated normals of points and lines are meaningless. Without
 * normals a viewer uses face normals (3.7.2.1), as flat triangles require. */
bool glb_has_normals(const struct primitive *primitive);
/* Appends "attributes":{.. of the accessors[GLB_INDICES + 1] other than GLB_NONE, without the closing brace. Positions
 * are among them. */
void glb_put_attributes(struct buf *out, const uint32_t *accessors);
/* Appends ,"mode":.. unless the primitive consists of triangles. */
void glb_put_mode(struct buf *out, const struct primitive *primitive);

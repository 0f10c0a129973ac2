/* primitives.h - what the primitives of all GLB files have in common (glTF 2.0, 3.7.2). Private to server/wire. Pure.
 */
#pragma once

#include "wire/encode/glb.h"

/* Whether the file has the primitive's normals. Those made for points and lines mean nothing, and without any a viewer
 * takes those of the faces (3.7.2.1), as flat triangles want it. */
bool glb_has_normals(const struct primitive *primitive);
/* "attributes":{.. of those of accessors[GLB_INDICES + 1] that are not GLB_NONE, without its end; it has positions. */
void glb_put_attributes(struct buf *out, const uint32_t *accessors);
/* ,"mode":.. where it is not triangles */
void glb_put_mode(struct buf *out, const struct primitive *primitive);

/* attributes.h - writes the vertex attributes of a mesh with attributes=1, besides positions, as JSON and as static
 * blocks. An entry always has normals, and the other attributes if the file has them.
 *
 * Private to server/wire. Pure; any thread. */
#pragma once

#include "wire/encode/frames.h"
#include "anim/model/model.h"

/* Appends {"normals":[..],"texcoords":[..],..} of a primitive. */
void attributes_put_json(struct buf *out, const struct model *model, const struct primitive *primitive);
/* Returns the count of these numbers. */
uint64_t attributes_count(const struct model *model, const struct primitive *primitive);

/* True when blocks of this kind (protocol/frames.md) hold attributes. */
static inline bool attributes_have_block(enum frames_block_kind kind)
{
    return kind >= BLOCK_REST_NORMALS && kind <= BLOCK_TANGENTS;
}
/* Returns the items of the primitive's block and their size in bytes; 0 when it has no such block. */
uint32_t attributes_items(const struct model *model, const struct primitive *primitive, enum frames_block_kind kind,
                          uint32_t *item_bytes);
void attributes_put_block(struct buf *out, const struct model *model, const struct primitive *primitive,
                          enum frames_block_kind kind);

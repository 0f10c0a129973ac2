/* attributes.h - attributes=1 of a mesh: what a renderer needs of vertices beside their places, as JSON and as static
 * blocks. An entry has normals, and of the others those that its file has.
 *
 * Private to server/wire. Pure; any thread. */
#pragma once

#include "wire/encode/frames.h"
#include "anim/model/model.h"

/* {"normals":[..],"texcoords":[..],..} of a primitive. */
void attributes_put_json(struct buf *out, const struct model *model, const struct primitive *primitive);
/* How many numbers that is. */
uint64_t attributes_count(const struct model *model, const struct primitive *primitive);

/* True when blocks of this kind (protocol/frames.md) are attributes. */
static inline bool attributes_have_block(enum frames_block_kind kind)
{
    return kind >= BLOCK_REST_NORMALS && kind <= BLOCK_TANGENTS;
}
/* Items of the primitive's block, and bytes of each; 0: it has none. */
uint32_t attributes_items(const struct model *model, const struct primitive *primitive, enum frames_block_kind kind,
                          uint32_t *item_bytes);
void attributes_put_block(struct buf *out, const struct model *model, const struct primitive *primitive,
                          enum frames_block_kind kind);

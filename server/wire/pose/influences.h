/* influences.h - writes the skin weights of a mesh with weights=1, as JSON and as static blocks. Every vertex has
 * influences here: a vertex without influences in the file follows joint 0 of its skin, and this is written explicitly.
 *
 * Private to server/wire. Pure; any thread. */
#pragma once

#include "wire/reply/reply_context.h"

/* Lists the skins of `draw_count` draws of the model, each once, ascending: *count indices in `list`. NULL: the reply
 * is an error. */
uint32_t *influences_skins(struct reply_context *context, const uint32_t *draws, uint32_t draw_count, struct buf *list,
                           uint32_t *count);

/* Returns the number of influences of all vertices of a primitive. */
uint32_t influences_count(const struct model *model, const struct primitive *primitive);

/* Appends {"firsts":[..],"joints":[..],"weights":[..]} of a draw, with "dual_weights" for blended skinning methods. */
void influences_put_json(struct buf *out, const struct model *model, const struct draw *draw);
/* Appends {"index":..,"name":..,"joints":[..],"joint_from_bind":[..]} of a skin. */
void influences_put_skin_json(struct buf *out, const struct model *model, uint32_t skin);

/* --- binary blocks (protocol/frames.md) --- */

/* True when blocks of this kind hold influences. */
static inline bool influences_have_block(enum frames_block_kind kind)
{
    return kind >= BLOCK_INFLUENCE_FIRSTS && kind <= BLOCK_JOINT_FROM_BIND;
}
/* Returns the items of the block `kind` of a draw and their size in bytes; 0 when it has no such block. */
uint32_t influences_items(const struct model *model, const struct draw *draw, enum frames_block_kind kind,
                          uint32_t *item_bytes);
/* Likewise for a skin: BLOCK_JOINT_NODES, BLOCK_JOINT_FROM_BIND. */
uint32_t influences_skin_items(const struct model *model, uint32_t skin, enum frames_block_kind kind,
                               uint32_t *item_bytes);
/* Writes a block. draw is NULL for a block of the skin block->index. */
void influences_put_block(struct buf *out, const struct model *model, const struct draw *draw,
                          const struct frames_block *block);

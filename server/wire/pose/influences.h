/* influences.h - weights=1 of a mesh: what of the model moves its vertices, as JSON and as static blocks. Every vertex
 * has influences here: one that the file gives none follows joint 0 of its skin, and that is written out.
 *
 * Private to server/wire. Pure; any thread. */
#pragma once

#include "wire/reply/reply_context.h"

/* The skins of so many draws of the model, each once, ascending: *count indices in `list`. NULL: the reply is an
 * error. */
uint32_t *influences_skins(struct reply_context *context, const uint32_t *draws, uint32_t draw_count, struct buf *list,
                           uint32_t *count);

/* Influences of all vertices of a primitive. */
uint32_t influences_count(const struct model *model, const struct primitive *primitive);

/* {"firsts":[..],"joints":[..],"weights":[..]} of a draw, with "dual_weights" where its skin is blended. */
void influences_put_json(struct buf *out, const struct model *model, const struct draw *draw);
/* {"index":..,"name":..,"joints":[..],"joint_from_bind":[..]} */
void influences_put_skin_json(struct buf *out, const struct model *model, uint32_t skin);

/* --- binary blocks (protocol/frames.md) --- */

/* True when blocks of this kind tell of influences. */
static inline bool influences_have_block(enum frames_block_kind kind)
{
    return kind >= BLOCK_INFLUENCE_FIRSTS && kind <= BLOCK_JOINT_FROM_BIND;
}
/* Items of the block `kind`, and bytes of each, that is about a draw. 0: it has no such block. */
uint32_t influences_items(const struct model *model, const struct draw *draw, enum frames_block_kind kind,
                          uint32_t *item_bytes);
/* Likewise of a skin: BLOCK_JOINT_NODES, BLOCK_JOINT_FROM_BIND. */
uint32_t influences_skin_items(const struct model *model, uint32_t skin, enum frames_block_kind kind,
                               uint32_t *item_bytes);
/* draw: NULL for a block about a skin, block->index. */
void influences_put_block(struct buf *out, const struct model *model, const struct draw *draw,
                          const struct frames_block *block);

#include "wire/encode/frames.h"

#include <assert.h>
#include <string.h>

/* Callers append float and index arrays in their memory layout. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the frames are little-endian");

enum { SPAN_BYTES = 4 * sizeof(double), MOTION_BYTES = 4 * sizeof(float), TIMES_BYTES = 2 * sizeof(double) };

static uint64_t align(uint64_t size) { return (size + FRAMES_ALIGNMENT - 1) / FRAMES_ALIGNMENT * FRAMES_ALIGNMENT; }

bool frames_plan(struct frames *frames, uint64_t limit_bytes)
{
    /* factors have 32 bits, so no product below overflows; each sum is checked against the limit */
    const uint64_t header =
        FRAMES_HEADER_BYTES +
        FRAMES_BLOCK_BYTES * ((uint64_t)frames->block_count + frames->has_span + frames->has_motion) +
        2 * sizeof(double) * (uint64_t)frames->frame_count;
    const uint64_t most = limit_bytes < UINT64_MAX / 2 ? limit_bytes : UINT64_MAX / 2;
    if (header > most || header > UINT32_MAX - FRAMES_ALIGNMENT)
        return false;
    frames->header_bytes = (uint32_t)align(header);
    uint64_t at = frames->header_bytes + (frames->has_span ? SPAN_BYTES : 0),
             frame_bytes = frames->has_motion ? MOTION_BYTES : 0;
    for (uint32_t i = 0; i < frames->block_count; i++) {
        struct frames_block *block = &frames->blocks[i];
        uint64_t *end = frames_is_static(block->kind) ? &at : &frame_bytes;
        const uint64_t size = (uint64_t)block->count * block->item_bytes;
        if (size > most || *end > most)
            return false;
        block->offset = *end;
        *end = align(*end + size);
    }
    frames->frames_offset = at;
    frames->frame_bytes = frame_bytes;
    if (at > most || (frames->frame_count > 0 && frame_bytes > (most - at) / frames->frame_count))
        return false;
    frames->size_bytes = at + frame_bytes * frames->frame_count;
    return true;
}

static void put_block(struct buf *out, const struct frames_block *block)
{
    buf_put_u16(out, (uint16_t)block->kind);
    buf_put_u16(out, frames_is_static(block->kind));
    buf_put_u32(out, block->index);
    buf_put_u32(out, (uint32_t)block->node);
    buf_put_u32(out, (uint32_t)block->primitive);
    buf_put_u32(out, block->count);
    buf_put_u32(out, block->item_bytes);
    buf_put_u64(out, block->offset);
}

/* Writes the table entry of a block with one item that is not in frames->blocks. */
static void put_own_block(struct buf *out, enum frames_block_kind kind, uint32_t item_bytes, uint64_t offset)
{
    put_block(out, &(struct frames_block){kind, 0, -1, -1, 1, item_bytes, offset});
}

static void write_times(void *to, const struct frames *frames, uint32_t frame)
{
    const double times[] = {frames->times_s[frame], clip_time_in_span(&frames->span, frames->times_s[frame])};
    memcpy(to, times, sizeof times); /* little-endian, see above */
}

void frames_put_header(struct buf *out, const struct frames *frames)
{
    assert(out->size_bytes == 0);
    buf_put(out, FRAMES_MAGIC, 4);
    buf_put_u16(out, FRAMES_VERSION);
    buf_put_u16(out, (uint16_t)frames->layout);
    buf_put_u32(out, frames->header_bytes);
    buf_put_u16(out, (uint16_t)frames->kind);
    buf_put_u16(out, (uint16_t)frames->space);
    buf_put_u32(out, frames->frame_count);
    buf_put_u32(out, frames->block_count + frames->has_span + frames->has_motion);
    buf_put_u32(out, (uint32_t)frames->clip);
    buf_put_u32(out, (uint32_t)frames->span.wrap);
    buf_put_u64(out, frames->frames_offset);
    buf_put_u64(out, frames->frame_bytes);
    buf_put_u64(out, frames->size_bytes);
    buf_put_f64(out, frames->duration_s);
    buf_put(out, frames->content_hash, 32);
    if (frames->has_span)
        put_own_block(out, BLOCK_SPAN, SPAN_BYTES, frames->header_bytes);
    uint32_t i = 0;
    for (; i < frames->block_count && frames_is_static(frames->blocks[i].kind); i++)
        put_block(out, &frames->blocks[i]);
    if (frames->has_motion)
        put_own_block(out, BLOCK_ROOT_MOTION, MOTION_BYTES, 0);
    for (; i < frames->block_count; i++)
        put_block(out, &frames->blocks[i]);
    for (i = 0; i < frames->frame_count; i++) {
        char times[TIMES_BYTES];
        write_times(times, frames, i);
        buf_put(out, times, sizeof times);
    }
    buf_align(out, FRAMES_ALIGNMENT);
    assert(buf_failed(out) || out->size_bytes == frames->header_bytes);
    if (!frames->has_span)
        return;
    buf_put_f64(out, frames->span.from_s);
    buf_put_f64(out, frames->span.to_s);
    buf_put_f64(out, frames->span.speed);
    buf_put_f64(out, frames->span.phase);
}

void frames_put_time_again(struct buf *out, const struct frames *frames)
{
    const size_t blocks = (size_t)frames->block_count + frames->has_span + frames->has_motion;
    if (!buf_failed(out))
        write_times(out->data + (FRAMES_HEADER_BYTES + FRAMES_BLOCK_BYTES * blocks - frames->left_bytes), frames, 0);
}

void frames_start_block(struct buf *out, const struct frames *frames, const struct frames_block *block, uint32_t frame)
{
    buf_align(out, FRAMES_ALIGNMENT);
    const uint64_t base = frames_is_static(block->kind) ? 0 : frames->frames_offset + frame * frames->frame_bytes;
    assert(buf_failed(out) || frames->left_bytes + out->size_bytes == base + block->offset);
}

void frames_put_motion(struct buf *out, const struct frames *frames, uint32_t frame, const float step[4])
{
    frames_start_block(out, frames, &(struct frames_block){.kind = BLOCK_ROOT_MOTION}, frame);
    buf_put(out, step, MOTION_BYTES);
}

void frames_finish(struct buf *out, const struct frames *frames)
{
    buf_align(out, FRAMES_ALIGNMENT);
    assert(buf_failed(out) || frames->left_bytes + out->size_bytes == frames->size_bytes);
}

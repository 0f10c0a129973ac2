/* image_sequence_apng.c - APNG: the chunks of a PNG, and a control chunk before each frame. */
#include "render/image/image_sequence.h"

enum { DELAY_MAX = UINT16_MAX };

/* Writes milliseconds, or hundredths of a second where those overflow. */
static void put_delay(struct buf *out, uint32_t duration_ms)
{
    const bool is_long = duration_ms > DELAY_MAX;
    const uint32_t number = is_long ? duration_ms / 10 : duration_ms;
    png_put_u16(out, (uint16_t)(number < DELAY_MAX ? number : DELAY_MAX));
    png_put_u16(out, is_long ? 100 : 1000);
}

/* Writes a chunk "fcTL": the frame replaces what is there and stays. */
static void put_control(struct buf *out, uint32_t chunk_number, const struct image_rect *rect, uint32_t duration_ms)
{
    png_put_u32(out, chunk_number);
    png_put_u32(out, rect->width);
    png_put_u32(out, rect->height);
    png_put_u32(out, rect->x);
    png_put_u32(out, rect->y);
    put_delay(out, duration_ms);
    png_put_u16(out, 0); /* APNG_DISPOSE_OP_NONE, APNG_BLEND_OP_SOURCE */
}

/* Writes the frame's chunks. */
static int put_frame(struct buf *out, const struct image_sequence *sequence, uint32_t frame, uint32_t *chunk_number,
                     struct err *err)
{
    struct image_rect rect = {0, 0, sequence->width, sequence->height};
    if (frame > 0)
        rect = image_sequence_changed(sequence, frame);
    size_t at = png_start_chunk(out, "fcTL");
    put_control(out, (*chunk_number)++, &rect, sequence->durations_ms[frame]);
    png_end_chunk(out, at, png_file_crc);
    at = png_start_chunk(out, frame > 0 ? "fdAT" : "IDAT");
    if (frame > 0)
        png_put_u32(out, (*chunk_number)++);
    const uint8_t *pixels = image_sequence_frame(sequence, frame) + ((size_t)rect.y * sequence->width + rect.x) * 4;
    if (png_data_put(out, pixels, sequence->width, rect.width, rect.height, &sequence->form, err) < 0)
        return err->code;
    png_end_chunk(out, at, png_file_crc);
    return 0;
}

int image_sequence_put_apng(struct buf *out, const struct image_sequence *sequence, struct err *err)
{
    uint32_t chunk_number = 0;
    png_file_start(out, sequence->width, sequence->height, sequence->form.has_alpha);
    const size_t at = png_start_chunk(out, "acTL");
    png_put_u32(out, sequence->frame_count);
    png_put_u32(out, sequence->loops);
    png_end_chunk(out, at, png_file_crc);
    for (uint32_t frame = 0; frame < sequence->frame_count; frame++)
        if (put_frame(out, sequence, frame, &chunk_number, err) < 0)
            return err->code;
    png_end_chunk(out, png_start_chunk(out, "IEND"), png_file_crc);
    return 0;
}

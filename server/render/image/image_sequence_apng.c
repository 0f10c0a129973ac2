/* image_sequence_apng.c - APNG: chunks of our own between those that libpng writes. */
#include "render/image/image_sequence.h"

#include <png.h>

#include <setjmp.h>

enum { DELAY_MAX = UINT16_MAX };

static void put_u32(struct buf *out, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        buf_put_char(out, (char)(value >> shift));
}

static void put_u16(struct buf *out, uint32_t value)
{
    buf_put_char(out, (char)(value >> 8));
    buf_put_char(out, (char)value);
}

/* In milliseconds, or hundredths of a second where these are too many. */
static void put_delay(struct buf *out, uint32_t duration_ms)
{
    const bool is_long = duration_ms > DELAY_MAX;
    const uint32_t number = is_long ? duration_ms / 10 : duration_ms;
    put_u16(out, number < DELAY_MAX ? number : DELAY_MAX);
    put_u16(out, is_long ? 100 : 1000);
}

/* A chunk "fcTL": the frame replaces what is there and stays. */
static void put_control(struct buf *out, uint32_t chunk_number, const struct image_rect *rect, uint32_t duration_ms)
{
    put_u32(out, chunk_number);
    put_u32(out, rect->width);
    put_u32(out, rect->height);
    put_u32(out, rect->x);
    put_u32(out, rect->y);
    put_delay(out, duration_ms);
    put_u16(out, 0); /* APNG_DISPOSE_OP_NONE, APNG_BLEND_OP_SOURCE */
}

static void on_write(png_structp png, png_bytep bytes, png_size_t size_bytes)
{
    buf_put(png_get_io_ptr(png), bytes, size_bytes);
}

static void on_flush(png_structp png) { (void)png; }

static void put_chunk(png_structp png, const char *name, const struct buf *data)
{
    png_write_chunk(png, (png_const_bytep)name, (png_const_bytep)data->data, data->size_bytes);
}

/* The frame's chunks; `data` lends memory. */
static int put_frame(png_structp png, const struct image_sequence *sequence, uint32_t frame, uint32_t *chunk_number,
                     struct buf *data, struct err *err)
{
    struct image_rect rect = {0, 0, sequence->width, sequence->height};
    if (frame > 0)
        rect = image_sequence_changed(sequence, frame);
    buf_clear(data);
    put_control(data, (*chunk_number)++, &rect, sequence->durations_ms[frame]);
    put_chunk(png, "fcTL", data);
    buf_clear(data);
    if (frame > 0)
        put_u32(data, (*chunk_number)++);
    const uint8_t *pixels = image_sequence_frame(sequence, frame) + ((size_t)rect.y * sequence->width + rect.x) * 4;
    if (png_data_put(data, pixels, sequence->width, rect.width, rect.height, &sequence->form, err) < 0)
        return err->code;
    if (buf_failed(data))
        return err_set(err, ERR_NO_MEMORY, "no memory for frame %u", frame);
    put_chunk(png, frame > 0 ? "fdAT" : "IDAT", data);
    return 0;
}

/* *sequence is 0 and lies where a longjmp() leaves it alone. */
static int put_frames(png_structp png, png_infop info, const struct image_sequence *sequence, uint32_t *chunk_number,
                      struct buf *data, struct err *err)
{
    if (setjmp(png_jmpbuf(png)))
        return err_set(err, ERR_INTERNAL, "libpng failed on %u frames of %u x %u", sequence->frame_count,
                       sequence->width, sequence->height);
    png_set_IHDR(png, info, sequence->width, sequence->height, 8,
                 sequence->form.has_alpha ? PNG_COLOR_TYPE_RGBA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    buf_clear(data);
    put_u32(data, sequence->frame_count);
    put_u32(data, sequence->loops);
    put_chunk(png, "acTL", data);
    for (uint32_t frame = 0; frame < sequence->frame_count; frame++)
        if (put_frame(png, sequence, frame, chunk_number, data, err) < 0)
            return err->code;
    png_write_chunk(png, (png_const_bytep) "IEND", NULL, 0);
    return 0;
}

int image_sequence_put_apng(struct buf *out, const struct image_sequence *sequence, struct err *err)
{
    struct buf data;
    uint32_t chunk_number = 0;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png == NULL ? NULL : png_create_info_struct(png);
    if (info == NULL) {
        png_destroy_write_struct(&png, NULL);
        return err_set(err, ERR_NO_MEMORY, "no memory for the animation's file");
    }
    buf_init(&data, SIZE_MAX);
    png_set_write_fn(png, out, on_write, on_flush);
    int rc = put_frames(png, info, sequence, &chunk_number, &data, err);
    png_destroy_write_struct(&png, &info);
    buf_fini(&data);
    if (rc == 0 && buf_failed(out))
        rc = err_set(err, ERR_NO_MEMORY, "no memory for the animation's file");
    return rc;
}

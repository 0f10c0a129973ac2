#include "clients/cli/sheet/apng_file.h"

#include "render/image/png_file.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

enum { SIGNATURE_BYTES = 8, FRAME_BYTES = 12, COLOUR_RGBA = 6 };

struct chunk {
    char type[5];
    const uint8_t *data;
    uint32_t data_bytes;
};

struct reader {
    const uint8_t *at, *end;
    struct apng_file *file;
    uint32_t left, top, frame_width, frame_height; /* of the frame whose data is being read */
    uint32_t frames_read;
    bool is_animated;
    struct buf data; /* its compressed data so far */
    struct text *problem;
};

static uint32_t big_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static int refuse(struct reader *reader, const char *why)
{
    text_printf(reader->problem, "the picture cannot be read: %s", why);
    return -1;
}

/* Reads a chunk (ISO/IEC 15948, 5.3). libpng verifies the checksums. */
static int next_chunk(struct reader *reader, struct chunk *chunk)
{
    const size_t left = (size_t)(reader->end - reader->at);
    if (left < FRAME_BYTES)
        return refuse(reader, "it ends early");
    chunk->data_bytes = big_u32(reader->at);
    if (chunk->data_bytes > left - FRAME_BYTES)
        return refuse(reader, "it ends within a chunk");
    memcpy(chunk->type, reader->at + 4, 4);
    chunk->type[4] = '\0';
    chunk->data = reader->at + 8;
    reader->at += FRAME_BYTES + chunk->data_bytes;
    return 0;
}

static int read_header(struct reader *reader, const struct chunk *chunk, uint64_t pixels_max)
{
    struct apng_file *file = reader->file;
    if (strcmp(chunk->type, "IHDR") != 0 || chunk->data_bytes != 13)
        return refuse(reader, "it has no header");
    file->width = reader->frame_width = big_u32(chunk->data);
    file->height = reader->frame_height = big_u32(chunk->data + 4);
    file->has_alpha = chunk->data[9] == COLOUR_RGBA;
    file->frame_count = 1;
    if (file->width == 0 || file->height == 0 || file->width > pixels_max / file->height)
        return refuse(reader, "it has too many pixels");
    return 0;
}

static int read_animation(struct reader *reader, const struct chunk *chunk, uint64_t pixels_max)
{
    struct apng_file *file = reader->file;
    if (chunk->data_bytes != 8 || file->pixels != NULL)
        return refuse(reader, "its animation is none");
    file->frame_count = big_u32(chunk->data);
    file->loops = big_u32(chunk->data + 4);
    reader->is_animated = true;
    if (file->frame_count == 0 || file->frame_count > pixels_max / ((uint64_t)file->width * file->height))
        return refuse(reader, "it has too many frames");
    return 0;
}

static void make_capacity(struct apng_file *file)
{
    if (file->pixels != NULL)
        return;
    file->pixels = must_alloc((size_t)file->width * file->height * 4 * file->frame_count);
    file->durations_ms = must_alloc(file->frame_count * sizeof *file->durations_ms);
}

/* Wraps the data in a PNG file of its own, which libpng reads. */
static int read_pixels(struct reader *reader, uint8_t *to)
{
    const struct apng_file *file = reader->file;
    png_image image = {.version = PNG_IMAGE_VERSION};
    struct buf png;
    buf_init(&png, 0);
    png_file_start(&png, reader->frame_width, reader->frame_height, file->has_alpha);
    const size_t at = png_start_chunk(&png, "IDAT");
    buf_put(&png, reader->data.data, reader->data.size_bytes);
    png_end_chunk(&png, at, png_file_crc);
    png_end_chunk(&png, png_start_chunk(&png, "IEND"), png_file_crc);
    int rc = buf_failed(&png) || png_image_begin_read_from_memory(&image, png.data, png.size_bytes) == 0 ? -1 : 0;
    image.format = PNG_FORMAT_RGBA;
    if (rc == 0 && png_image_finish_read(&image, NULL, to, (png_int_32)file->width * 4, NULL) == 0)
        rc = -1;
    buf_fini(&png);
    return rc < 0 ? refuse(reader, image.message) : 0;
}

/* Puts the frame whose data is complete over the previous one. */
static int finish_frame(struct reader *reader)
{
    const struct apng_file *file = reader->file;
    if (reader->data.size_bytes == 0)
        return 0;
    const size_t frame_bytes = (size_t)file->width * file->height * 4;
    uint8_t *frame = file->pixels + reader->frames_read * frame_bytes;
    if (reader->frames_read == file->frame_count)
        return refuse(reader, "it has more frames than it says");
    if (reader->frames_read > 0)
        memcpy(frame, frame - frame_bytes, frame_bytes);
    if (read_pixels(reader, frame + ((size_t)reader->top * file->width + reader->left) * 4) < 0)
        return -1;
    buf_clear(&reader->data);
    reader->frames_read++;
    return 0;
}

static int read_control(struct reader *reader, const struct chunk *chunk)
{
    const struct apng_file *file = reader->file;
    const uint8_t *data = chunk->data;
    if (chunk->data_bytes != 26 || !reader->is_animated || finish_frame(reader) < 0 ||
        reader->frames_read == file->frame_count)
        return reader->problem->size_bytes > 0 ? -1 : refuse(reader, "it has frames that are none");
    reader->frame_width = big_u32(data + 4);
    reader->frame_height = big_u32(data + 8);
    reader->left = big_u32(data + 12);
    reader->top = big_u32(data + 16);
    if (reader->frame_width == 0 || reader->frame_height == 0 || reader->frame_width > file->width ||
        reader->frame_height > file->height || reader->left > file->width - reader->frame_width ||
        reader->top > file->height - reader->frame_height || data[24] != 0 || data[25] != 0)
        return refuse(reader, "it has frames that posed does not write");
    const uint32_t number = (uint32_t)data[20] << 8 | data[21], a_second = (uint32_t)data[22] << 8 | data[23];
    file->durations_ms[reader->frames_read] = number * 1000 / (a_second == 0 ? 100 : a_second);
    return 0;
}

static int read_chunk(struct reader *reader, const struct chunk *chunk, uint64_t pixels_max)
{
    const bool is_first = strcmp(chunk->type, "IDAT") == 0, is_more = strcmp(chunk->type, "fdAT") == 0;
    const uint32_t number_bytes = is_more ? 4 : 0; /* fdAT begins with a sequence number */
    if (strcmp(chunk->type, "acTL") == 0)
        return read_animation(reader, chunk, pixels_max);
    const bool is_control = strcmp(chunk->type, "fcTL") == 0;
    if (is_control || is_first || is_more)
        make_capacity(reader->file);
    if (is_control)
        return read_control(reader, chunk);
    if ((is_first || is_more) && chunk->data_bytes >= number_bytes)
        buf_put(&reader->data, chunk->data + number_bytes, chunk->data_bytes - number_bytes);
    return 0;
}

int apng_file_read(const void *bytes, size_t size_bytes, uint64_t pixels_max, struct apng_file *out,
                   struct text *problem)
{
    const uint8_t *from = bytes;
    struct reader reader = {.at = from, .end = from + size_bytes, .file = out, .problem = problem};
    struct chunk chunk;
    *out = (struct apng_file){0};
    buf_init(&reader.data, 0);
    if (size_bytes < SIGNATURE_BYTES || memcmp(from, "\x89PNG\r\n\x1a\n", SIGNATURE_BYTES) != 0)
        return refuse(&reader, "it is no PNG file");
    reader.at += SIGNATURE_BYTES;
    int rc = next_chunk(&reader, &chunk) < 0 ? -1 : read_header(&reader, &chunk, pixels_max);
    do
        rc = rc < 0 || next_chunk(&reader, &chunk) < 0 ? -1 : read_chunk(&reader, &chunk, pixels_max);
    while (rc == 0 && strcmp(chunk.type, "IEND") != 0);
    if (rc == 0)
        rc = finish_frame(&reader);
    if (rc == 0 && reader.frames_read != out->frame_count)
        rc = refuse(&reader, "it has fewer frames than it says");
    buf_fini(&reader.data);
    if (rc < 0)
        apng_file_free(out);
    return rc;
}

void apng_file_free(struct apng_file *file)
{
    free(file->pixels);
    free(file->durations_ms);
    *file = (struct apng_file){0};
}

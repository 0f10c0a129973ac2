#include "clients/cli/sheet/sheet_join.h"

#include "clients/cli/sheet/apng_file.h"
#include "render/image/image_sequence.h"
#include "render/image/picture_file.h"

#include <stdlib.h>
#include <string.h>

/* Four bytes each: a gigabyte. */
static const uint64_t PIXELS_MAX = 1 << 28;

static bool is_animation(enum sheet_format format)
{
    return sheet_is_animation(&(struct sheet_spec){.format = format});
}

const char *sheet_join_part_format(enum sheet_format format)
{
    switch (format) {
    case SHEET_PNG:
    case SHEET_JPEG:
        return "png";
    case SHEET_APNG:
    case SHEET_GIF:
    case SHEET_WEBP:
        return "apng";
    case SHEET_Y4M:
        return "y4m";
    default:
        return NULL;
    }
}

/* Adds Y4M: a line about all frames, then the frames. */
static int add_video(struct sheet_join *join, const char *bytes, size_t size_bytes, struct text *problem)
{
    const char *end = memchr(bytes, '\n', size_bytes);
    const size_t line_bytes = end == NULL ? 0 : (size_t)(end - bytes) + 1;
    const bool is_first = join->video.size_bytes == 0;
    if (end == NULL ||
        (!is_first && (join->video.size_bytes < line_bytes || memcmp(join->video.at, bytes, line_bytes) != 0))) {
        text_put(problem, "the parts of the video do not fit each other");
        return -1;
    }
    const size_t skipped = is_first ? 0 : line_bytes;
    text_put_bytes(&join->video, bytes + skipped, size_bytes - skipped);
    return 0;
}

static bool fits(const struct sheet_join *join, const struct apng_file *part)
{
    if (join->pixels == NULL)
        return true;
    return is_animation(join->format)
               ? part->width == join->width && part->height == join->height && part->loops == join->loops
               : part->width == join->width;
}

static uint64_t pixel_count(const struct sheet_join *join)
{
    return (uint64_t)join->width * join->height * (is_animation(join->format) ? join->frame_count : 1);
}

static void append(struct sheet_join *join, const struct apng_file *part)
{
    const size_t before = join->pixels == NULL ? 0 : (size_t)pixel_count(join) * 4;
    const size_t more = (size_t)part->width * part->height * part->frame_count * 4;
    const uint32_t frames = join->frame_count + part->frame_count;
    join->pixels = must_grow(join->pixels, before + more);
    memcpy(join->pixels + before, part->pixels, more);
    join->durations_ms = must_grow(join->durations_ms, frames * sizeof *join->durations_ms);
    memcpy(join->durations_ms + join->frame_count, part->durations_ms, part->frame_count * sizeof *join->durations_ms);
    join->height = is_animation(join->format) ? part->height : join->height + part->height;
    join->frame_count = frames;
    join->width = part->width;
    join->loops = part->loops;
    join->has_alpha |= part->has_alpha;
}

int sheet_join_add(struct sheet_join *join, const void *bytes, size_t size_bytes, struct text *problem)
{
    struct apng_file part;
    if (join->format == SHEET_Y4M)
        return add_video(join, bytes, size_bytes, problem);
    const uint64_t before = join->pixels == NULL ? 0 : pixel_count(join);
    if (apng_file_read(bytes, size_bytes, PIXELS_MAX - before, &part, problem) < 0)
        return -1;
    const bool is_good = fits(join, &part);
    if (is_good)
        append(join, &part);
    else
        text_put(problem, "the parts of the sheet do not fit each other");
    apng_file_free(&part);
    return is_good ? 0 : -1;
}

static int encode(const struct sheet_join *join, struct buf *out, struct err *err)
{
    const struct png_form png = {.has_alpha = join->has_alpha, .is_small = join->is_small};
    if (is_animation(join->format)) {
        const struct image_sequence sequence = {.pixels = join->pixels,
                                                .width = join->width,
                                                .height = join->height,
                                                .frame_count = join->frame_count,
                                                .durations_ms = join->durations_ms,
                                                .loops = join->loops,
                                                .quality = join->quality,
                                                .form = png};
        return image_sequence_put(out, join->format, &sequence, err);
    }
    const struct picture_form form = {.format = join->format, .quality = join->quality, .png = png};
    return picture_file_put(out, join->pixels, join->width, join->height, &form, err);
}

int sheet_join_put(struct sheet_join *join, struct text *out, struct text *problem)
{
    struct buf file;
    struct err err = {0};
    if (join->format == SHEET_Y4M) {
        text_put_bytes(out, join->video.at, join->video.size_bytes);
        return 0;
    }
    buf_init(&file, 0);
    const int rc = encode(join, &file, &err);
    if (rc < 0)
        text_printf(problem, "the sheet cannot be joined: %s", err.message);
    else
        text_put_bytes(out, file.data, file.size_bytes);
    buf_fini(&file);
    return rc < 0 ? -1 : 0;
}

void sheet_join_free(struct sheet_join *join)
{
    free(join->pixels);
    free(join->durations_ms);
    text_free(&join->video);
    *join = (struct sheet_join){0};
}

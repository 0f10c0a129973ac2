/* image_sequence.h - encodes frames as an animated picture or a video. Any thread. The same frames give the same bytes.
 *
 * APNG (PNG 3, 2025, "acTL", "fcTL", "fdAT"): written here; frames after the first store only the rectangle that
 * changes. WebP: by libwebp's animation encoder, lossless unless a quality is given. GIF (GIF89a): by giflib, with one
 * palette of quantizer.h's 255 colours for all frames, so that nothing flickers; pixels of less than half alpha are
 * transparent. Y4M (YUV4MPEG2): for programs that compress videos. */
#pragma once

#include "base/picture/sheet_spec.h"
#include "render/image/png_file.h"

struct image_sequence {
    const uint8_t *pixels;        /* frame after frame: RGBA8, straight alpha, sRGB, rows from the top */
    uint32_t width, height;       /* of a frame */
    uint32_t frame_count;         /* > 0 */
    const uint32_t *durations_ms; /* [frame_count] */
    uint32_t loops;               /* times to play; 0: for ever */
    double frame_rate;            /* for Y4M: frames a second */
    uint32_t quality;             /* for WebP: 1..100, or 0: lossless */
    struct png_form form;         /* has_alpha; the rest only for APNG */
};

/* Appends the file in an animation format. Returns 0, ERR_NO_MEMORY, ERR_BAD_PARAMETER (frames larger than the format
 * allows) or ERR_INTERNAL. */
int image_sequence_put(struct buf *out, enum sheet_format format, const struct image_sequence *sequence,
                       struct err *err);

/* Name the libraries that decide the bytes of GIF and WebP, for people and for ETags: "libwebp 1.2.4", "giflib 5.2.1".
 */
const char *image_sequence_gif_library(void);
void image_sequence_webp_library(char *out, size_t out_bytes);

/* The encoders of the formats; private to image_sequence*.c. */
int image_sequence_put_apng(struct buf *out, const struct image_sequence *sequence, struct err *err);
int image_sequence_put_gif(struct buf *out, const struct image_sequence *sequence, struct err *err);
int image_sequence_put_y4m(struct buf *out, const struct image_sequence *sequence, struct err *err);
int image_sequence_put_webp(struct buf *out, const struct image_sequence *sequence, struct err *err);

struct image_rect {
    uint32_t x, y, width, height;
};
/* Returns the smallest rectangle that contains all changes of a frame (> 0) from the one before; one pixel when they
 * are the same. */
struct image_rect image_sequence_changed(const struct image_sequence *sequence, uint32_t frame);
const uint8_t *image_sequence_frame(const struct image_sequence *sequence, uint32_t frame);

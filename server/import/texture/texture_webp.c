/* texture_webp.c - decodes WebP with libwebp. An animation (WebP container specification, "Animation") gives its first
 * frame. */
#include "import/texture/texture_image.h"

#include <string.h>
#include <webp/decode.h>

/* The chunks of the first frame and its position on the canvas. */
struct webp_frame {
    const uint8_t *bytes;
    size_t size_bytes;
    uint32_t x, y, width, height;
};

static uint32_t get_u24(const uint8_t *bytes) { return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16; }

static bool find_frame(const uint8_t *bytes, size_t size_bytes, struct webp_frame *out)
{
    enum { RIFF_HEAD = 12, CHUNK_HEAD = 8, FRAME_HEAD = 16 };
    size_t at = RIFF_HEAD;
    while (at + CHUNK_HEAD <= size_bytes) {
        const uint8_t *chunk = bytes + at;
        const size_t length = get_u24(chunk + 4) | (size_t)chunk[7] << 24, left = size_bytes - at - CHUNK_HEAD;
        if (length > left)
            return false;
        if (memcmp(chunk, "ANMF", 4) == 0 && length > FRAME_HEAD) {
            const uint8_t *head = chunk + CHUNK_HEAD;
            *out = (struct webp_frame){.bytes = head + FRAME_HEAD,
                                       .size_bytes = length - FRAME_HEAD,
                                       .x = 2 * get_u24(head),
                                       .y = 2 * get_u24(head + 3),
                                       .width = get_u24(head + 6) + 1,
                                       .height = get_u24(head + 9) + 1};
            return true;
        }
        at += CHUNK_HEAD + length + (length & 1);
    }
    return false;
}

static bool fits(const struct webp_frame *frame, const struct image *image)
{
    int width = 0, height = 0;
    return WebPGetInfo(frame->bytes, frame->size_bytes, &width, &height) && (uint32_t)width == frame->width &&
           (uint32_t)height == frame->height && frame->x <= image->width && frame->width <= image->width - frame->x &&
           frame->y <= image->height && frame->height <= image->height - frame->y;
}

/* The canvas around a smaller frame is transparent. */
static bool decode(const struct webp_frame *frame, struct image *image)
{
    const size_t row_bytes = 4 * (size_t)image->width, first = row_bytes * frame->y + 4 * (size_t)frame->x;
    const size_t size_bytes = row_bytes * image->height;
    if (frame->width < image->width || frame->height < image->height)
        memset(image->rgba, 0, size_bytes);
    return WebPDecodeRGBAInto(frame->bytes, frame->size_bytes, image->rgba + first, size_bytes - first,
                              (int)row_bytes) != NULL;
}

int image_decode_webp(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct image *image,
                      struct err *err)
{
    WebPBitstreamFeatures features;
    if (WebPGetFeatures(bytes, size_bytes, &features) != VP8_STATUS_OK || features.width < 0 || features.height < 0)
        return err_set(err, ERR_BAD_MODEL, "the header is damaged");
    image->width = (uint32_t)features.width;
    image->height = (uint32_t)features.height;
    if (image_alloc(image, limits, err) < 0)
        return err->code;
    image->file = features.has_animation ? TEXTURE_FILE_NONE : TEXTURE_FILE_WEBP;
    struct webp_frame frame = {bytes, size_bytes, 0, 0, image->width, image->height};
    if ((!features.has_animation || find_frame(bytes, size_bytes, &frame)) && fits(&frame, image) &&
        decode(&frame, image))
        return 0;
    return err_set(err, ERR_BAD_MODEL, "the picture is damaged");
}

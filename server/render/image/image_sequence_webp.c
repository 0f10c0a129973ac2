/* image_sequence_webp.c - WebP by libwebp's animation encoder. */
#include "render/image/image_sequence.h"

#include <webp/encode.h>
#include <webp/mux.h>

#include <limits.h>
#include <stdio.h>

enum {
    METHOD = 1,  /* 0..6: more gains little in smooth shading and takes several times as long */
    EFFORT = 30, /* 0..100 */
};

/* Adds all frames. *end_ms: the end of the last one. */
static int add_frames(WebPAnimEncoder *encoder, const struct image_sequence *sequence, const WebPConfig *config,
                      struct err *err)
{
    WebPPicture picture;
    uint64_t now_ms = 0;
    int rc = 0;
    if (!WebPPictureInit(&picture))
        return err_set(err, ERR_INTERNAL, "libwebp is of another version");
    picture.use_argb = 1;
    picture.width = (int)sequence->width;
    picture.height = (int)sequence->height;
    for (uint32_t frame = 0; frame < sequence->frame_count && rc == 0; frame++) {
        if (!WebPPictureImportRGBA(&picture, image_sequence_frame(sequence, frame), (int)sequence->width * 4))
            rc = err_set(err, ERR_NO_MEMORY, "no memory for frame %u", frame);
        else if (!WebPAnimEncoderAdd(encoder, &picture, (int)now_ms, config))
            rc = err_set(err, picture.error_code == VP8_ENC_ERROR_OUT_OF_MEMORY ? ERR_NO_MEMORY : ERR_INTERNAL,
                         "libwebp failed on frame %u: %s", frame, WebPAnimEncoderGetError(encoder));
        now_ms += sequence->durations_ms[frame] > 0 ? sequence->durations_ms[frame] : 1;
        now_ms = now_ms < INT_MAX ? now_ms : INT_MAX;
    }
    WebPPictureFree(&picture);
    if (rc == 0 && !WebPAnimEncoderAdd(encoder, NULL, (int)now_ms, NULL))
        rc = err_set(err, ERR_INTERNAL, "libwebp failed at the end: %s", WebPAnimEncoderGetError(encoder));
    return rc;
}

int image_sequence_put_webp(struct buf *out, const struct image_sequence *sequence, struct err *err)
{
    WebPAnimEncoderOptions options;
    WebPConfig config;
    WebPData data = {0};
    if (sequence->width > WEBP_MAX_DIMENSION || sequence->height > WEBP_MAX_DIMENSION)
        return err_set(err, ERR_BAD_PARAMETER, "a WebP has at most %d x %d pixels", WEBP_MAX_DIMENSION,
                       WEBP_MAX_DIMENSION);
    if (!WebPAnimEncoderOptionsInit(&options) || !WebPConfigInit(&config))
        return err_set(err, ERR_INTERNAL, "libwebp is of another version");
    options.anim_params.loop_count = (int)sequence->loops;
    options.anim_params.bgcolor = 0;
    config.lossless = sequence->quality == 0;
    config.method = METHOD;
    config.quality = sequence->quality == 0 ? EFFORT : (float)sequence->quality;
    WebPAnimEncoder *encoder = WebPAnimEncoderNew((int)sequence->width, (int)sequence->height, &options);
    if (encoder == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the animation");
    int rc = add_frames(encoder, sequence, &config, err);
    if (rc == 0 && !WebPAnimEncoderAssemble(encoder, &data))
        rc = err_set(err, ERR_INTERNAL, "libwebp failed: %s", WebPAnimEncoderGetError(encoder));
    if (rc == 0)
        buf_put(out, data.bytes, data.size);
    WebPDataClear(&data);
    WebPAnimEncoderDelete(encoder);
    return rc;
}

void image_sequence_webp_library(char *out, size_t out_bytes)
{
    const int version = WebPGetEncoderVersion(); /* one byte each */
    snprintf(out, out_bytes, "libwebp %d.%d.%d", version >> 16 & 255, version >> 8 & 255, version & 255);
}

/* image_sequence_gif.c - GIF89a by giflib, with one palette for all frames. */
#include "render/image/image_sequence.h"

#include "render/image/quantizer.h"

#include <gif_lib.h>
#include <stdlib.h>

enum {
    COLORS = 256,
    SIDE_MAX = 65535,
    TICK_MS = 10,
    LEAST_TICKS = 2, /* per frame: players treat less as a mistake and wait ten */
};

static int on_write(GifFileType *gif, const GifByteType *bytes, int size_bytes)
{
    buf_put(gif->UserData, bytes, (size_t)size_bytes);
    return size_bytes;
}

/* Writes the extension of Netscape Navigator 2, which all players read: how often to repeat after the first time; 0:
 * for ever. */
static bool put_loops(GifFileType *gif, uint32_t loops)
{
    if (loops == 1)
        return true;
    const uint32_t again = loops == 0 ? 0 : loops - 1;
    const uint8_t block[3] = {1, (uint8_t)again, (uint8_t)(again >> 8)};
    return EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
           EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0") == GIF_OK &&
           EGifPutExtensionBlock(gif, sizeof block, block) == GIF_OK && EGifPutExtensionTrailer(gif) == GIF_OK;
}

static bool put_head(GifFileType *gif, const struct image_sequence *sequence, const struct quantizer *quantizer)
{
    GifColorType colors[COLORS] = {{0}};
    for (uint32_t i = 0; i < quantizer->count; i++)
        colors[i] = (GifColorType){quantizer->colors[i][0], quantizer->colors[i][1], quantizer->colors[i][2]};
    ColorMapObject *map = GifMakeMapObject(COLORS, colors);
    EGifSetGifVersion(gif, true);
    const bool is_good = map != NULL && EGifPutScreenDesc(gif, (int)sequence->width, (int)sequence->height, 8, 0,
                                                          map) == GIF_OK; /* it copies the map */
    GifFreeMapObject(map);
    return is_good && put_loops(gif, sequence->loops);
}

static bool put_frame(GifFileType *gif, const struct image_sequence *sequence, const struct quantizer *quantizer,
                      uint32_t frame, uint32_t ticks, uint8_t *row)
{
    const bool has_alpha = sequence->form.has_alpha;
    const struct image_rect whole = {0, 0, sequence->width, sequence->height};
    /* a pixel only becomes transparent again when its frame is removed */
    const struct image_rect rect = frame == 0 || has_alpha ? whole : image_sequence_changed(sequence, frame);
    const GraphicsControlBlock control = {.DisposalMode = has_alpha ? DISPOSE_BACKGROUND : DISPOSE_DO_NOT,
                                          .DelayTime = (int)ticks,
                                          .TransparentColor = has_alpha ? QUANTIZER_TRANSPARENT : NO_TRANSPARENT_COLOR};
    GifByteType bytes[4];
    EGifGCBToExtension(&control, bytes);
    bool is_good =
        EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, sizeof bytes, bytes) == GIF_OK &&
        EGifPutImageDesc(gif, (int)rect.x, (int)rect.y, (int)rect.width, (int)rect.height, false, NULL) == GIF_OK;
    for (uint32_t y = 0; y < rect.height && is_good; y++) {
        const uint8_t *pixel =
            image_sequence_frame(sequence, frame) + ((size_t)(rect.y + y) * sequence->width + rect.x) * 4;
        for (uint32_t x = 0; x < rect.width; x++, pixel += 4)
            row[x] = quantizer_index(quantizer, pixel);
        is_good = EGifPutLine(gif, row, (int)rect.width) == GIF_OK;
    }
    return is_good;
}

/* Rounds delays to hundredths of a second from the running sums, so that the total duration is right. */
static bool put_frames(GifFileType *gif, const struct image_sequence *sequence, const struct quantizer *quantizer,
                       uint8_t *row)
{
    uint64_t now_ms = 0, ticks_told = 0;
    for (uint32_t frame = 0; frame < sequence->frame_count; frame++) {
        now_ms += sequence->durations_ms[frame];
        const uint64_t ticks_now = (now_ms + TICK_MS / 2) / TICK_MS;
        uint64_t ticks = ticks_now > ticks_told ? ticks_now - ticks_told : 0;
        ticks = ticks < LEAST_TICKS ? LEAST_TICKS : ticks > UINT16_MAX ? UINT16_MAX : ticks;
        ticks_told += ticks;
        if (!put_frame(gif, sequence, quantizer, frame, (uint32_t)ticks, row))
            return false;
    }
    return true;
}

int image_sequence_put_gif(struct buf *out, const struct image_sequence *sequence, struct err *err)
{
    struct quantizer quantizer;
    const size_t pixel_count = (size_t)sequence->width * sequence->height * sequence->frame_count;
    int failure = 0;
    if (sequence->width > SIDE_MAX || sequence->height > SIDE_MAX)
        return err_set(err, ERR_BAD_PARAMETER, "a GIF has at most %d x %d pixels", SIDE_MAX, SIDE_MAX);
    int rc = quantizer_init(&quantizer, sequence->pixels, pixel_count, err);
    uint8_t *row = malloc(sequence->width);
    GifFileType *gif = rc < 0 || row == NULL ? NULL : EGifOpen(out, on_write, &failure);
    if (rc == 0 && gif == NULL)
        rc = err_set(err, ERR_NO_MEMORY, "no memory for the animation");
    if (rc == 0 && (!put_head(gif, sequence, &quantizer) || !put_frames(gif, sequence, &quantizer, row)))
        rc = err_set(err, ERR_INTERNAL, "giflib failed: %s", GifErrorString(gif->Error));
    if (gif != NULL && EGifCloseFile(gif, &failure) != GIF_OK && rc == 0)
        rc = err_set(err, ERR_INTERNAL, "giflib failed at the end: %s", GifErrorString(failure));
    free(row);
    quantizer_fini(&quantizer);
    return rc;
}

#define TEXT_OF(macro) TEXT(macro)
#define TEXT(words)    #words

const char *image_sequence_gif_library(void)
{
    return "giflib " TEXT_OF(GIFLIB_MAJOR) "." TEXT_OF(GIFLIB_MINOR) "." TEXT_OF(GIFLIB_RELEASE);
}

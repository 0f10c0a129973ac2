#include "render/image/image_sequence.h"

#include <string.h>

const uint8_t *image_sequence_frame(const struct image_sequence *sequence, uint32_t frame)
{
    return sequence->pixels + (size_t)frame * sequence->width * sequence->height * 4;
}

struct image_rect image_sequence_changed(const struct image_sequence *sequence, uint32_t frame)
{
    const uint8_t *now = image_sequence_frame(sequence, frame), *before = image_sequence_frame(sequence, frame - 1);
    const size_t row_bytes = (size_t)sequence->width * 4;
    uint32_t left = sequence->width, right = 0, top = sequence->height, bottom = 0;
    for (uint32_t y = 0; y < sequence->height; y++, now += row_bytes, before += row_bytes) {
        if (memcmp(now, before, row_bytes) == 0)
            continue;
        uint32_t first = 0, last = sequence->width - 1;
        while (memcmp(now + 4 * (size_t)first, before + 4 * (size_t)first, 4) == 0)
            first++;
        while (memcmp(now + 4 * (size_t)last, before + 4 * (size_t)last, 4) == 0)
            last--;
        left = first < left ? first : left;
        right = last > right ? last : right;
        top = y < top ? y : top;
        bottom = y;
    }
    if (left > right)
        return (struct image_rect){0, 0, 1, 1};
    return (struct image_rect){left, top, right - left + 1, bottom - top + 1};
}

int image_sequence_put(struct buf *out, enum sheet_format format, const struct image_sequence *sequence,
                       struct err *err)
{
    static int (*const WRITERS[SHEET_FORMAT_COUNT])(struct buf *, const struct image_sequence *, struct err *) = {
        [SHEET_APNG] = image_sequence_put_apng,
        [SHEET_GIF] = image_sequence_put_gif,
        [SHEET_WEBP] = image_sequence_put_webp,
        [SHEET_Y4M] = image_sequence_put_y4m,
    };
    if (WRITERS[format] == NULL)
        return err_set(err, ERR_BAD_PARAMETER, "format %d is no animation", format);
    const int rc = WRITERS[format](out, sequence, err);
    return rc == 0 && buf_failed(out) ? err_set(err, ERR_NO_MEMORY, "no memory for the animation's file") : rc;
}

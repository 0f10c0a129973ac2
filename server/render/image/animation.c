#include "render/image/animation.h"

#include <string.h>

const uint8_t *animation_frame(const struct animation *animation, uint32_t frame)
{
    return animation->pixels + (size_t)frame * animation->width * animation->height * 4;
}

struct animation_rect animation_changed(const struct animation *animation, uint32_t frame)
{
    const uint8_t *now = animation_frame(animation, frame), *before = animation_frame(animation, frame - 1);
    const size_t row_bytes = (size_t)animation->width * 4;
    uint32_t left = animation->width, right = 0, top = animation->height, bottom = 0;
    for (uint32_t y = 0; y < animation->height; y++, now += row_bytes, before += row_bytes) {
        if (memcmp(now, before, row_bytes) == 0)
            continue;
        uint32_t first = 0, last = animation->width - 1;
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
        return (struct animation_rect){0, 0, 1, 1};
    return (struct animation_rect){left, top, right - left + 1, bottom - top + 1};
}

int animation_put(struct buf *out, enum sheet_format format, const struct animation *animation, struct err *err)
{
    switch (format) {
    case SHEET_APNG:
        return animation_put_apng(out, animation, err);
    case SHEET_GIF:
        return animation_put_gif(out, animation, err);
    case SHEET_WEBP:
        return animation_put_webp(out, animation, err);
    default:
        return err_set(err, ERR_BAD_PARAMETER, "format %d is no animation", format);
    }
}

/* param_picture.c - how a picture is to look: its size, background, smoothness and file. */
#include "base/view.h"
#include "wire/request/request_parser.h"

#include <string.h>

int param_width(struct param_value *value)
{
    return param_count(value, value->limits->value[LIMIT_PICTURE_SIDE], &value->request->picture.width);
}

int param_height(struct param_value *value)
{
    return param_count(value, value->limits->value[LIMIT_PICTURE_SIDE], &value->request->picture.height);
}

static int hex_of(char c)
{
    const char *const digits = "0123456789abcdef0123456789ABCDEF";
    const char *at = c == '\0' ? NULL : strchr(digits, c);
    return at == NULL ? -1 : (int)(at - digits) % 16;
}

static bool read_color(const char *text, size_t size_bytes, uint8_t rgba[4])
{
    const char *const transparent = "transparent";
    if (size_bytes == strlen(transparent) && memcmp(text, transparent, size_bytes) == 0) {
        memset(rgba, 0, 4);
        return true;
    }
    if (size_bytes != 6 && size_bytes != 8)
        return false;
    rgba[3] = 255;
    for (size_t i = 0; i < size_bytes; i += 2) {
        const int high = hex_of(text[i]), low = hex_of(text[i + 1]);
        if (high < 0 || low < 0)
            return false;
        rgba[i / 2] = (uint8_t)(high * 16 + low);
    }
    return true;
}

int param_background(struct param_value *value)
{
    struct picture_spec *picture = &value->request->picture;
    const char *comma = memchr(value->text, ',', value->size_bytes), *end = value->text + value->size_bytes;
    const char *second = comma == NULL ? value->text : comma + 1;
    if (!read_color(value->text, (size_t)((comma == NULL ? end : comma) - value->text), picture->background) ||
        !read_color(second, (size_t)(end - second), picture->background_end))
        return param_bad(value, "transparent, RRGGBB or RRGGBBAA, or two of them with a comma between");
    return 0;
}

int param_view(struct param_value *value)
{
    const int word = param_word(value);
    value->request->picture.view = (uint32_t)word;
    return word;
}

int param_aa(struct param_value *value)
{
    bool is_smooth = true;
    const int rc = param_flag(value, &is_smooth);
    value->request->picture.flags |= is_smooth ? 0 : PICTURE_ONE_SAMPLE;
    return rc;
}

int param_shadow(struct param_value *value) { return param_bit(value, PICTURE_SHADOW, &value->request->picture.flags); }

int param_alpha(struct param_value *value)
{
    return param_bit(value, PICTURE_PREMULTIPLIED, &value->request->picture.flags);
}

int param_compression(struct param_value *value)
{
    return param_bit(value, PICTURE_SMALL_FILE, &value->request->picture.flags);
}

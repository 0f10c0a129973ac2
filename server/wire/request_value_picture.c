/* request_value_picture.c - how a picture is to look: its size, camera and background. */
#include "../base/view.h"
#include "query.h"
#include "request_parts.h"
#include "request_values.h"

#include <string.h>

int value_width(struct value *value)
{
    return value_count(value, value->limits->value[LIMIT_PICTURE_SIDE], &value->request->picture.width);
}

int value_height(struct value *value)
{
    return value_count(value, value->limits->value[LIMIT_PICTURE_SIDE], &value->request->picture.height);
}

static int hex_of(char c)
{
    const char *const digits = "0123456789abcdef0123456789ABCDEF";
    const char *at = c == '\0' ? NULL : strchr(digits, c);
    return at == NULL ? -1 : (int)(at - digits) % 16;
}

int value_background(struct value *value)
{
    uint8_t *rgba = value->request->picture.background;
    if (strcmp(value->text, "transparent") == 0)
        return 0;
    if (value->size_bytes != 6 && value->size_bytes != 8)
        return value_bad(value, "transparent, RRGGBB or RRGGBBAA");
    rgba[3] = 255;
    for (size_t i = 0; i < value->size_bytes; i += 2) {
        const int high = hex_of(value->text[i]), low = hex_of(value->text[i + 1]);
        if (high < 0 || low < 0)
            return value_bad(value, "transparent, RRGGBB or RRGGBBAA");
        rgba[i / 2] = (uint8_t)(high * 16 + low);
    }
    return 0;
}

int value_view(struct value *value)
{
    char list[VIEW_LIST_SIZE];
    for (uint32_t v = 0; v < VIEW_COUNT; v++)
        if (strcmp(value->text, VIEW_INFO[v].word) == 0) {
            value->request->picture.view = v;
            return 0;
        }
    return value_bad(value, view_list(false, list));
}

int value_yaw(struct value *value)
{
    return query_double(value->text, &value->request->picture.yaw_deg) ? 0
                                                                       : value_bad(value, "a finite number of degrees");
}

int value_pitch(struct value *value)
{
    double *pitch = &value->request->picture.pitch_deg;
    return query_double(value->text, pitch) && *pitch >= -90 && *pitch <= 90
               ? 0
               : value_bad(value, "a number of degrees from -90 to 90");
}

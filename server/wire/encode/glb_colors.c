#include "wire/encode/glb.h"

#include "anim/model/color.h"

#include <math.h>

/* Whether the byte shows the same of 256 levels of sRGB. Steps of bytes in linear light are coarser than these only
 * where it is dark. */
static bool is_byte_enough(uint16_t value)
{
    enum { DARK = UINT16_MAX / 4 };
    const uint8_t byte = unorm8_from_16(value);
    if (value == byte * 257 || value > DARK)
        return true;
    const float fine = srgb_from_linear((float)value / UINT16_MAX), coarse = srgb_from_linear((float)byte / UINT8_MAX);
    return fabsf(fine - coarse) < 0.5f / UINT8_MAX;
}

uint32_t glb_add_colors(struct glb_writer *glb, const struct rgba16 *colors, uint32_t count)
{
    struct buf *bytes = &glb->packed;
    buf_clear(bytes);
    for (uint32_t v = 0; v < count; v++) {
        const struct rgba8 color = rgba8_from_16(colors[v]);
        if (!is_byte_enough(colors[v].r) || !is_byte_enough(colors[v].g) || !is_byte_enough(colors[v].b))
            return glb_add(glb, GLB_FINE_COLOR, colors, count);
        buf_put(bytes, &color, sizeof color);
    }
    return buf_failed(bytes) ? GLB_NONE : glb_add(glb, GLB_COLOR, bytes->data, count);
}

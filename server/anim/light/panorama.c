/* panorama.c - samples an equirectangular picture. */
#include "anim/light/panorama.h"

#include "anim/light/rgbe.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

bool model_is_environment(const struct model *model)
{
    return model->texture_count == 1 && model->textures[0].content == TEXTURE_RADIANCE &&
           model->textures[0].state == TEXTURE_FOUND;
}

void panorama_init(struct panorama *panorama, const struct model *model, uint32_t width_max, double yaw_deg)
{
    const struct texture *texture = &model->textures[0];
    const uint8_t *level = model->pixels + texture->pixel_first;
    uint32_t width = texture->width, height = texture->height;
    while (width > width_max && width > 1) {
        level += 4 * (uint64_t)width * height;
        width /= 2;
        height = height > 1 ? height / 2 : 1;
    }
    *panorama = (struct panorama){.rgbe = level,
                                  .width = width,
                                  .height = height,
                                  .cos_yaw = cos(yaw_deg * PI / 180),
                                  .sin_yaw = sin(yaw_deg * PI / 180)};
}

static void add_pixel(const struct panorama *panorama, uint32_t x, uint32_t y, double share, double rgb[3])
{
    float pixel[3];
    rgbe_to_linear(panorama->rgbe + 4 * ((uint64_t)y * panorama->width + x), pixel);
    for (int c = 0; c < 3; c++)
        rgb[c] += share * (double)pixel[c];
}

void panorama_radiance(const void *context, const double d[3], double rgb[3])
{
    const struct panorama *panorama = context;
    const double x = d[0] * panorama->cos_yaw - d[2] * panorama->sin_yaw;
    const double z = d[0] * panorama->sin_yaw + d[2] * panorama->cos_yaw;
    const double width = panorama->width, height = panorama->height;
    double across = (atan2(z, x) / (2 * PI) + 0.5) * width - 0.5;
    if (across < 0)
        across += width;
    const double down = fmin(fmax((0.5 - asin(fmin(fmax(d[1], -1), 1)) / PI) * height - 0.5, 0), height - 1);
    const uint32_t left = (uint32_t)across % panorama->width, right = (left + 1) % panorama->width;
    const uint32_t top = (uint32_t)down, bottom = top + 1 < panorama->height ? top + 1 : top;
    const double to_right = across - floor(across), to_bottom = down - top;
    rgb[0] = rgb[1] = rgb[2] = 0;
    add_pixel(panorama, left, top, (1 - to_right) * (1 - to_bottom), rgb);
    add_pixel(panorama, right, top, to_right * (1 - to_bottom), rgb);
    add_pixel(panorama, left, bottom, (1 - to_right) * to_bottom, rgb);
    add_pixel(panorama, right, bottom, to_right * to_bottom, rgb);
}

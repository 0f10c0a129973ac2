/* panorama.h - light from all around as an equirectangular picture, as files of environments have it. Pure; any thread.
 *
 * The first row is up, +y. The direction x, y, z is at u = atan2(z, x) / 2 pi + 1/2 of the width from the left and at
 * v = 1/2 - asin(y) / pi of the height from the top, as three.js and Blender have it: the middle of the left half is at
 * -z, in front of the camera, and that of the right half at +z, behind it. */
#pragma once

#include "anim/model/model.h"

/* A level of a texture of TEXTURE_RADIANCE, borrowed, and how it hangs. */
struct panorama {
    const uint8_t *rgbe; /* [height][width][4] */
    uint32_t width, height;
    double cos_yaw, sin_yaw; /* it is turned about +y */
};

/* True when the model is an environment: then there is a panorama in it. */
bool model_is_environment(const struct model *model);

/* The panorama of a model that is an environment, as its largest level that is at most `width_max` wide. yaw_deg:
 * turned by this, anticlockwise as seen from above. */
void panorama_init(struct panorama *panorama, const struct model *model, uint32_t width_max, double yaw_deg);

/* The radiance from direction d, a unit vector: linear between the middles of pixels. An environment_radiance
 * (environment.h); context: a struct panorama. */
void panorama_radiance(const void *context, const double d[3], double rgb[3]);

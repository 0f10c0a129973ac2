/* panorama.h - light from all around as an equirectangular picture, as in environment files. Pure; any thread.
 *
 * The first row is up, +y. The direction x, y, z lies at u = atan2(z, x) / 2 pi + 1/2 of the width from the left and at
 * v = 1/2 - asin(y) / pi of the height from the top, as in three.js and Blender: the middle of the left half is at -z,
 * in front of the camera, and the middle of the right half at +z, behind it. */
#pragma once

#include "anim/model/model.h"

/* A borrowed level of a TEXTURE_RADIANCE texture, and the rotation of the panorama. */
struct panorama {
    const uint8_t *rgbe; /* [height][width][4] */
    uint32_t width, height;
    double cos_yaw, sin_yaw; /* of the rotation about +y */
};

/* True when the model is an environment, which has a panorama. */
bool model_is_environment(const struct model *model);

/* Takes the panorama from a model that is an environment: its largest level that is at most `width_max` wide. yaw_deg:
 * rotation, anticlockwise as seen from above. */
void panorama_init(struct panorama *panorama, const struct model *model, uint32_t width_max, double yaw_deg);

/* Computes the radiance from direction d, a unit vector, with linear interpolation between pixel centres. Its
 * type is environment_radiance (environment.h); context: a struct panorama. */
void panorama_radiance(const void *context, const double d[3], double rgb[3]);

/* pass_camera.h - the ray through the centre of a pixel, and the pixel of a point, for any projection. Pure; any
 * thread. Pixels are counted from the top left corner of the picture; whole numbers lie between pixels. */
#pragma once

#include "anim/camera/camera.h"

#include <stdbool.h>
#include <stdint.h>

/* A line in view space: points `from + s * along`, where `along` points away from the camera. */
struct pass_ray {
    double from[3], along[3];
};

struct pass_camera {
    struct dmat4 view_from_scene, clip_from_view;
    double width, height; /* of the picture, in pixels */
    struct pass_ray corner, right,
        down; /* the ray through the top left corner, and how it changes from pixel to pixel */
};

/* Sets the matrices of a camera. clip_from_view: its w depends on the depth alone, as in all of anim/camera/camera.h,
 * so rays change evenly over the picture. */
void pass_camera_init(struct pass_camera *camera, const struct dmat4 *view_from_scene,
                      const struct dmat4 *clip_from_view, uint32_t width, uint32_t height);

/* Returns the ray through a place of the picture. */
struct pass_ray pass_camera_ray(const struct pass_camera *camera, double x, double y);

/* Projects a point of view space to the picture. False: the point is not in front of the camera, and `pixel` is NaN. */
bool pass_camera_pixel(const struct pass_camera *camera, const double point[3], double pixel[2]);

/* camera_numbers.h - between a camera and its numbers for a picture of known size (base/picture/picture_camera.h).
 * Pure; any thread. */
#pragma once

#include "anim/camera/camera.h"
#include "base/picture/picture_camera.h"

/* Returns the numbers of a camera. */
struct picture_camera camera_numbers(const struct camera *camera, uint32_t width, uint32_t height);

/* Returns the camera of such numbers, with near and far, which picture_camera_check() accepts. The same numbers give
 * the same bits. */
struct camera camera_of_numbers(const struct picture_camera *numbers, uint32_t width, uint32_t height);

/* Sets near and far where they are 0: around the points, but in front of the camera. Points must be finite. */
void camera_numbers_hold(struct picture_camera *numbers, const struct vec3 *points, uint64_t point_count);

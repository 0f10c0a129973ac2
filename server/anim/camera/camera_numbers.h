/* camera_numbers.h - between a camera and its numbers for a picture of known size (base/picture/picture_camera.h).
 * Pure; any thread. */
#pragma once

#include "anim/camera/camera.h"
#include "base/err.h"
#include "base/picture/picture_camera.h"

/* Returns the numbers of a camera. */
struct picture_camera camera_numbers(const struct camera *camera, uint32_t width, uint32_t height);

/* Returns the camera of such numbers, with near and far, which camera_numbers_check() accepts. The same numbers give
 * the same bits. */
struct camera camera_of_numbers(const struct picture_camera *numbers, uint32_t width, uint32_t height);

/* Sets near and far where they are 0: around the points, but in front of the camera. Points must be finite. */
void camera_numbers_hold(struct picture_camera *numbers, const struct vec3 *points, uint64_t point_count);

/* Checks everything but the kind. Returns 0, or ERR_BAD_PARAMETER with a message that names the number as requests and
 * answers call it. */
int camera_numbers_check(const struct picture_camera *numbers, struct err *err);

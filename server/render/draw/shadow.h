/* shadow.h - the soft shadow of a model on the ground below it, as under a uniformly bright sky: dark where the model
 * touches the ground, lighter and wider below high parts. Pure; one thread per shadow.
 *
 * The ground is the plane through the lowest vertex, perpendicular to the model's up axis. Each triangle is drawn from
 * below into a height map. The map is split into layers by height, higher ones are blurred more, and all are combined.
 */
#pragma once

#include "base/err.h"
#include "render/pose/posed_model.h"

enum { SHADOW_SIDE = 128 };

struct shadow {
    float darkness[SHADOW_SIDE][SHADOW_SIDE]; /* 0..1 */
    double map_from_pixel[9];                 /* row-major homography; pixels have y down, their corners at integers */
    bool is_seen;                             /* the camera is above the ground */
    struct vec3 *points;                      /* skinned vertices, view space */
    uint64_t point_capacity;
};

/* Makes the shadow of a model after posed_model_set_camera(). Zero-initialise *shadow before the first call. Returns 0
 * or ERR_NO_MEMORY. */
int shadow_make(struct shadow *shadow, const struct model *model, const struct posed_model *posed, uint32_t width,
                uint32_t height, struct err *err);
/* Fills out[width * height], rows from the top, with how much darker the ground is at each pixel; 255 is black. */
void shadow_fill(const struct shadow *shadow, uint32_t width, uint32_t height, uint8_t *out);

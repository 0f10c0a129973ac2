/* pass_values.h - computes the passes of a picture from what each pixel shows. Pure; one thread.
 *
 * Everything is computed in double precision from the vertices of pass_surface.h: a pixel shows the place where the ray
 * through its centre meets the surface. */
#pragma once

#include "base/picture/pass.h"
#include "render/passes/pass_element.h"
#include "render/passes/visibility.h"

/* Arrays in the order of the rows from the top, PASS_INFO's type and components for each pixel; NULL where a pass is
 * not wanted. PASS_COLOR is not computed here. */
struct pass_arrays {
    void *of[PASS_COUNT];
};

struct pass_query {
    const struct visible *visible; /* [width * height] */
    uint32_t width, height;
    uint32_t variant;          /* of the picture */
    bool has_scene_normals;    /* normals are in scene space, not in that of the camera */
    struct pass_camera camera; /* of the picture */
};

/* Fills the arrays. Where nothing is shown, depth and position are infinite, indices -1, texture coordinates NaN, and
 * normal and motion 0. Returns how many pixels show something, or ERR_NO_MEMORY, ERR_NOT_FINITE or ERR_RENDER_FAILED.
 */
int64_t pass_values_fill(const struct pass_query *query, struct pass_surfaces *surfaces,
                         const struct pass_arrays *arrays, struct err *err);

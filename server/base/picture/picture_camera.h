/* picture_camera.h - a camera by its numbers: a pinhole without skew, or its counterpart without perspective, for a
 * picture of known size. Pure; any thread.
 *
 * A point X, Y, Z in the camera's space as OpenCV has it (x to the right, y down, z forward) is at
 *   perspective:  x = fx * X / Z + cx,  y = fy * Y / Z + cy
 *   orthographic: x = fx * X + cx,      y = fy * Y + cy
 * in pixels from the top left corner of the picture: whole numbers lie between pixels, so the centre of the first one
 * is at 0.5. OpenGL's space has y up and z backward. */
#pragma once

#include <stdint.h>

enum picture_camera_kind { PICTURE_CAMERA_NONE, PICTURE_CAMERA_PERSPECTIVE, PICTURE_CAMERA_ORTHOGRAPHIC };

/* Without padding: it is a part of struct picture_spec. */
struct picture_camera {
    uint32_t kind; /* enum picture_camera_kind */
    uint32_t reserved;
    double view_from_scene[16]; /* column-major, rigid; to the camera's space as OpenGL has it */
    double fx, fy;              /* pixels: of a length 1 at depth 1, or orthographic of a length 1; > 0 */
    double cx, cy;              /* pixels: where the camera's axis meets the picture, which may be beside it */
    double near, far;           /* depths along the axis; > 0, near < far. 0: not given */
};

/* Turns a rigid matrix to the camera's space of OpenGL into the one to that of OpenCV, or back. Exact. `out` may be
 * `matrix`. */
void picture_camera_turn(const double matrix[16], double out[16]);

/* The camera as arrays beside those of passes: its lens (a name for each kind), the matrix of each convention, and near
 * and far. */
enum { CAMERA_ARRAYS = 4 };
struct camera_array {
    const char *name;
    uint32_t rows, columns; /* rows 0: a list */
    double values[16];      /* row by row */
};
void picture_camera_arrays(const struct picture_camera *camera, struct camera_array out[CAMERA_ARRAYS]);
static inline uint32_t camera_array_numbers(const struct camera_array *array)
{
    return (array->rows > 0 ? array->rows : 1) * array->columns;
}

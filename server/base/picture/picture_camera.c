#include "base/picture/picture_camera.h"

#include <stdbool.h>

void picture_camera_turn(const double matrix[16], double out[16])
{
    for (int k = 0; k < 16; k++)
        out[k] = (k % 4 == 1 || k % 4 == 2 ? -matrix[k] : matrix[k]) + 0; /* avoids -0 */
}

static struct camera_array matrix_array(const char *name, const double matrix[16])
{
    struct camera_array array = {.name = name, .rows = 4, .columns = 4};
    for (int k = 0; k < 16; k++)
        array.values[k] = matrix[k % 4 * 4 + k / 4];
    return array;
}

/* With perspective K, 3 x 3, maps X, Y, Z to x, y times the depth. Otherwise A, 2 x 3, maps X, Y, 1 to x, y. */
void picture_camera_arrays(const struct picture_camera *camera, struct camera_array out[CAMERA_ARRAYS])
{
    const bool is_flat = camera->kind == PICTURE_CAMERA_ORTHOGRAPHIC;
    double opencv[16];
    picture_camera_turn(camera->view_from_scene, opencv);
    out[0] = (struct camera_array){.name = is_flat ? "camera_affine" : "camera_k",
                                   .rows = is_flat ? 2 : 3,
                                   .columns = 3,
                                   .values = {camera->fx, 0, camera->cx, 0, camera->fy, camera->cy, 0, 0, 1}};
    out[1] = matrix_array("camera_from_scene_opencv", opencv);
    out[2] = matrix_array("camera_from_scene_opengl", camera->view_from_scene);
    out[3] = (struct camera_array){.name = "near_far", .columns = 2, .values = {camera->near, camera->far}};
}

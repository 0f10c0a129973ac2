/* gltf_camera.c - cameras, each at the node that has it (glTF 2.0, 3.10). */
#include "import/gltf/gltf.h"

#include <math.h>
#include <string.h>

static float positive(const cJSON *json, const char *name)
{
    return (float)fabs(json_number(json, name, 0)); /* of an orthographic camera's sizes only the amount counts */
}

/* False: the numbers are none that a camera can have. */
static bool read_view(const cJSON *json, struct model_camera *camera)
{
    const char *type = json_text(json, "type");
    if (strcmp(type, "perspective") == 0) {
        const cJSON *view = json_member(json, "perspective");
        camera->kind = CAMERA_PERSPECTIVE;
        camera->height = (float)json_number(view, "yfov", 0);
        camera->width = (float)json_number(view, "aspectRatio", 0);
        camera->z_near = (float)json_number(view, "znear", 0);
        camera->z_far = (float)json_number(view, "zfar", 0);
        return camera->height > 0 && camera->height < 3.14f && camera->width >= 0 && camera->z_near > 0 &&
               (camera->z_far > camera->z_near || json_member(view, "zfar") == NULL) && isfinite(camera->width) &&
               isfinite(camera->z_near) && isfinite(camera->z_far);
    }
    const cJSON *view = json_member(json, "orthographic");
    camera->kind = CAMERA_ORTHOGRAPHIC;
    camera->height = positive(view, "ymag");
    camera->width = positive(view, "xmag");
    camera->z_near = (float)json_number(view, "znear", -1);
    camera->z_far = (float)json_number(view, "zfar", 0);
    return strcmp(type, "orthographic") == 0 && camera->height > 0 && camera->width > 0 && camera->z_near >= 0 &&
           camera->z_far > camera->z_near && isfinite(camera->height) && isfinite(camera->width) &&
           isfinite(camera->z_far);
}

int gltf_read_cameras(struct gltf *gltf, struct err *err)
{
    for (uint32_t n = 0; n < gltf->builder->node_count; n++) {
        const int64_t index = json_index(gltf_item(gltf, GLTF_NODES, n), "camera");
        if (index < 0)
            continue;
        const cJSON *json = gltf_item(gltf, GLTF_CAMERAS, (uint32_t)index);
        const char *name = json_text(json, "name");
        struct model_camera camera = {.node = n};
        if (!read_view(json, &camera)) {
            bake_warn(gltf->builder, "camera_ignored", "cameras[%u] has a view that no camera can have",
                      (unsigned)index);
            continue;
        }
        camera.name = name != NULL ? bake_textz(gltf->builder, name) : gltf->builder->nodes[n].name;
        struct model_camera *added = bake_add_camera(gltf->builder, 1);
        if (added == NULL)
            return gltf_full(gltf, err);
        *added = camera;
    }
    return 0;
}

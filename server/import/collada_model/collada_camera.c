/* collada_camera.c - cameras, each at the node that instances it. COLLADA 1.4.1, <optics>. */
#include "import/collada_model/collada_model.h"

#include <math.h>

static const double RAD_PER_DEGREE = 3.14159265358979323846 / 180;

/* False: the view has no such number. */
static bool number_of(const struct xml *xml, uint32_t view, const char *tag, double *out)
{
    const uint32_t element = xml_child(xml, view, tag);
    *out = 0;
    return element != XML_NONE && values_fixed(xml_text(xml, element), out, 1) == 1;
}

/* A file gives one or two of the horizontal size, the vertical size and their ratio; the third follows from them. With
 * `is_angle` the sizes are field-of-view angles, computed as tangents of the half angles. */
static bool read_sides(const struct xml *xml, uint32_t view, const char *x_tag, const char *y_tag, bool is_angle,
                       double *x, double *y, double *aspect)
{
    bool has_x = number_of(xml, view, x_tag, x), has_y = number_of(xml, view, y_tag, y);
    *x = is_angle ? tan(*x * RAD_PER_DEGREE / 2) : *x;
    *y = is_angle ? tan(*y * RAD_PER_DEGREE / 2) : *y;
    const bool has_aspect = number_of(xml, view, "aspect_ratio", aspect) && *aspect > 0;
    if (has_x && !has_y && has_aspect)
        *y = *x / *aspect;
    else if (has_x && !has_y)
        *y = *x;
    else if (!has_x && has_y && has_aspect)
        *x = *y * *aspect;
    if (!has_aspect)
        *aspect = has_x && has_y && *y > 0 ? *x / *y : 0;
    return has_x || has_y;
}

/* False: no camera can have these numbers. */
static bool read_view(const struct xml *xml, uint32_t element, struct model_camera *camera)
{
    const uint32_t common = xml_child(xml, xml_child(xml, element, "optics"), "technique_common");
    const uint32_t lens = xml_child(xml, common, "perspective"), box = xml_child(xml, common, "orthographic");
    double x, y, aspect, z_near, z_far;
    number_of(xml, lens != XML_NONE ? lens : box, "znear", &z_near);
    number_of(xml, lens != XML_NONE ? lens : box, "zfar", &z_far);
    camera->facing = CAMERA_FACING_MINUS_Z;
    camera->z_near = (float)z_near;
    camera->z_far = z_far > z_near && isfinite((float)z_far) ? (float)z_far : 0;
    if (lens != XML_NONE && read_sides(xml, lens, "xfov", "yfov", true, &x, &y, &aspect)) {
        camera->kind = CAMERA_PERSPECTIVE;
        camera->height = (float)(2 * atan(y));
        camera->width = (float)aspect;
        return camera->height > 0 && camera->height < 3.14f && camera->width >= 0 && isfinite(camera->width) &&
               camera->z_near > 0 && isfinite(camera->z_near);
    }
    if (box == XML_NONE || !read_sides(xml, box, "xmag", "ymag", false, &x, &y, &aspect))
        return false;
    camera->kind = CAMERA_ORTHOGRAPHIC;
    camera->height = (float)y;
    camera->width = (float)(x > 0 ? x : y);
    camera->z_near = camera->z_near > 0 ? camera->z_near : 0;
    return camera->height > 0 && camera->width > 0 && isfinite(camera->height) && isfinite(camera->width) &&
           camera->z_far > camera->z_near;
}

int collada_read_cameras(struct collada_model *model, struct err *err)
{
    const struct xml *xml = &model->collada.xml;
    for (uint32_t n = 0; n < model->collada.node_count; n++)
        for (uint32_t e = xml_child(xml, model->collada.nodes[n].element, "instance_camera"); e != XML_NONE;
             e = xml_next(xml, e, "instance_camera")) {
            const uint32_t element = xml_follow(xml, e, "url", "camera");
            const char *name = element == XML_NONE ? NULL : xml_get(xml, element, "name");
            struct model_camera camera = {.node = n, .name = model->builder->nodes[n].name};
            if (!xml_is(xml, element, "camera") || !read_view(xml, element, &camera)) {
                bake_warn(model->builder, "camera_ignored", "the camera on line %u has a view that no camera can have",
                          xml_line(xml, element != XML_NONE ? element : e));
                continue;
            }
            if (name != NULL && name[0] != '\0')
                camera.name = bake_textz(model->builder, name);
            if (import_put_camera(model->import, &camera, err) < 0)
                return err->code;
        }
    return 0;
}

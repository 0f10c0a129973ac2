#include "render/passes/pass_element.h"

#include "base/mem.h"

#include <stdlib.h>

/* --- loading --- */

static void load_corner(struct pass_element *element, const struct pass_surfaces *surfaces, int corner,
                        const struct dmat4 *view_from_scene)
{
    const struct pass_surface *surface = element->surface;
    const struct model *model = surfaces->model;
    const uint32_t vertex = element->corners[corner];
    const bool has_texcoords =
        surface->draw != NULL && (model->primitives[surface->draw->primitive].flags & PRIMITIVE_TEXCOORDS) != 0;
    memcpy(element->scene[corner], DOUBLE3(surface->positions[vertex]), sizeof element->scene[corner]);
    memcpy(element->normals[corner], DOUBLE3(surface->normals[vertex]), sizeof element->normals[corner]);
    if (surface->later != NULL)
        memcpy(element->later[corner], DOUBLE3(surface->later[vertex]), sizeof element->later[corner]);
    dmat4_point(view_from_scene, element->scene[corner], element->view[corner]);
    for (int i = 0; i < 2; i++)
        element->texcoords[corner][i] = !has_texcoords ? (double)NAN
                                        : i == 0       ? (double)model->texcoords[surface->vertex_first + vertex].x
                                                       : (double)model->texcoords[surface->vertex_first + vertex].y;
}

static void find_face(struct pass_element *element)
{
    double one[3], other[3];
    for (int i = 0; i < 3; i++) {
        one[i] = element->view[1][i] - element->view[0][i];
        other[i] = element->view[2][i] - element->view[0][i];
    }
    cross3(one, other, element->face);
}

/* Adds what moves a corner. Returns ERR_NO_MEMORY on failure. */
static int add_joint(struct pass_element *element, uint32_t node, int corner, double weight, struct err *err)
{
    uint64_t j = 0;
    while (j < element->joint_count && element->joints[j].node != node)
        j++;
    if (j == element->joint_count) {
        if (j == element->joint_capacity && !mem_try_resize(&element->joints, 2 * j + 16, sizeof *element->joints))
            return err_set(err, ERR_NO_MEMORY, "no memory for the joints of a triangle");
        if (j == element->joint_capacity)
            element->joint_capacity = 2 * j + 16;
        element->joints[element->joint_count++] = (struct pass_joint){.node = node};
    }
    element->joints[j].weights[corner] += weight;
    return 0;
}

/* A vertex without influences follows joint 0 of its skin (anim/model/model.h). */
static int load_joints(struct pass_element *element, const struct model *model, struct err *err)
{
    const struct pass_surface *surface = element->surface;
    element->joint_count = 0;
    if (surface->draw == NULL)
        return 0;
    const struct joint *joints = model->joints + model->skins[surface->draw->skin].joint_first;
    for (uint32_t c = 0; c < element->corner_count; c++) {
        const uint32_t *first = model->influence_firsts + surface->vertex_first + element->corners[c];
        if (first[0] == first[1] && add_joint(element, joints[0].node, (int)c, 1, err) < 0)
            return err->code;
        for (uint32_t i = first[0]; i < first[1]; i++)
            if (add_joint(element, joints[model->influences[i].joint].node, (int)c, (double)model->influences[i].weight,
                          err) < 0)
                return err->code;
    }
    return 0;
}

/* Finds the indices of the element's corners, and what it belongs to. */
static void name_element(struct pass_element *element, const struct pass_surfaces *surfaces, uint32_t index,
                         uint32_t variant)
{
    const struct model *model = surfaces->model;
    const struct draw *draw = element->surface->draw;
    element->mesh = element->material = -1;
    element->is_flat = false;
    element->corner_count = 3;
    if (draw == NULL) {
        for (uint32_t c = 0; c < 3; c++)
            element->corners[c] = 3 * index + c;
        element->node = (int32_t)surfaces->posed->skeleton.nodes[3 * index];
        return;
    }
    const struct primitive *primitive = &model->primitives[draw->primitive];
    element->corner_count = primitive_corner_count(primitive);
    for (uint32_t c = 0; c < element->corner_count; c++)
        element->corners[c] = model->indices[primitive->index_first + (uint64_t)index * element->corner_count + c];
    element->node = (int32_t)draw->node;
    element->mesh = (int32_t)primitive->mesh;
    element->material = model_material(model, draw->primitive, variant);
    element->is_flat = (primitive->flags & PRIMITIVE_FLAT) != 0;
}

int pass_element_load(struct pass_element *element, struct pass_surfaces *surfaces, uint32_t number, uint32_t index,
                      uint32_t variant, const struct dmat4 *view_from_scene, bool has_joints, struct err *err)
{
    struct pass_surface *surface = pass_surface_get(surfaces, number, err);
    if (surface == NULL)
        return err->code;
    element->surface = surface;
    name_element(element, surfaces, index, variant);
    for (uint32_t c = 0; c < element->corner_count; c++) {
        pass_surface_pose(surfaces, surface, element->corners[c]);
        load_corner(element, surfaces, (int)c, view_from_scene);
    }
    if (element->corner_count == 3)
        find_face(element);
    return has_joints ? load_joints(element, surfaces->model, err) : 0;
}

int pass_element_load_visible(struct pass_element *element, struct pass_surfaces *surfaces, struct visible visible,
                              uint32_t variant, const struct dmat4 *view_from_scene, bool has_joints, struct err *err)
{
    const struct posed_model *posed = surfaces->posed;
    const struct model *model = surfaces->model;
    const bool is_known = visible.number >= 1 && visible.number <= surfaces->surface_count;
    const struct primitive *primitive =
        is_known && posed->draw_count > 0
            ? &model->primitives[model->draws[posed->draws[visible.number - 1].draw].primitive]
            : NULL;
    const uint32_t count = primitive != NULL ? primitive->index_count / primitive_corner_count(primitive)
                                             : posed->skeleton.vertex_count / 3;
    if (!is_known || visible.element >= count)
        return err_set(err, ERR_RENDER_FAILED, "the driver drew element %u of surface %u, which does not exist",
                       visible.element, visible.number);
    return pass_element_load(element, surfaces, visible.number - 1, visible.element, variant, view_from_scene,
                             has_joints, err);
}

void pass_element_fini(struct pass_element *element)
{
    free(element->joints);
    *element = (struct pass_element){0};
}

/* --- the place that a ray shows --- */

/* Sets negative weights to 0, and the sum to 1. */
static void clamp(double weights[3])
{
    double sum = 0;
    for (int c = 0; c < 3; c++) {
        weights[c] = weights[c] > 0 ? weights[c] : 0; /* not NaN */
        sum += weights[c];
    }
    for (int c = 0; c < 3; c++)
        weights[c] = sum > 0 && isfinite(sum) ? weights[c] / sum : 1.0 / 3;
}

/* The signed volumes of the ray's tetrahedra with the edges are the barycentric coordinates of where it meets the plane
 * (Kensler and Shirley 2006, Optimizing Ray-Triangle Intersection via Automated Search). */
static void weigh_triangle(const struct pass_element *element, const struct pass_ray *ray, double weights[3])
{
    double away[3][3], across[3];
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++)
            away[c][i] = element->view[c][i] - ray->from[i];
    for (int c = 0; c < 3; c++) {
        cross3(away[(c + 1) % 3], away[(c + 2) % 3], across);
        weights[c] = dot3(ray->along, across);
    }
    if (weights[0] + weights[1] + weights[2] < 0)
        for (int c = 0; c < 3; c++)
            weights[c] = -weights[c];
    clamp(weights);
}

/* The nearest points of two lines (Ericson 2005, Real-Time Collision Detection, 5.1.8). */
static void weigh_line(const struct pass_element *element, const struct pass_ray *ray, double weights[3])
{
    double along[3], away[3];
    for (int i = 0; i < 3; i++) {
        along[i] = element->view[1][i] - element->view[0][i];
        away[i] = element->view[0][i] - ray->from[i];
    }
    const double a = dot3(along, along), b = dot3(along, ray->along), e = dot3(ray->along, ray->along);
    const double scale = a * e - b * b;
    const double share = scale > 0 ? (b * dot3(ray->along, away) - e * dot3(along, away)) / scale : 0.5;
    weights[1] = share > 0 ? fmin(share, 1) : 0;
    weights[0] = 1 - weights[1];
    weights[2] = 0;
}

void pass_element_weigh(const struct pass_element *element, const struct pass_ray *ray, double weights[3])
{
    if (element->corner_count == 3) {
        weigh_triangle(element, ray, weights);
    } else if (element->corner_count == 2) {
        weigh_line(element, ray, weights);
    } else {
        weights[0] = 1;
        weights[1] = weights[2] = 0;
    }
}

int32_t pass_element_joint(const struct pass_element *element, const double weights[3])
{
    int32_t node = element->surface->draw == NULL ? element->node : -1;
    double most = -(double)INFINITY;
    for (uint64_t j = 0; j < element->joint_count; j++) {
        const struct pass_joint *joint = &element->joints[j];
        double sum = 0;
        for (uint32_t c = 0; c < element->corner_count; c++)
            sum += weights[c] * joint->weights[c];
        if (sum > most || (sum == most && (int32_t)joint->node < node)) {
            most = sum;
            node = (int32_t)joint->node;
        }
    }
    return node;
}

/* pass_element.h - a triangle, line or point that a picture shows, and the place on it that a pixel shows. Pure; one
 * thread. */
#pragma once

#include "render/passes/pass_camera.h"
#include "render/passes/pass_surface.h"
#include "render/passes/visibility.h"

/* What moves a corner of an element: weights of one node, for each corner. */
struct pass_joint {
    uint32_t node;
    double weights[3];
};

struct pass_element {
    const struct pass_surface *surface;
    int32_t node, mesh, material;   /* indices, or -1 */
    uint32_t corner_count;          /* 3, 2 or 1 */
    uint32_t corners[3];            /* vertices of the surface */
    double scene[3][3], view[3][3]; /* positions of the corners */
    double normals[3][3];           /* of the corners, scene space; unit length */
    double later[3][3];             /* positions at t2, scene space */
    double texcoords[3][2];         /* NaN without any */
    double face[3];                 /* normal of a triangle in view space, any length */
    bool is_flat;                   /* its normal is that of the triangle */
    struct pass_joint *joints;      /* [joint_count] */
    uint64_t joint_count, joint_capacity;
};

/* Fills *element, which was zero or holds another one, and whose joints are made if asked for. variant: of the picture.
 * ERR_NO_MEMORY or ERR_NOT_FINITE. */
int pass_element_load(struct pass_element *element, struct pass_surfaces *surfaces, uint32_t number, uint32_t index,
                      uint32_t variant, const struct dmat4 *view_from_scene, bool has_joints, struct err *err);
/* The same for what a pixel shows. It comes from the driver, so it is checked: ERR_RENDER_FAILED where there is no such
 * element. */
int pass_element_load_visible(struct pass_element *element, struct pass_surfaces *surfaces, struct visible visible,
                              uint32_t variant, const struct dmat4 *view_from_scene, bool has_joints, struct err *err);
void pass_element_fini(struct pass_element *element);

/* Finds the place that a ray shows: weights of the corners, whose sum is 1. Of a triangle it is where the ray meets its
 * plane, moved to its edge where rounding puts that outside; of a line the place nearest to the ray. */
void pass_element_weigh(const struct pass_element *element, const struct pass_ray *ray, double weights[3]);

/* Returns the node that moves a place most: by the sum of its weights at the corners, each times the corner's own
 * weight. Of equals the smaller index wins. -1: there is none. */
int32_t pass_element_joint(const struct pass_element *element, const double weights[3]);

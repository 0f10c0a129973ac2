#include "render/passes/keypoints.h"

#include "base/sort.h"

#include <math.h>

/* The state of a search. */
struct keypoint_search {
    const struct keypoint_query *query;
    struct pass_surfaces *surfaces;
    struct pass_element element; /* that a pixel shows */
    struct pass_element own; /* the triangle of a point of a surface, in view space; corner_count 0: another point */
};

bool keypoint_of_nodes(const struct render_point *point, const struct pose *pose, double scene[3])
{
    if (point->kind == RENDER_POINT_NODE) {
        dmat4_point(&pose->scene_from_node[point->first], point->place, scene);
        return true;
    }
    if (point->kind != RENDER_POINT_BETWEEN)
        return false;
    for (int i = 0; i < 3; i++)
        scene[i] = (pose->scene_from_node[point->first].m[12 + i] + pose->scene_from_node[point->second].m[12 + i]) / 2;
    return true;
}

/* Returns the surface of a draw that is shown, or UINT32_MAX. visibility_draw() has sorted them. */
static uint32_t find_surface(const struct pass_surfaces *surfaces, uint32_t draw)
{
    const struct posed_model *posed = surfaces->posed;
    const uint32_t number = LOWER_BOUND(posed->draws, posed->draw_count, draw, draw);
    return number < posed->draw_count && posed->draws[number].draw == draw ? number : UINT32_MAX;
}

/* Returns 1 with the place of a point of a surface, in scene space, 0 when the surface is not shown, or an error. */
static int find_on_surface(struct keypoint_search *search, const struct render_point *point, double scene[3],
                           struct err *err)
{
    const struct keypoint_query *query = search->query;
    const uint32_t number = find_surface(search->surfaces, point->first);
    if (number == UINT32_MAX)
        return 0;
    if (pass_element_load(&search->own, search->surfaces, number, point->second, query->variant,
                          &query->camera.view_from_scene, false, err) < 0)
        return err->code;
    for (int i = 0; i < 3; i++) {
        scene[i] = 0;
        for (int c = 0; c < 3; c++)
            scene[i] += point->place[c] * search->own.scene[c][i];
    }
    return 1;
}

/* --- the drawn surface --- */

/* Returns the depth of an element at a place of the picture: that of its plane, but not beyond its corners. */
static double depth_at(const struct keypoint_search *search, const struct pass_element *element, double x, double y)
{
    const struct pass_ray ray = pass_camera_ray(&search->query->camera, x, y);
    double weights[3], depth = 0, least = (double)INFINITY, most = -(double)INFINITY;
    for (uint32_t c = 0; c < element->corner_count; c++) {
        least = fmin(least, -element->view[c][2]);
        most = fmax(most, -element->view[c][2]);
    }
    const double across = element->corner_count == 3 ? dot3(element->face, ray.along) : 0;
    if (fabs(across) > 0) {
        const double away[3] = {element->view[0][0] - ray.from[0], element->view[0][1] - ray.from[1],
                                element->view[0][2] - ray.from[2]};
        depth = -(ray.from[2] + dot3(element->face, away) / across * ray.along[2]);
    } else {
        pass_element_weigh(element, &ray, weights);
        for (uint32_t c = 0; c < element->corner_count; c++)
            depth -= weights[c] * element->view[c][2];
    }
    return fmin(fmax(depth, least), most);
}

/* True when the point lies behind what its pixel shows within half a pixel, and, if it is one of a surface, its
 * triangle does too at the pixel's centre. */
static bool is_behind(const struct keypoint_search *search, const struct render_keypoint *point)
{
    const double x = floor(point->pixel[0]) + 0.5, y = floor(point->pixel[1]) + 0.5;
    const double tolerance = search->query->tolerance;
    double farthest = point->drawn_depth;
    for (int i = 0; i < 4; i++)
        farthest = fmax(farthest, depth_at(search, &search->element, point->pixel[0] + (i % 2 == 0 ? -0.5 : 0.5),
                                           point->pixel[1] + (i < 2 ? -0.5 : 0.5)));
    if (point->depth <= farthest + tolerance)
        return false;
    return search->own.corner_count == 0 ||
           depth_at(search, &search->own, x, y) > depth_at(search, &search->element, x, y) + tolerance;
}

/* Compares a point within the picture with what its pixel shows. */
static int look(struct keypoint_search *search, struct render_keypoint *point, struct err *err)
{
    const struct keypoint_query *query = search->query;
    const size_t at = (size_t)point->pixel[1] * query->width + (size_t)point->pixel[0];
    double weights[3];
    if (query->visible[at].number == 0)
        return 0;
    if (pass_element_load_visible(&search->element, search->surfaces, query->visible[at], query->variant,
                                  &query->camera.view_from_scene, true, err) < 0)
        return err->code;
    const struct pass_ray ray = pass_camera_ray(&query->camera, point->pixel[0], point->pixel[1]);
    pass_element_weigh(&search->element, &ray, weights);
    point->drawn_joint = pass_element_joint(&search->element, weights);
    point->drawn_depth = depth_at(search, &search->element, point->pixel[0], point->pixel[1]);
    if (is_behind(search, point))
        point->state = RENDER_POINT_HIDDEN;
    return 0;
}

/* --- points --- */

static int find_one(struct keypoint_search *search, const struct render_point *from, struct render_keypoint *to,
                    struct err *err)
{
    const struct keypoint_query *query = search->query;
    double scene[3], view[3];
    *to = (struct render_keypoint){.pixel = {(double)NAN, (double)NAN},
                                   .depth = (double)NAN,
                                   .drawn_depth = (double)NAN,
                                   .state = RENDER_POINT_HIDDEN,
                                   .drawn_joint = -1};
    search->own.corner_count = 0;
    if (!keypoint_of_nodes(from, &search->surfaces->posed->pose, scene)) {
        const int rc = from->kind == RENDER_POINT_SURFACE ? find_on_surface(search, from, scene, err) : 0;
        if (rc <= 0)
            return rc;
    }
    dmat4_point(&query->camera.view_from_scene, scene, view);
    to->depth = -view[2];
    to->state = RENDER_POINT_OUTSIDE;
    if (!isfinite(to->depth) || !pass_camera_pixel(&query->camera, view, to->pixel))
        return isfinite(to->depth) ? 0 : err_set(err, ERR_NOT_FINITE, "a point is beyond numbers");
    const bool is_inside = to->depth > 0 && to->pixel[0] >= 0 && to->pixel[0] < query->width && to->pixel[1] >= 0 &&
                           to->pixel[1] < query->height;
    if (!is_inside)
        return 0;
    to->state = RENDER_POINT_VISIBLE;
    return look(search, to, err);
}

int keypoints_find(const struct keypoint_query *query, struct pass_surfaces *surfaces,
                   const struct render_point *points, uint32_t count, struct render_keypoint *out, struct err *err)
{
    struct keypoint_search search = {.query = query, .surfaces = surfaces};
    int rc = 0;
    for (uint32_t i = 0; i < count && rc == 0; i++) {
        rc = find_one(&search, &points[i], &out[i], err);
        if (rc < 0)
            err_prefix(err, "point %u", i);
    }
    pass_element_fini(&search.element);
    pass_element_fini(&search.own);
    return rc;
}

/* keypoints.h - where points of a posed model are in its picture, and whether they are seen. Pure; one thread.
 *
 * A point is seen where it does not lie behind the surface that its pixel shows. That surface is the one at the pixel's
 * centre, whose plane is continued to the point's own place in the picture. An edge may lie between the two places, so
 * the plane's farthest depth within half a pixel counts. A point of a surface is also seen where its own triangle,
 * continued to the centre, does not lie behind what is drawn there: on a convex edge the one comparison is wrong, on a
 * concave edge the other. Triangles are not continued beyond the depths of their corners. */
#pragma once

#include "render/passes/pass_element.h"
#include "render/passes/visibility.h"
#include "worker/render_job.h"

struct keypoint_query {
    const struct visible *visible; /* [width * height]: what the picture shows */
    uint32_t width, height;
    uint32_t variant;          /* of the picture */
    double tolerance;          /* scene units */
    struct pass_camera camera; /* of the picture */
};

/* Finds the place of a point that moves with nodes, in scene space. False: it is of another kind. */
bool keypoint_of_nodes(const struct render_point *point, const struct pose *pose, double scene[3]);

/* Fills out[count]. The points are those of job_points.h. A point of a surface that is not shown has no pixel and is
 * hidden. Returns 0, ERR_NO_MEMORY, ERR_NOT_FINITE or ERR_RENDER_FAILED. */
int keypoints_find(const struct keypoint_query *query, struct pass_surfaces *surfaces,
                   const struct render_point *points, uint32_t count, struct render_keypoint *out, struct err *err);

/* keypoints.h - where points of a posed model are in its picture, and whether they are seen. Pure; one thread.
 *
 * A point is seen where it does not lie behind the surface that its pixel shows. That surface is the one at the pixel's
 * centre, whose plane is continued to the point's own place in the picture. As an edge between two triangles may lie
 * between the two places, the point may lie as far back as this plane within half a pixel of it, but not farther than
 * the triangle's farthest corner, and by the tolerance of the query. */
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

/* point_resolve.h - finds in a model the points that a request for keypoints, or view=openpose, names. Pure; any
 * thread.
 */
#pragma once

#include "wire/encode/reply.h"
#include "wire/request/request.h"

enum point_kind { POINT_NONE, POINT_NODE, POINT_BETWEEN, POINT_SURFACE };

/* A point of the model. Texts are those of the model, the request, or static. */
struct resolved_point {
    enum point_kind kind;
    uint32_t first, second; /* node; two nodes; draw and triangle */
    double place[3];        /* in the node's space, or weights of the triangle's corners */
    const char *name;       /* name_bytes long, or NULL */
    size_t name_bytes;
};

/* Appends the request's points to `out` (struct resolved_point): joints, then those of the body, then those of
 * `points`. most: how many there may be. Returns 0, or the code of *reply: ERR_JOINT_NOT_FOUND, ERR_MESH_NOT_FOUND,
 * ERR_AMBIGUOUS_NAME, ERR_NO_HUMANOID, ERR_BAD_PARAMETER or ERR_TOO_MANY_FRAMES. */
int points_resolve(const struct request *request, const struct model *model, uint64_t most, struct buf *out,
                   struct reply *reply);

/* skeleton_mesh.h - a skeleton as triangles, for models that have nodes but no geometry (motion files).
 *
 * Pure; any thread. A bone runs from a node's parent to the node: a long octahedron, thick near its parent, as
 * animation programs draw it, and a small one at each joint. Bones are drawn for the nodes that a clip moves or a skin
 * uses, and for what hangs from them; in a model without any, for every node. */
#pragma once

#include "anim/pose/pose.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct skeleton_mesh {
    uint32_t vertex_count;            /* three a triangle */
    struct vec3 *positions, *normals; /* scene space */
    struct rgba8 *colors;             /* linear */
    uint32_t *nodes;                  /* which node moves the vertex: of a bone the one that it begins at */
    bool is_one_place;                /* no clip moves a node, no skin uses one, and all are at one place */
};

/* Builds the bones of an evaluated pose. movers: [mover_count], what has the clips: the model, or other models with its
 * nodes. skeleton_mesh_fini() frees them, also after a failure. vertex_count is 0 when there
 * are no nodes. Returns 0, ERR_NOT_FINITE or ERR_NO_MEMORY. */
int skeleton_mesh_init(struct skeleton_mesh *skeleton, const struct model *model, const struct model *const *movers,
                       uint32_t mover_count, const struct pose *pose, struct err *err);
void skeleton_mesh_fini(struct skeleton_mesh *skeleton);

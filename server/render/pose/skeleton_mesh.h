/* skeleton_mesh.h - a skeleton as triangles, for models that have nodes but no geometry (motion files).
 *
 * Pure; any thread. A bone runs from a node's parent to the node: a long octahedron, thick near its parent, as
 * animation programs draw it, and a small one at each joint. Bones are drawn for nodes that a clip moves or a skin
 * uses, and for their descendants; in a model without such nodes, for every node. */
#pragma once

#include "anim/pose/pose.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct skeleton_mesh {
    uint32_t vertex_count;            /* three per triangle */
    struct vec3 *positions, *normals; /* scene space */
    struct rgba8 *colors;             /* linear */
    uint32_t *nodes;                  /* node that moves the vertex; for a bone the node where it begins */
    bool is_one_place;                /* no clip moves a node, no skin uses one, and all are at one place */
};

/* Builds the bones of an evaluated pose. movers: [mover_count], the models with the clips: the model, or other models
 * with its nodes. Free them with skeleton_mesh_fini(), also after a failure. vertex_count is 0 when there are no nodes.
 * Returns 0, ERR_NOT_FINITE or ERR_NO_MEMORY. */
int skeleton_mesh_init(struct skeleton_mesh *skeleton, const struct model *model, const struct model *const *movers,
                       uint32_t mover_count, const struct pose *pose, struct err *err);
void skeleton_mesh_fini(struct skeleton_mesh *skeleton);

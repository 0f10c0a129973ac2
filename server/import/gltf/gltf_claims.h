/* gltf_claims.h - which properties the channels of a clip animate already: of several channels, the first counts.
 * Single-threaded. */
#pragma once

#include "import/gltf/gltf.h"

/* The names of paths, by PATH_. */
extern const char *const GLTF_PATHS[];

/* Clips are counted from 1 here, so that zeros are no clip. */
struct gltf_claims {
    const struct gltf *gltf;
    uint32_t clip;
    uint32_t *of_path;   /* [node][PATH_COUNT + 1]: the last clip that animates all of it; then any single weight */
    uint32_t *of_weight; /* [weight]: the last clip that animates it alone */
    uint32_t *of_mesh, *of_mesh_weight; /* [mesh], [weight] of its first node: the same for channels of meshes */
    uint32_t *first_node, *next_node;   /* [mesh], [node]: the nodes that show a mesh with its own weights, each + 1 */
};

/* Call it once the builder has the nodes and their weights. */
void gltf_claims_init(struct gltf_claims *claims, const struct gltf *gltf);
void gltf_claims_fini(struct gltf_claims *claims);

/* Claims a property of target->node, or the weights of target->mesh for all nodes from gltf_claims_next() on. Returns
 * false with a warning that begins with `where` if a channel of the clip has claimed it before, or if there is none. */
bool gltf_claims_node(struct gltf_claims *claims, const struct gltf_target *target, const char *where);
bool gltf_claims_mesh(struct gltf_claims *claims, const struct gltf_target *target, const char *where);

/* Moves target->node, -1 at first, to the next node that shows target->mesh with the mesh's own weights. False: there
 * are no more. */
bool gltf_claims_next(const struct gltf_claims *claims, struct gltf_target *target);

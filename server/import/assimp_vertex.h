/* assimp_vertex.h - between the files that make a primitive: weights by vertex, and vertices that are the same. */
#pragma once

#include "assimp_parts.h"

/* Influences of vertex v: firsts[v]..firsts[v + 1] into entries; assimp has them by bone. Weights as in the file,
 * positive, or 0 where the bone has no node. Without bones: both NULL. */
struct vertex_weights {
    uint32_t *firsts; /* [vertex_count + 1] */
    struct influence *entries;
};

/* Which vertices are equal in everything that is baked. assimp's own joining ignores weights and morph targets. */
struct joined {
    uint32_t *sources; /* [count]: the first assimp vertex of each */
    uint32_t *places;  /* [vertex_count]: which of them an assimp vertex is */
    uint32_t count;
};

int assimp_weights(const struct assimp_job *job, const struct aiMesh *from, const struct skin_part *skin,
                   struct vertex_weights *out, struct err *err);
void assimp_weights_fini(struct vertex_weights *weights);
/* Adds the weights of the joined vertices, normalised. */
int assimp_influences(struct assimp_job *job, const struct aiMesh *from, const struct vertex_weights *weights,
                      const struct joined *joined, struct err *err);

/* `texcoords` are the UV sets that are baked, or NULL. Returns 0 or ERR_IMPORT_MEMORY. */
int assimp_join(const struct aiMesh *from, const struct aiVector3D *const texcoords[2],
                const struct vertex_weights *weights, struct joined *out, struct err *err);
void joined_fini(struct joined *joined);

/* mesh_arrays.h - adds a primitive to the model's arrays, vertex by vertex as it is stored, and repairs what the file
 * has wrong. All readers follow the same rules (protocol/formats.md, "What readers repair"): mesh_writer.h, which makes
 * vertices of polygons, and readers of formats with indexed vertices. Single-threaded.
 *
 * The order: mesh_add_vertices() and mesh_add_indices(), mesh_repair(), influences and morph targets, mesh_put(). The
 * primitive must be the model's next: from its first call on, the caller adds nothing for another. `where` names it in
 * messages. Functions return 0, ERR_MODEL_LIMIT or the error of import_full(). */
#pragma once

#include "import/source/import.h"

/* The number of elements to add to an array that the model has for all vertices or for none. The first primitive that
 * has some also fills those of earlier primitives. The positions of this primitive must be present already. */
uint32_t mesh_missing(const struct bake_builder *builder, uint32_t have, bool is_wanted);

/* Adds `count` vertices from primitive->vertex_first on: positions, normals, and the attributes in primitive->flags.
 * All are zeros, except that colours are white. An attribute that only other primitives have gets neutral values:
 * zeros, or white. */
int mesh_add_vertices(struct import *import, struct primitive *primitive, uint32_t count, const char *where,
                      struct err *err);

/* Adds `count` indices from primitive->index_first on. Returns NULL with *err set on failure. */
uint32_t *mesh_add_indices(struct import *import, struct primitive *primitive, uint64_t count, const char *where,
                           struct err *err);

/* Call after vertices and indices are filled. Moves each vertex with a non-finite position to one with a finite
 * position, and removes the triangles, lines or points that use it, with a warning. Sets other attributes that are not
 * finite to 0, with a warning. A normal that gives no direction, such as 0, becomes the mean of the adjoining
 * triangles' normals, weighted by angle, or +Z. */
void mesh_repair(struct import *import, struct primitive *primitive, const char *where);

/* Adds the primitive. Sets non-finite deltas of its morph targets to 0, with a warning. Warns of a surface that lacks
 * the texture coordinates of a texture of its material: it shows only one texel. */
int mesh_put(struct import *import, const struct primitive *primitive, const char *where, struct err *err);

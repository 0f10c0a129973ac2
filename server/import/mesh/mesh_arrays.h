/* mesh_arrays.h - the vertices and indices of a primitive in the arrays of the model. One policy for all readers
 * (protocol/formats.md, "What readers repair"). One thread.
 *
 * The primitive is the model's next: nothing has been added for another since its first call. `where` is what messages
 * call it. Functions return 0, ERR_MODEL_LIMIT or what import_full() does. */
#pragma once

#include "import/source/import.h"

/* How many elements an array needs that the model has for all vertices or for none: the first primitive that has some
 * fills up those before it. The positions of this one are there already. */
uint32_t mesh_missing(const struct bake_builder *builder, uint32_t have, bool is_wanted);

/* Room for `count` vertices, from primitive->vertex_first on: positions, normals, and the attributes that
 * primitive->flags names, all zeros; colours are white. A primitive without an attribute that others have gets what
 * changes nothing: zeros, and white. */
int mesh_add_vertices(struct import *import, struct primitive *primitive, uint32_t count, const char *where,
                      struct err *err);

/* Room for `count` indices, from primitive->index_first on. NULL: *err is set. */
uint32_t *mesh_add_indices(struct import *import, struct primitive *primitive, uint64_t count, const char *where,
                           struct err *err);

/* Once vertices and indices are filled: a vertex whose position is not finite moves to one that is, and the triangles,
 * lines or points at it are left out, with a warning. */
void mesh_leave_out_not_finite(struct import *import, struct primitive *primitive, const char *where);
/* Deltas that are not finite become 0, with a warning. */
void mesh_repair_deltas(struct import *import, uint32_t first, uint32_t count, const char *where);

/* Warns of a surface whose material has a texture, and which has no texture coordinates: the whole of it has one texel.
 */
void mesh_check_texcoords(struct import *import, const struct primitive *primitive, const char *where);

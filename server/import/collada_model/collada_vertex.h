/* collada_vertex.h - reads the attributes of face corners. One thread. */
#pragma once

#include "import/collada_mesh/collada_mesh.h"

#include "import/mesh/mesh_writer.h"

/* The sources of the attributes of a part's corners; NULL: the part lacks the attribute. */
struct collada_corners {
    const struct collada_mesh *mesh;
    const struct collada_part *part;
    const struct collada_input *normals, *colors, *tangents, *binormals, *uvs[2];
    const struct vec3 *made_normals; /* [corners of the part]: for corners without a normal in the file, or NULL */
    bool has_alpha;                  /* of the colours; files without alpha write 0 everywhere */
};

/* Fills all members except uvs, made_normals and tangents. */
void collada_corners_init(struct collada_corners *corners, const struct collada_mesh *mesh,
                          const struct collada_part *part);
struct mesh_vertex collada_vertex_of(const struct collada_corners *corners, uint32_t corner);
/* Reads the file's normal of a corner as a unit vector; false if it has none. */
bool collada_file_normal(const struct collada_part *part, const struct collada_input *normals, uint32_t corner,
                         double out[3]);
/* Computes normals for all parts of triangles: with hard edges by angle, or smooth everywhere if is_bent (a skin or a
 * morph deforms the mesh). Returns [part_count] arrays of [corners], each on the heap; NULL if the file has a normal
 * for every corner of the mesh. Coinciding positions count as one. */
struct vec3 **collada_make_normals(const struct collada_mesh *mesh, const uint32_t *first_points, bool is_bent);

/* collada_vertex.h - the attributes of faces' corners. One thread. */
#pragma once

#include "import/collada_mesh/collada_mesh.h"

#include "import/mesh/mesh_writer.h"

/* Where the attributes of a part's corners come from; NULL: it has none. */
struct collada_corners {
    const struct collada_mesh *mesh;
    const struct collada_part *part;
    const struct collada_input *normals, *colors, *tangents, *binormals, *uvs[2];
    const struct vec3 *made_normals; /* [corners of the part], for those without one in the file, or NULL */
    bool has_alpha;                  /* of the colours: all 0 is how files without alpha say it */
};

/* Everything but uvs, made_normals and tangents. */
void collada_corners_init(struct collada_corners *corners, const struct collada_mesh *mesh,
                          const struct collada_part *part);
struct mesh_vertex collada_vertex_of(const struct collada_corners *corners, uint32_t corner);
/* The file's normal of a corner, of length 1; false: it has none. */
bool collada_file_normal(const struct collada_part *part, const struct collada_input *normals, uint32_t corner,
                         double out[3]);
/* Normals for all parts of triangles, by angle or, of what a skin or a morph bends, smooth everywhere: [part_count] of
 * [corners], heap each; NULL where all corners of the mesh have one in the file. Positions at one place count as one.
 */
struct vec3 **collada_make_normals(const struct collada_mesh *mesh, const uint32_t *first_points, bool is_bent);

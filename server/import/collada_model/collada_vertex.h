/* collada_vertex.h - corners of faces to vertices: equal corners become one. One thread. */
#pragma once

#include "import/collada_mesh/collada_mesh.h"

#include "anim/model/model.h"

/* Everything that tells two corners of one position apart. No padding: compared as bytes. */
struct collada_vertex {
    uint32_t position;
    struct vec3 normal;
    struct vec2 texcoords[2]; /* rows of a texture go down */
    struct rgba8 color;
    struct vec4 tangent; /* as model.h has it */
    uint32_t morph;      /* tells corners apart whose normals differ in morph targets */
};

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
struct collada_vertex collada_vertex_of(const struct collada_corners *corners, uint32_t corner);
/* The file's normal of a corner, of length 1; false: it has none. */
bool collada_file_normal(const struct collada_part *part, const struct collada_input *normals, uint32_t corner,
                         double out[3]);
/* [point_count], heap: of each position the first one at the same place. */
uint32_t *collada_first_points(const struct collada_mesh *mesh);
/* Normals for all parts of triangles, by angle or, of what a skin or a morph bends, smooth everywhere: [part_count] of
 * [corners], heap each; NULL where all corners of the mesh have one in the file. Positions at one place count as one.
 */
struct vec3 **collada_make_normals(const struct collada_mesh *mesh, const uint32_t *first_points, bool is_bent);

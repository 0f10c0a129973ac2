/* assimp_mesh.h - between the files that make a primitive: influences, and vertices that are the same. */
#pragma once

#include "import/assimp/assimp.h"
#include "import/mesh/influences.h"
#include "import/mesh/vertex_set.h"

/* Which vertices are equal in everything that is baked. assimp's own joining ignores weights and morph targets. */
struct joined {
    uint32_t *sources; /* [count]: the first assimp vertex of each */
    uint32_t *places;  /* [vertex_count]: which of them an assimp vertex is */
    uint32_t count;
    struct vec3 *normals; /* [count], or NULL: the file has normals */
    uint32_t *corners;    /* [3 * mNumFaces]: vertices of triangles where `places` is not enough, or NULL */
};

/* Of points, lines and collapsed faces, which have none. */
#define ASSIMP_NO_NORMAL ((struct vec3){0, 0, 1})

/* The influences of assimp's vertices. influences_fini() is needed in any case. */
int assimp_weights(const struct assimp_job *job, const struct aiMesh *from, const struct shared_skin *skin,
                   struct influences *out, struct err *err);

/* `texcoords` are the UV sets that are baked, or NULL. */
void assimp_join(const struct aiMesh *from, const struct aiVector3D *const texcoords[2],
                 const struct influences *influences, struct joined *out);
/* Fills joined->normals where the mesh has none, or false ones: smooth ones, of all faces that meet at a place. */
void assimp_normals(const struct aiMesh *from, bool are_false, struct joined *joined);
/* After that, for meshes that no skin bends: makes several vertices, each with its normal, of those at edges, and fills
 * joined->corners. Nothing happens where there could be more than vertices_max of them. */
void assimp_edges(const struct aiMesh *from, uint64_t vertices_max, struct joined *joined);
/* [count of joined], heap: the first of the joined vertices at the same place; they differ in texture coordinates,
 * colours or weights. */
uint32_t *assimp_places(const struct aiMesh *from, const struct joined *joined);
/* Whether a face is a triangle of vertices that exist. */
bool assimp_is_triangle(const struct aiMesh *from, uint32_t face);
/* The unit normal of a triangle and its angles in radians; both 0 where it has no area. */
void assimp_triangle(const struct aiMesh *mesh, uint32_t face, double normal[3], double angles[3]);
void joined_fini(struct joined *joined);

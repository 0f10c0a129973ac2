/* assimp_mesh.h - shared by the files that make a primitive: influences and joined vertices. */
#pragma once

#include "import/assimp/assimp.h"
#include "import/mesh/influences.h"
#include "import/mesh/vertex_set.h"

/* Vertices that are equal in all baked attributes. assimp's own joining ignores weights and morph targets. */
struct joined {
    uint32_t *sources; /* [count]: the first assimp vertex of each joined vertex */
    uint32_t *places;  /* [vertex_count]: index of the joined vertex of an assimp vertex */
    uint32_t count;
    struct vec3 *normals; /* [count]; NULL if the file has normals */
    uint32_t *corners;    /* [3 * mNumFaces]: vertices of triangles if assimp_edges() split any; else NULL */
};

/* The normal of points, lines and degenerate faces. */
#define ASSIMP_NO_NORMAL ((struct vec3){0, 0, 1})

/* Reads the influences of assimp's vertices. The caller calls influences_fini() even after an error. */
int assimp_weights(const struct assimp_job *job, const struct aiMesh *from, const struct shared_skin *skin,
                   struct influences *out, struct err *err);

/* Joins equal vertices. `texcoords` holds the baked UV sets; either may be NULL. */
void assimp_join(const struct aiMesh *from, const struct aiVector3D *const texcoords[2],
                 const struct influences *influences, struct joined *out);
/* Fills joined->normals if the mesh has no normals or false ones. The new normals are smooth over all faces that meet
 * at a position. */
void assimp_normals(const struct aiMesh *from, bool are_false, struct joined *joined);
/* Runs after assimp_normals(), for meshes without a skin. It splits vertices at hard edges, gives each its own normal,
 * and fills joined->corners. It does nothing if the result could exceed vertices_max vertices. */
void assimp_edges(const struct aiMesh *from, uint64_t vertices_max, struct joined *joined);
/* Returns [joined->count] on the heap: for each joined vertex, the first one at the same position. Vertices at one
 * position differ in texture coordinates, colours or weights. */
uint32_t *assimp_places(const struct aiMesh *from, const struct joined *joined);
/* Whether a face is a triangle whose vertex indices are valid. */
bool assimp_is_triangle(const struct aiMesh *from, uint32_t face);
/* Computes the unit normal of a triangle and its angles in radians; both are 0 if the triangle has no area. */
void assimp_triangle(const struct aiMesh *mesh, uint32_t face, double normal[3], double angles[3]);
void joined_fini(struct joined *joined);

/* assimp_normals.c - computes smooth normals for a mesh without normals in the file. assimp's own are wrong if faces
 * share vertices, as in OFF and PLY: each vertex gets the normal of its last face. */
#include "import/assimp/assimp_mesh.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sum of what faces add at one place. */
struct sum {
    double x[3];
};

bool assimp_is_triangle(const struct aiMesh *from, uint32_t face)
{
    const struct aiFace *corners = &from->mFaces[face];
    for (unsigned i = 0; i < 3; i++)
        if (corners->mNumIndices != 3 || corners->mIndices[i] >= from->mNumVertices)
            return false;
    return true;
}

void assimp_triangle(const struct aiMesh *mesh, uint32_t face, double normal[3], double angles[3])
{
    const unsigned *corners = mesh->mFaces[face].mIndices;
    double sides[3][3];
    for (int i = 0; i < 3; i++) {
        const double *from = DOUBLE3(mesh->mVertices[corners[i]]), *to = DOUBLE3(mesh->mVertices[corners[(i + 1) % 3]]);
        for (int k = 0; k < 3; k++)
            sides[i][k] = to[k] - from[k];
    }
    cross3(sides[0], sides[1], normal);
    const double length = sqrt(dot3(normal, normal));
    const bool has_area = length > 0 && isfinite(length);
    for (int i = 0; i < 3; i++) {
        angles[i] = has_area ? atan2(length, -dot3(sides[i], sides[(i + 2) % 3])) : 0;
        normal[i] = has_area ? normal[i] / length : 0;
    }
}

/* Weighted by the angle at each corner the sum does not depend on how a surface is cut into triangles (Thuermer and
 * Wuethrich 1998, Computing Vertex Normals from Polygonal Facets). */
static void add_faces(const struct aiMesh *from, const struct joined *joined, const uint32_t *first, struct sum *sums)
{
    for (uint32_t f = 0; f < from->mNumFaces; f++) {
        const unsigned *corners = from->mFaces[f].mIndices;
        double normal[3], angles[3];
        if (!assimp_is_triangle(from, f))
            continue;
        assimp_triangle(from, f, normal, angles);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                sums[first[joined->places[corners[i]]]].x[k] += normal[k] * angles[i];
    }
}

void assimp_normals(const struct aiMesh *from, bool are_false, struct joined *joined)
{
    if (from->mNormals != NULL && !are_false)
        return;
    uint32_t *first = assimp_places(from, joined);
    struct sum *sums = mem_zalloc(joined->count, sizeof *sums);
    joined->normals = mem_alloc(joined->count * sizeof *joined->normals);
    add_faces(from, joined, first, sums);
    for (uint32_t u = 0; u < joined->count; u++) {
        const double *sum = sums[first[u]].x, length = sqrt(dot3(sum, sum));
        joined->normals[u] =
            length > 1e-9 ? (struct vec3){(float)(sum[0] / length), (float)(sum[1] / length), (float)(sum[2] / length)}
                          : ASSIMP_NO_NORMAL;
    }
    free(first);
    free(sums);
}

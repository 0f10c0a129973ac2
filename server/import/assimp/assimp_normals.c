/* Normals of a mesh whose file has none: smooth ones. assimp's own are wrong where faces share vertices, as those of
 * OFF, PLY and 3MF do: there each vertex gets the normal of its last face. */
#include "import/assimp/assimp_mesh.h"

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sum of what faces add at one place. */
struct sum {
    double x[3];
};

static bool is_same_place(const struct aiVector3D *a, const struct aiVector3D *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

int assimp_places(const struct aiMesh *from, const struct joined *joined, uint32_t *first, struct err *err)
{
    size_t slot_count = 16;
    while (slot_count < 2 * (size_t)joined->count)
        slot_count *= 2;
    uint32_t *slots = malloc(slot_count * sizeof *slots); /* joined vertex, or UINT32_MAX */
    if (slots == NULL)
        return err_set(err, ERR_IMPORT_MEMORY, "no memory for the normals of %u vertices", joined->count);
    memset(slots, 0xff, slot_count * sizeof *slots);
    for (uint32_t u = 0; u < joined->count; u++) {
        const struct aiVector3D *at = &from->mVertices[joined->sources[u]];
        size_t slot = (size_t)hash64(HASH64_SEED, at, sizeof *at) & (slot_count - 1);
        while (slots[slot] != UINT32_MAX && !is_same_place(&from->mVertices[joined->sources[slots[slot]]], at))
            slot = (slot + 1) & (slot_count - 1);
        if (slots[slot] == UINT32_MAX)
            slots[slot] = u;
        first[u] = slots[slot];
    }
    free(slots);
    return 0;
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double length_of(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

void assimp_triangle(const struct aiVector3D *a, const struct aiVector3D *b, const struct aiVector3D *c,
                     double normal[3], double angles[3])
{
    const struct aiVector3D *const corners[3] = {a, b, c};
    double sides[3][3];
    for (int i = 0; i < 3; i++) {
        const struct aiVector3D *from = corners[i], *to = corners[(i + 1) % 3];
        sides[i][0] = (double)to->x - (double)from->x;
        sides[i][1] = (double)to->y - (double)from->y;
        sides[i][2] = (double)to->z - (double)from->z;
    }
    cross(sides[0], sides[1], normal);
    const double length = length_of(normal);
    const bool has_area = length > 0 && isfinite(length);
    for (int i = 0; i < 3; i++) {
        const double *to = sides[i], *from = sides[(i + 2) % 3];
        const double along = -(to[0] * from[0] + to[1] * from[1] + to[2] * from[2]);
        angles[i] = has_area ? atan2(length, along) : 0;
    }
    for (int k = 0; k < 3; k++)
        normal[k] = has_area ? normal[k] / length : 0;
}

/* Weighted by the angle at each corner the sum does not depend on how a surface is cut into triangles (Thuermer and
 * Wuethrich 1998, Computing Vertex Normals from Polygonal Facets). */
static void add_face(const struct aiVector3D *const corners[3], struct sum *const sums[3])
{
    double normal[3], angles[3];
    assimp_triangle(corners[0], corners[1], corners[2], normal, angles);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            sums[i]->x[k] += normal[k] * angles[i];
}

static void add_faces(const struct aiMesh *from, const struct joined *joined, const uint32_t *first, struct sum *sums)
{
    for (uint32_t f = 0; f < from->mNumFaces; f++) {
        const struct aiFace *face = &from->mFaces[f];
        const struct aiVector3D *corners[3];
        struct sum *at[3];
        bool is_triangle = face->mNumIndices == 3;
        for (int i = 0; i < 3 && is_triangle; i++) {
            is_triangle = face->mIndices[i] < from->mNumVertices;
            if (!is_triangle)
                break;
            corners[i] = &from->mVertices[face->mIndices[i]];
            at[i] = &sums[first[joined->places[face->mIndices[i]]]];
        }
        if (is_triangle)
            add_face(corners, at);
    }
}

int assimp_normals(const struct aiMesh *from, bool are_false, struct joined *joined, struct err *err)
{
    const size_t count = (size_t)joined->count + 1;
    if (from->mNormals != NULL && !are_false)
        return 0;
    uint32_t *first = malloc(count * sizeof *first);
    struct sum *sums = calloc(count, sizeof *sums);
    joined->normals = malloc(count * sizeof *joined->normals);
    int rc = 0;
    if (first == NULL || sums == NULL || joined->normals == NULL)
        rc = err_set(err, ERR_IMPORT_MEMORY, "no memory for the normals of %u vertices", joined->count);
    if (rc == 0)
        rc = assimp_places(from, joined, first, err);
    if (rc == 0)
        add_faces(from, joined, first, sums);
    for (uint32_t u = 0; u < joined->count && rc == 0; u++) {
        const double *sum = sums[first[u]].x, length = length_of(sum);
        joined->normals[u] =
            length > 1e-9 ? (struct vec3){(float)(sum[0] / length), (float)(sum[1] / length), (float)(sum[2] / length)}
                          : ASSIMP_NO_NORMAL;
    }
    free(first);
    free(sums);
    return rc;
}

/* assimp_join.c - finds vertices that are equal in all baked attributes, or in position alone. */
#include "import/assimp/assimp_mesh.h"

#include "base/hash.h"
#include "base/mem.h"
#include "import/mesh/mesh_writer.h"

#include <stdlib.h>
#include <string.h>

/* What makes a vertex. */
struct vertices {
    const struct aiMesh *mesh;
    const struct aiVector3D *arrays[4]; /* positions, normals and both texture coordinates; NULL where there are none */
    const struct influences *influences;
};

static uint64_t hash_of(const struct vertices *all, uint32_t v)
{
    uint64_t hash = HASH64_SEED;
    for (int i = 0; i < 4; i++)
        if (all->arrays[i] != NULL)
            hash = hash64(hash, &all->arrays[i][v], sizeof all->arrays[i][v]);
    return hash;
}

static bool is_same3(const struct aiVector3D *array, uint32_t a, uint32_t b)
{
    return array == NULL || memcmp(&array[a], &array[b], sizeof *array) == 0;
}

static bool has_same_influences(const struct influences *influences, uint32_t a, uint32_t b)
{
    if (influences->firsts == NULL)
        return true;
    const uint32_t *firsts = influences->firsts;
    const uint32_t count = firsts[a + 1] - firsts[a];
    return count == firsts[b + 1] - firsts[b] &&
           memcmp(influences->entries + firsts[a], influences->entries + firsts[b],
                  count * sizeof *influences->entries) == 0;
}

static bool is_same(const struct vertices *all, uint32_t a, uint32_t b)
{
    const struct aiMesh *mesh = all->mesh;
    const struct aiColor4D *colors = mesh->mColors[0];
    for (int i = 0; i < 4; i++)
        if (!is_same3(all->arrays[i], a, b))
            return false;
    if (!has_same_influences(all->influences, a, b) ||
        (colors != NULL && memcmp(&colors[a], &colors[b], sizeof *colors) != 0))
        return false;
    for (uint32_t t = 0; t < mesh->mNumAnimMeshes; t++) {
        const struct aiAnimMesh *target = mesh->mAnimMeshes[t];
        if (target->mNumVertices != mesh->mNumVertices || !is_same3(target->mVertices, a, b) ||
            !is_same3(target->mNormals, a, b))
            return false;
    }
    return true;
}

void assimp_join(const struct aiMesh *from, const struct aiVector3D *const texcoords[2],
                 const struct influences *influences, struct joined *out)
{
    const struct vertices all = {from, {from->mVertices, from->mNormals, texcoords[0], texcoords[1]}, influences};
    const uint32_t count = from->mNumVertices;
    struct vertex_set set;
    vertex_set_init(&set, count);
    *out = (struct joined){.sources = mem_alloc(count * sizeof *out->sources),
                           .places = mem_alloc(count * sizeof *out->places)};
    for (uint32_t v = 0; v < count; v++) {
        uint32_t *slot = vertex_set_first(&set, hash_of(&all, v));
        while (*slot != VERTEX_NONE && !is_same(&all, out->sources[*slot], v))
            slot = vertex_set_next(&set, slot);
        if (*slot == VERTEX_NONE) {
            out->sources[out->count] = v;
            *slot = out->count++;
        }
        out->places[v] = *slot;
    }
    free(set.slots);
}

uint32_t *assimp_places(const struct aiMesh *from, const struct joined *joined)
{
    double(*points)[3] = mem_alloc(joined->count * sizeof *points);
    for (uint32_t u = 0; u < joined->count; u++) {
        const struct aiVector3D *at = &from->mVertices[joined->sources[u]];
        memcpy(points[u], ((const double[3]){(double)at->x, (double)at->y, (double)at->z}), sizeof *points);
    }
    uint32_t *first = mesh_first_points((const double(*)[3])points, joined->count);
    free(points);
    return first;
}

void joined_fini(struct joined *joined)
{
    free(joined->sources);
    free(joined->places);
    free(joined->normals);
    free(joined->corners);
    *joined = (struct joined){0};
}

#include "import/assimp/assimp_mesh.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* What makes a vertex. */
struct vertices {
    const struct aiMesh *mesh;
    const struct aiVector3D *texcoords[2];
    const struct vertex_weights *weights;
};

static uint64_t hash_of(const struct vertices *all, uint32_t v)
{
    const struct aiMesh *mesh = all->mesh;
    uint64_t hash = hash64(HASH64_SEED, &mesh->mVertices[v], sizeof mesh->mVertices[v]);
    if (mesh->mNormals != NULL)
        hash = hash64(hash, &mesh->mNormals[v], sizeof mesh->mNormals[v]);
    for (int place = 0; place < 2; place++)
        if (all->texcoords[place] != NULL)
            hash = hash64(hash, &all->texcoords[place][v], sizeof all->texcoords[place][v]);
    return hash;
}

static bool is_same3(const struct aiVector3D *array, uint32_t a, uint32_t b)
{
    return array == NULL || memcmp(&array[a], &array[b], sizeof *array) == 0;
}

static bool has_same_weights(const struct vertex_weights *weights, uint32_t a, uint32_t b)
{
    if (weights->firsts == NULL)
        return true;
    const uint32_t *firsts = weights->firsts;
    const uint32_t count = firsts[a + 1] - firsts[a];
    return count == firsts[b + 1] - firsts[b] &&
           memcmp(weights->entries + firsts[a], weights->entries + firsts[b], count * sizeof *weights->entries) == 0;
}

static bool is_same(const struct vertices *all, uint32_t a, uint32_t b)
{
    const struct aiMesh *mesh = all->mesh;
    const struct aiColor4D *colors = mesh->mColors[0];
    if (!is_same3(mesh->mVertices, a, b) || !is_same3(mesh->mNormals, a, b) || !is_same3(all->texcoords[0], a, b) ||
        !is_same3(all->texcoords[1], a, b) || !has_same_weights(all->weights, a, b) ||
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

int assimp_join(const struct aiMesh *from, const struct aiVector3D *const texcoords[2],
                const struct vertex_weights *weights, struct joined *out, struct err *err)
{
    const struct vertices all = {from, {texcoords[0], texcoords[1]}, weights};
    const uint32_t count = from->mNumVertices;
    size_t slot_count = 16;
    while (slot_count < 2 * (size_t)count)
        slot_count *= 2;
    uint32_t *slots = malloc(slot_count * sizeof *slots); /* joined vertex, or UINT32_MAX */
    *out = (struct joined){.sources = malloc(((size_t)count + 1) * sizeof *out->sources),
                           .places = malloc(((size_t)count + 1) * sizeof *out->places)};
    if (slots == NULL || out->sources == NULL || out->places == NULL) {
        free(slots);
        joined_fini(out);
        return err_set(err, ERR_IMPORT_MEMORY, "no memory to join %u vertices", count);
    }
    memset(slots, 0xff, slot_count * sizeof *slots);
    for (uint32_t v = 0; v < count; v++) {
        size_t slot = (size_t)hash_of(&all, v) & (slot_count - 1);
        while (slots[slot] != UINT32_MAX && !is_same(&all, out->sources[slots[slot]], v))
            slot = (slot + 1) & (slot_count - 1);
        if (slots[slot] == UINT32_MAX) {
            out->sources[out->count] = v;
            slots[slot] = out->count++;
        }
        out->places[v] = slots[slot];
    }
    free(slots);
    return 0;
}

void joined_fini(struct joined *joined)
{
    free(joined->sources);
    free(joined->places);
    free(joined->normals);
    free(joined->corners);
    *joined = (struct joined){0};
}

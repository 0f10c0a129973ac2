/* assimp_weights.c - weights of assimp's bones to influences of the model's vertices. */
#include "import/assimp/assimp_mesh.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

static bool is_weight(float weight) { return isfinite(weight) && weight > 0; }

void assimp_weights_fini(struct vertex_weights *weights)
{
    free(weights->firsts);
    free(weights->entries);
    *weights = (struct vertex_weights){0};
}

static int count_weights(const struct aiMesh *from, struct vertex_weights *out, struct err *err)
{
    const uint32_t vertices = from->mNumVertices;
    uint64_t total = 0;
    for (uint32_t b = 0; b < from->mNumBones; b++)
        total += from->mBones[b]->mNumWeights;
    out->firsts = mem_zalloc((size_t)vertices + 2, sizeof *out->firsts);
    out->entries = mem_alloc((size_t)total * sizeof *out->entries);
    for (uint32_t b = 0; b < from->mNumBones; b++)
        for (uint32_t w = 0; w < from->mBones[b]->mNumWeights; w++) {
            const struct aiVertexWeight *weight = &from->mBones[b]->mWeights[w];
            if (weight->mVertexId >= vertices)
                return err_set(err, ERR_BAD_MODEL, "bone '%s' of mesh '%s' names vertex %u of %u",
                               from->mBones[b]->mName.data, from->mName.data, weight->mVertexId, vertices);
            /* Shifted by two: the second pass moves each to its end, which is where the next one starts. */
            out->firsts[weight->mVertexId + 2] += is_weight(weight->mWeight);
        }
    for (uint32_t v = 0; v < vertices; v++)
        out->firsts[v + 2] += out->firsts[v + 1];
    return 0;
}

int assimp_weights(const struct assimp_job *job, const struct aiMesh *from, const struct shared_skin *skin,
                   struct vertex_weights *out, struct err *err)
{
    *out = (struct vertex_weights){0};
    if (count_weights(from, out, err) < 0) {
        assimp_weights_fini(out);
        return err->code;
    }
    for (uint32_t b = 0; b < from->mNumBones; b++) {
        const int32_t node = node_tree_index(&job->tree, &from->mBones[b]->mName);
        const int32_t joint = node < 0 ? -1 : skin_joint_of(skin, (uint32_t)node);
        for (uint32_t w = 0; w < from->mBones[b]->mNumWeights; w++) {
            const struct aiVertexWeight *weight = &from->mBones[b]->mWeights[w];
            if (is_weight(weight->mWeight)) /* weight 0: its bone has no node */
                out->entries[out->firsts[weight->mVertexId + 1]++] =
                    (struct influence){joint < 0 ? 0 : (uint32_t)joint, joint < 0 ? 0 : weight->mWeight};
        }
    }
    return 0;
}

/* Files round weights to a few digits; only larger deviations get a warning. */
static const double WEIGHT_SUM_TOLERANCE = 1e-2;

int assimp_influences(struct assimp_job *job, const struct aiMesh *from, const struct vertex_weights *weights,
                      const struct joined *joined, struct err *err)
{
    struct bake_builder *builder = job->import->builder;
    uint32_t renormalised = 0, unweighted = 0;
    if (weights->firsts == NULL) {
        uint32_t *firsts = bake_add_influence_first(builder, joined->count);
        for (uint32_t u = 0; firsts != NULL && u < joined->count; u++)
            firsts[u] = builder->influence_count;
        return firsts == NULL ? import_full(job->import, err) : 0;
    }
    for (uint32_t u = 0; u < joined->count; u++) {
        const uint32_t v = joined->sources[u];
        const struct influence *entries = weights->entries + weights->firsts[v];
        const uint32_t count = weights->firsts[v + 1] - weights->firsts[v];
        double sum = 0;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < count; i++) {
            sum += (double)entries[i].weight;
            kept += entries[i].weight > 0;
        }
        renormalised += kept > 0 && fabs(sum - 1) > WEIGHT_SUM_TOLERANCE;
        unweighted += kept == 0;
        struct influence *out = bake_add_influence(builder, kept);
        uint32_t *first = bake_add_influence_first(builder, 1);
        if (out == NULL || first == NULL)
            return import_full(job->import, err);
        for (uint32_t i = 0; i < count; i++)
            if (entries[i].weight > 0) {
                const float weight = (float)((double)entries[i].weight / sum);
                *out++ = (struct influence){entries[i].joint, weight > 0 ? weight : 1e-30f};
            }
        *first = builder->influence_count;
    }
    if (renormalised > 0)
        bake_warn(builder, "weights_renormalised", "mesh '%s': the weights of %u vertices do not sum to 1",
                  from->mName.data, renormalised);
    if (unweighted > 0)
        bake_warn(builder, "vertices_unweighted", "mesh '%s': %u vertices have no weights and follow the first joint",
                  from->mName.data, unweighted);
    return 0;
}

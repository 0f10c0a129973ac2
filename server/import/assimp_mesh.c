/* One assimp mesh to a primitive: vertices, indices, influences, morph targets. */
#include "assimp_parts.h"

#include "../base/mem.h"

#include <math.h>
#include <stdlib.h>

static bool is_finite3(const struct aiVector3D *v) { return isfinite(v->x) && isfinite(v->y) && isfinite(v->z); }

static struct vec3 vec3_of(const struct aiVector3D *v) { return (struct vec3){v->x, v->y, v->z}; }

static int add_positions(struct assimp_job *job, const struct aiMesh *from, struct err *err)
{
    struct vec3 *positions = bake_add_position(job->import->builder, from->mNumVertices);
    struct vec3 *normals = bake_add_normal(job->import->builder, from->mNumVertices);
    if (positions == NULL || normals == NULL)
        return assimp_no_room(job, err);
    for (uint32_t v = 0; v < from->mNumVertices; v++) {
        if (!is_finite3(&from->mVertices[v]))
            return err_set(err, ERR_BAD_MODEL, "vertex %u of mesh '%s' is not finite", v, from->mName.data);
        positions[v] = vec3_of(&from->mVertices[v]);
        /* Points and degenerate faces have no normal; assimp says so with NaN. */
        const bool has_normal = from->mNormals != NULL && is_finite3(&from->mNormals[v]);
        normals[v] = has_normal ? vec3_of(&from->mNormals[v]) : (struct vec3){0, 0, 1};
    }
    return 0;
}

/* The UV set that the material's base texture asks for. */
static const struct aiVector3D *texcoords_of(const struct assimp_job *job, const struct aiMesh *from)
{
    if (from->mMaterialIndex < job->scene->mNumMaterials) {
        const struct aiMaterial *material = job->scene->mMaterials[from->mMaterialIndex];
        int set = 0;
        const enum aiTextureType types[] = {aiTextureType_BASE_COLOR, aiTextureType_DIFFUSE};
        for (int i = 0; i < 2; i++)
            if (aiGetMaterialIntegerArray(material, "$tex.uvwsrc", (unsigned)types[i], 0, &set, NULL) ==
                    aiReturn_SUCCESS &&
                set > 0 && set < AI_MAX_NUMBER_OF_TEXTURECOORDS && from->mTextureCoords[set] != NULL)
                return from->mTextureCoords[set];
    }
    return from->mTextureCoords[0];
}

static float finite_or_zero(float value) { return isfinite(value) ? value : 0; }

/* assimp's V points up, the rows of our textures go down. */
static int add_texcoords(struct assimp_job *job, const struct aiMesh *from, uint32_t *flags, struct err *err)
{
    struct vec2 *out = bake_add_texcoord(job->import->builder, from->mNumVertices);
    if (out == NULL)
        return assimp_no_room(job, err);
    const struct aiVector3D *texcoords = texcoords_of(job, from);
    if (texcoords == NULL)
        return 0;
    *flags |= PRIMITIVE_TEXCOORDS;
    for (uint32_t v = 0; v < from->mNumVertices; v++)
        out[v] = (struct vec2){finite_or_zero(texcoords[v].x), 1 - finite_or_zero(texcoords[v].y)};
    return 0;
}

static uint8_t byte_of(float value) { return value >= 1 ? 255 : value > 0 ? (uint8_t)(value * 255 + 0.5f) : 0; }

static int add_colors(struct assimp_job *job, const struct aiMesh *from, uint32_t *flags, struct err *err)
{
    struct rgba8 *out = bake_add_color(job->import->builder, from->mNumVertices);
    if (out == NULL)
        return assimp_no_room(job, err);
    const struct aiColor4D *colors = from->mColors[0];
    /* An alpha of 0 everywhere is how a file without alpha arrives. */
    bool has_alpha = false;
    for (uint32_t v = 0; colors != NULL && v < from->mNumVertices && !has_alpha; v++)
        has_alpha = colors[v].a > 0;
    for (uint32_t v = 0; v < from->mNumVertices; v++)
        out[v] = colors == NULL ? (struct rgba8){255, 255, 255, 255}
                                : (struct rgba8){byte_of(colors[v].r), byte_of(colors[v].g), byte_of(colors[v].b),
                                                 has_alpha ? byte_of(colors[v].a) : 255};
    if (colors != NULL)
        *flags |= PRIMITIVE_COLORS;
    return 0;
}

void assimp_look_at_meshes(struct assimp_job *job)
{
    for (uint32_t m = 0; m < job->scene->mNumMeshes; m++) {
        const struct aiMesh *mesh = job->scene->mMeshes[m];
        job->has_colors |= mesh->mColors[0] != NULL;
        job->has_texcoords |= texcoords_of(job, mesh) != NULL;
    }
}

/* After SortByPType the faces of a mesh are all of one kind. */
static int add_indices(struct assimp_job *job, const struct aiMesh *from, struct primitive *primitive, struct err *err)
{
    struct bake_builder *builder = job->import->builder;
    const unsigned corners = from->mNumFaces > 0 ? from->mFaces[0].mNumIndices : 3;
    if (corners < 1 || corners > 3)
        return err_set(err, ERR_BAD_MODEL, "mesh '%s' has a face of %u corners", from->mName.data, corners);
    const uint64_t total = (uint64_t)from->mNumFaces * corners;
    if (builder->index_count + total > job->import->limits->value[LIMIT_INDICES])
        return err_set(err, ERR_MODEL_LIMIT, "the model has more than %llu indices",
                       (unsigned long long)job->import->limits->value[LIMIT_INDICES]);
    primitive->topology = corners == 3 ? TOPOLOGY_TRIANGLES : corners == 2 ? TOPOLOGY_LINES : TOPOLOGY_POINTS;
    primitive->index_first = builder->index_count;
    primitive->index_count = (uint32_t)total;
    uint32_t *out = bake_add_index(builder, (uint32_t)total);
    if (out == NULL)
        return assimp_no_room(job, err);
    for (uint32_t f = 0; f < from->mNumFaces; f++) {
        if (from->mFaces[f].mNumIndices != corners)
            return err_set(err, ERR_BAD_MODEL, "mesh '%s' mixes faces of %u and %u corners", from->mName.data, corners,
                           from->mFaces[f].mNumIndices);
        for (unsigned i = 0; i < corners; i++) {
            const unsigned index = from->mFaces[f].mIndices[i];
            if (index >= from->mNumVertices)
                return err_set(err, ERR_BAD_MODEL, "face %u of mesh '%s' names vertex %u of %u", f, from->mName.data,
                               index, from->mNumVertices);
            *out++ = index;
        }
    }
    return 0;
}

/* Weights by vertex: firsts[v]..firsts[v + 1] into entries. assimp has them by bone. */
struct gathered {
    uint32_t *firsts; /* [vertex_count + 1] */
    struct influence *entries;
};

static bool is_weight(float weight) { return isfinite(weight) && weight > 0; }

static int gather(const struct assimp_job *job, const struct aiMesh *from, const struct skin_part *skin,
                  struct gathered *out, struct err *err)
{
    const uint32_t vertices = from->mNumVertices;
    uint64_t total = 0;
    out->firsts = calloc((size_t)vertices + 2, sizeof *out->firsts);
    for (uint32_t b = 0; b < from->mNumBones; b++)
        total += from->mBones[b]->mNumWeights;
    out->entries = total < UINT32_MAX ? malloc((size_t)(total + 1) * sizeof *out->entries) : NULL;
    if (out->firsts == NULL || out->entries == NULL)
        return err_set(err, ERR_IMPORT_MEMORY, "no memory for the %llu weights of mesh '%s'", (unsigned long long)total,
                       from->mName.data);
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
    for (uint32_t b = 0; b < from->mNumBones; b++) {
        const int32_t node = assimp_node_named(job, &from->mBones[b]->mName);
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

/* Files round their weights to a few digits; only what cannot be rounding is worth a warning. */
static const double WEIGHT_SUM_TOLERANCE = 1e-2;

static int add_gathered(struct assimp_job *job, const struct aiMesh *from, const struct gathered *gathered,
                        struct err *err)
{
    struct bake_builder *builder = job->import->builder;
    uint32_t renormalised = 0, unweighted = 0;
    for (uint32_t v = 0; v < from->mNumVertices; v++) {
        const struct influence *entries = gathered->entries + gathered->firsts[v];
        const uint32_t count = gathered->firsts[v + 1] - gathered->firsts[v];
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
            return assimp_no_room(job, err);
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

static int add_influences(struct assimp_job *job, const struct aiMesh *from, int32_t skin, struct err *err)
{
    struct bake_builder *builder = job->import->builder;
    if (skin < 0) {
        uint32_t *firsts = bake_add_influence_first(builder, from->mNumVertices);
        for (uint32_t v = 0; firsts != NULL && v < from->mNumVertices; v++)
            firsts[v] = builder->influence_count;
        return firsts == NULL ? assimp_no_room(job, err) : 0;
    }
    struct gathered gathered = {0};
    int rc = gather(job, from, &job->skins.skins[skin], &gathered, err);
    if (rc == 0)
        rc = add_gathered(job, from, &gathered, err);
    free(gathered.firsts);
    free(gathered.entries);
    return rc;
}

/* The differences that a morph target makes; assimp holds the moved vertices. `first` UINT32_MAX: none. */
static int add_deltas(struct assimp_job *job, const struct aiVector3D *moved, const struct aiVector3D *base,
                      uint32_t count, uint32_t *first, struct err *err)
{
    *first = UINT32_MAX;
    if (moved == NULL || base == NULL)
        return 0;
    const uint32_t at = job->import->builder->morph_delta_count;
    struct vec3 *out = bake_add_morph_delta(job->import->builder, count);
    if (out == NULL)
        return assimp_no_room(job, err);
    for (uint32_t v = 0; v < count; v++)
        out[v] = (struct vec3){finite_or_zero(moved[v].x - base[v].x), finite_or_zero(moved[v].y - base[v].y),
                               finite_or_zero(moved[v].z - base[v].z)};
    *first = at;
    return 0;
}

static int add_morph_targets(struct assimp_job *job, const struct aiMesh *from, struct primitive *primitive,
                             struct err *err)
{
    struct bake_builder *builder = job->import->builder;
    primitive->morph_target_first = builder->morph_target_count;
    for (uint32_t t = 0; t < from->mNumAnimMeshes; t++) {
        const struct aiAnimMesh *target = from->mAnimMeshes[t];
        if (target->mNumVertices != from->mNumVertices)
            return err_set(err, ERR_BAD_MODEL, "morph target '%s' of mesh '%s' has %u vertices, not %u",
                           target->mName.data, from->mName.data, target->mNumVertices, from->mNumVertices);
        struct morph_target added;
        if (add_deltas(job, target->mVertices, from->mVertices, from->mNumVertices, &added.position_first, err) < 0 ||
            add_deltas(job, target->mNormals, from->mNormals, from->mNumVertices, &added.normal_first, err) < 0)
            return err->code;
        added.name = assimp_text(builder, &target->mName);
        struct morph_target *out = bake_add_morph_target(builder, 1);
        if (out == NULL)
            return assimp_no_room(job, err);
        *out = added;
        primitive->morph_target_count++;
    }
    return 0;
}

int assimp_primitive(struct assimp_job *job, uint32_t mesh, const struct aiMesh *from, int32_t skin, struct err *err)
{
    struct bake_builder *builder = job->import->builder;
    if (builder->position_count + (uint64_t)from->mNumVertices > job->import->limits->value[LIMIT_VERTICES])
        return err_set(err, ERR_MODEL_LIMIT, "the model has more than %llu vertices",
                       (unsigned long long)job->import->limits->value[LIMIT_VERTICES]);
    if (from->mNumVertices > 0 && from->mVertices == NULL)
        return err_set(err, ERR_BAD_MODEL, "mesh '%s' has no positions", from->mName.data);
    struct primitive primitive = {
        .mesh = mesh,
        .vertex_first = builder->position_count,
        .vertex_count = from->mNumVertices,
        .material = from->mMaterialIndex < job->scene->mNumMaterials ? (int32_t)from->mMaterialIndex : -1,
        .flags = 0,
    };
    if (builder->influence_first_count == 0 && bake_add_influence_first(builder, 1) == NULL)
        return assimp_no_room(job, err);
    if (add_positions(job, from, err) < 0 ||
        (job->has_texcoords && add_texcoords(job, from, &primitive.flags, err) < 0) ||
        (job->has_colors && add_colors(job, from, &primitive.flags, err) < 0) ||
        add_indices(job, from, &primitive, err) < 0 || add_influences(job, from, skin, err) < 0 ||
        add_morph_targets(job, from, &primitive, err) < 0)
        return err->code;
    struct primitive *added = bake_add_primitive(builder, 1);
    if (added == NULL)
        return assimp_no_room(job, err);
    *added = primitive;
    return 0;
}

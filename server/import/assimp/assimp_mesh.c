/* assimp_mesh.c - one assimp mesh to a primitive: vertices, indices, influences, morph targets. */
#include "import/assimp/assimp_mesh.h"

#include "anim/model/rgba8.h"
#include "import/mesh/mesh_arrays.h"
#include "import/mesh/vertex_values.h"

#include <stdio.h>
#include <string.h>

/* "mesh 'head'", for messages. */
enum { MESH_TEXT_SIZE = 160 };
#define MESH_TEXT(mesh) mesh_text(mesh, (char[MESH_TEXT_SIZE]){0})

static const char *mesh_text(const struct aiMesh *mesh, char out[MESH_TEXT_SIZE])
{
    snprintf(out, MESH_TEXT_SIZE, "mesh '%.150s'", mesh->mName.data);
    return out;
}

static bool is_finite3(const struct aiVector3D *v) { return isfinite(v->x) && isfinite(v->y) && isfinite(v->z); }

static struct vec3 vec3_of(const struct aiVector3D *v) { return (struct vec3){v->x, v->y, v->z}; }

static void fill_positions(const struct assimp_job *job, const struct aiMesh *from, const struct joined *joined,
                           const struct primitive *primitive)
{
    struct vec3 *positions = job->import->builder->positions + primitive->vertex_first;
    struct vec3 *normals = job->import->builder->normals + primitive->vertex_first;
    for (uint32_t u = 0; u < joined->count; u++) {
        const uint32_t v = joined->sources[u];
        positions[u] = vec3_of(&from->mVertices[v]);
        if (joined->normals != NULL)
            normals[u] = joined->normals[u];
        else
            normals[u] = is_finite3(&from->mNormals[v]) ? vec3_of(&from->mNormals[v]) : ASSIMP_NO_NORMAL;
    }
}

/* The channel that the material's textures ask for, at place 0 or 1; where the mesh has it not, its first. */
static const struct aiVector3D *texcoords_of(const struct assimp_job *job, const struct aiMesh *from, int place)
{
    const bool has_material = job->texcoords != NULL && from->mMaterialIndex < job->scene->mNumMaterials;
    const int64_t set = has_material ? job->texcoords[from->mMaterialIndex].sets[place] : -1;
    if (set < 0 && place > 0)
        return NULL;
    return from->mTextureCoords[set > 0 && from->mTextureCoords[set] != NULL ? set : 0];
}

/* assimp's V points up, the rows of our textures go down. */
static void fill_texcoords(const struct aiVector3D *texcoords, const struct joined *joined, struct vec2 *out)
{
    for (uint32_t u = 0; texcoords != NULL && u < joined->count; u++) {
        const struct aiVector3D *uv = &texcoords[joined->sources[u]];
        out[u] = (struct vec2){finite_or_zero((double)uv->x), 1 - finite_or_zero((double)uv->y)};
    }
}

static void fill_colors(const struct aiMesh *from, const struct joined *joined, struct rgba8 *out)
{
    const struct aiColor4D *colors = from->mColors[0];
    /* An alpha of 0 everywhere is how a file without alpha arrives. */
    bool has_alpha = false;
    for (uint32_t v = 0; colors != NULL && v < from->mNumVertices && !has_alpha; v++)
        has_alpha = colors[v].a > 0;
    for (uint32_t u = 0; colors != NULL && u < joined->count; u++) {
        const struct aiColor4D *color = &colors[joined->sources[u]];
        out[u] = rgba8_of((double)color->r, (double)color->g, (double)color->b, has_alpha ? (double)color->a : 1);
    }
}

static int add_vertices(const struct assimp_job *job, const struct aiMesh *from,
                        const struct aiVector3D *const texcoords[2], const struct joined *joined,
                        struct primitive *primitive, struct err *err)
{
    const struct bake_builder *builder = job->import->builder;
    primitive->flags = (texcoords[0] != NULL ? PRIMITIVE_TEXCOORDS : 0u) |
                       (texcoords[1] != NULL ? PRIMITIVE_SECOND_TEXCOORDS : 0u) |
                       (from->mColors[0] != NULL ? PRIMITIVE_COLORS : 0u);
    if (mesh_add_vertices(job->import, primitive, joined->count, from->mName.data, err) < 0)
        return err->code;
    fill_positions(job, from, joined, primitive);
    fill_texcoords(texcoords[0], joined, builder->texcoords + primitive->vertex_first);
    fill_texcoords(texcoords[1], joined, builder->second_texcoords + primitive->vertex_first);
    fill_colors(from, joined, builder->colors + primitive->vertex_first);
    return 0;
}

/* A mesh of vertices alone, as point clouds are: each is a point. */
static int add_points(struct assimp_job *job, const struct aiMesh *from, const struct joined *joined,
                      struct primitive *primitive, struct err *err)
{
    uint32_t *out = mesh_add_indices(job->import, primitive, joined->count, from->mName.data, err);
    if (out == NULL)
        return err->code;
    for (uint32_t u = 0; u < joined->count; u++)
        out[u] = u;
    primitive->topology = TOPOLOGY_POINTS;
    return 0;
}

/* After SortByPType the faces of a mesh are all of one kind. */
static int add_indices(struct assimp_job *job, const struct aiMesh *from, const struct joined *joined,
                       struct primitive *primitive, struct err *err)
{
    const unsigned corners = from->mNumFaces > 0 ? from->mFaces[0].mNumIndices : 3;
    if (corners < 1 || corners > 3)
        return err_set(err, ERR_BAD_MODEL, "mesh '%s' has a face of %u corners", from->mName.data, corners);
    if (from->mNumFaces == 0)
        return add_points(job, from, joined, primitive, err);
    primitive->topology = corners == 3 ? TOPOLOGY_TRIANGLES : corners == 2 ? TOPOLOGY_LINES : TOPOLOGY_POINTS;
    uint32_t *out =
        mesh_add_indices(job->import, primitive, (uint64_t)from->mNumFaces * corners, from->mName.data, err);
    if (out == NULL)
        return err->code;
    for (uint32_t f = 0; f < from->mNumFaces; f++) {
        if (from->mFaces[f].mNumIndices != corners)
            return err_set(err, ERR_BAD_MODEL, "mesh '%s' mixes faces of %u and %u corners", from->mName.data, corners,
                           from->mFaces[f].mNumIndices);
        for (unsigned i = 0; i < corners; i++) {
            const unsigned index = from->mFaces[f].mIndices[i];
            if (index >= from->mNumVertices)
                return err_set(err, ERR_BAD_MODEL, "face %u of mesh '%s' names vertex %u of %u", f, from->mName.data,
                               index, from->mNumVertices);
            *out++ = joined->corners != NULL ? joined->corners[3 * (size_t)f + i] : joined->places[index];
        }
    }
    return 0;
}

/* The differences that a morph target makes; assimp holds the moved vertices. `first` UINT32_MAX: none. */
static int add_deltas(struct assimp_job *job, const struct aiVector3D *moved, const struct aiVector3D *base,
                      const struct joined *joined, const char *where, uint32_t *first, struct err *err)
{
    *first = UINT32_MAX;
    if (moved == NULL || base == NULL)
        return 0;
    const uint32_t at = job->import->builder->morph_delta_count;
    struct vec3 *out = bake_add_morph_delta(job->import->builder, joined->count);
    if (out == NULL)
        return import_full(job->import, err);
    for (uint32_t u = 0; u < joined->count; u++) {
        const struct aiVector3D *a = &base[joined->sources[u]], *b = &moved[joined->sources[u]];
        out[u] = (struct vec3){b->x - a->x, b->y - a->y, b->z - a->z};
    }
    mesh_repair_deltas(job->import, at, joined->count, where);
    *first = at;
    return 0;
}

static int add_morph_targets(struct assimp_job *job, const struct aiMesh *from, const struct joined *joined,
                             struct primitive *primitive, struct err *err)
{
    struct bake_builder *builder = job->import->builder;
    const char *where = MESH_TEXT(from);
    primitive->morph_target_first = builder->morph_target_count;
    for (uint32_t t = 0; t < from->mNumAnimMeshes; t++) {
        const struct aiAnimMesh *target = from->mAnimMeshes[t];
        if (target->mNumVertices != from->mNumVertices)
            return err_set(err, ERR_BAD_MODEL, "morph target '%s' of mesh '%s' has %u vertices, not %u",
                           target->mName.data, from->mName.data, target->mNumVertices, from->mNumVertices);
        struct morph_target added;
        if (add_deltas(job, target->mVertices, from->mVertices, joined, where, &added.position_first, err) < 0 ||
            add_deltas(job, target->mNormals, from->mNormals, joined, where, &added.normal_first, err) < 0)
            return err->code;
        added.name = assimp_text(builder, &target->mName);
        if (import_put_morph_target(job->import, &added, err) < 0)
            return err->code;
        primitive->morph_target_count++;
    }
    return 0;
}

static int check(const struct assimp_job *job, const struct aiMesh *from, struct err *err)
{
    if (import_check_limit(job->import, LIMIT_VERTICES, job->import->builder->position_count, from->mNumVertices,
                           from->mName.data, err) < 0)
        return err->code;
    if (from->mNumVertices > 0 && from->mVertices == NULL)
        return err_set(err, ERR_BAD_MODEL, "mesh '%s' has no positions", from->mName.data);
    return 0;
}

static int add_influences(struct assimp_job *job, const struct influences *influences, const struct joined *joined,
                          struct err *err)
{
    for (uint32_t u = 0; u < joined->count; u++)
        if (influences_put_point(job->import, influences, joined->sources[u], err) < 0)
            return err->code;
    return 0;
}

static int add_parts(struct assimp_job *job, const struct aiMesh *from, const struct aiVector3D *const texcoords[2],
                     const struct joined *joined, const struct influences *influences, struct primitive *primitive,
                     struct err *err)
{
    const char *where = MESH_TEXT(from);
    if (add_vertices(job, from, texcoords, joined, primitive, err) < 0 ||
        add_indices(job, from, joined, primitive, err) < 0)
        return err->code;
    mesh_leave_out_not_finite(job->import, primitive, where);
    if (add_influences(job, influences, joined, err) < 0 || add_morph_targets(job, from, joined, primitive, err) < 0 ||
        import_put_primitive(job->import, primitive, err) < 0)
        return err->code;
    mesh_check_texcoords(job->import, primitive, where);
    return 0;
}

/* Blender keeps a smooth normal with every vertex, and with every face whether it is used; assimp knows the former. */
static bool has_false_normals(const struct assimp_job *job) { return assimp_is_format(job, "blend"); }

int assimp_primitive(struct assimp_job *job, uint32_t mesh, const struct aiMesh *from, int32_t skin, struct err *err)
{
    struct bake_builder *builder = job->import->builder;
    struct influences influences = {0};
    struct joined joined;
    const struct aiVector3D *const texcoords[2] = {texcoords_of(job, from, 0), texcoords_of(job, from, 1)};
    if (check(job, from, err) < 0)
        return err->code;
    if (skin >= 0 && assimp_weights(job, from, &job->skins.skins[skin], &influences, err) < 0) {
        influences_fini(&influences);
        return err->code;
    }
    influences_warn(builder, &influences.repairs, from->mNumVertices, MESH_TEXT(from));
    assimp_join(from, texcoords, &influences, &joined);
    assimp_normals(from, has_false_normals(job), &joined);
    if (skin < 0)
        assimp_edges(from, job->import->limits->value[LIMIT_VERTICES] - builder->position_count, &joined);
    struct primitive primitive = {
        .mesh = mesh,
        .material = from->mMaterialIndex < job->scene->mNumMaterials ? (int32_t)from->mMaterialIndex : -1,
    };
    const int rc = add_parts(job, from, texcoords, &joined, &influences, &primitive, err);
    joined_fini(&joined);
    influences_fini(&influences);
    return rc;
}

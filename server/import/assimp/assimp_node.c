/* assimp_node.c - the model's nodes, and which meshes each of them shows. */
#include "import/assimp/assimp.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* A model mesh that was made for a set of assimp meshes, so that the next node with the same set shares it. */
struct made_mesh {
    const unsigned *meshes; /* of some aiNode */
    uint32_t count;
    int32_t skin;
    uint32_t mesh; /* of the model */
    uint32_t next; /* another with the same first assimp mesh, or UINT32_MAX */
};

struct shared_meshes {
    uint32_t *first_made; /* [aiScene.mNumMeshes], UINT32_MAX = none */
    struct made_mesh *made;
    uint32_t count;
};

static void set_transform(struct assimp_job *job, struct node *node, const struct dmat4 *parent_from_node)
{
    struct trs trs;
    const bool is_trs = trs_from_dmat4(parent_from_node, &trs);
    for (int i = 0; i < 3; i++) {
        node->translation[i] = (float)trs.translation[i];
        node->scale[i] = (float)trs.scale[i];
    }
    for (int i = 0; i < 4; i++)
        node->rotation[i] = (float)trs.rotation[i];
    if (is_trs)
        return;
    struct mat4 *matrix = bake_add_node_matrix(job->import->builder, 1);
    if (matrix == NULL)
        return;
    *matrix = mat4_from_dmat4(parent_from_node);
    node->matrix = (int32_t)(job->import->builder->node_matrix_count - 1);
    node->flags |= NODE_SHEAR;
}

/* The assimp meshes of `from` that have this skin, in order, into out[from->mNumMeshes]. */
static uint32_t pick(const struct assimp_job *job, const struct aiNode *from, int32_t skin, unsigned *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < from->mNumMeshes; i++)
        if (job->skins.of_mesh[from->mMeshes[i]] == skin)
            out[count++] = from->mMeshes[i];
    return count;
}

static bool is_made_of(const struct assimp_job *job, const struct made_mesh *made, const unsigned *meshes,
                       uint32_t count)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < made->count; i++) {
        if (job->skins.of_mesh[made->meshes[i]] != made->skin)
            continue;
        if (k == count || made->meshes[i] != meshes[k])
            return false;
        k++;
    }
    return k == count;
}

/* The model mesh of meshes[count], made now or before; -1 on failure. */
static int32_t mesh_of(struct assimp_job *job, struct shared_meshes *shared, const struct aiNode *from,
                       const unsigned *meshes, uint32_t count, struct err *err)
{
    struct bake_builder *builder = job->import->builder;
    const int32_t skin = job->skins.of_mesh[meshes[0]];
    for (uint32_t i = shared->first_made[meshes[0]]; i != UINT32_MAX; i = shared->made[i].next)
        if (is_made_of(job, &shared->made[i], meshes, count))
            return (int32_t)shared->made[i].mesh;
    const uint32_t index = builder->mesh_count;
    const struct mesh mesh = {.name = assimp_text(builder, &job->scene->mMeshes[meshes[0]]->mName),
                              .primitive_first = builder->primitive_count};
    if (import_put_mesh(job->import, &mesh, err) < 0)
        return -1;
    for (uint32_t i = 0; i < count; i++)
        if (assimp_primitive(job, index, job->scene->mMeshes[meshes[i]], skin, err) < 0)
            return -1;
    builder->meshes[index].primitive_count = builder->primitive_count - mesh.primitive_first;
    shared->made = mem_realloc(shared->made, (size_t)(shared->count + 1) * sizeof *shared->made);
    shared->made[shared->count] =
        (struct made_mesh){from->mMeshes, from->mNumMeshes, skin, index, shared->first_made[meshes[0]]};
    shared->first_made[meshes[0]] = shared->count++;
    return (int32_t)index;
}

/* Adds the rest morph weights of a mesh instance. Their number is the largest target count of its primitives. */
static int add_weights(struct assimp_job *job, struct node *node, const unsigned *meshes, uint32_t count,
                       struct err *err)
{
    const struct aiMesh *most = job->scene->mMeshes[meshes[0]];
    for (uint32_t i = 1; i < count; i++)
        if (job->scene->mMeshes[meshes[i]]->mNumAnimMeshes > most->mNumAnimMeshes)
            most = job->scene->mMeshes[meshes[i]];
    node->weight_first = job->import->builder->weight_count;
    node->weight_count = most->mNumAnimMeshes;
    float *weights = bake_add_weight(job->import->builder, most->mNumAnimMeshes);
    if (weights == NULL)
        return import_full(job->import, err);
    for (uint32_t i = 0; i < most->mNumAnimMeshes; i++) {
        const float weight = most->mAnimMeshes[i]->mWeight;
        weights[i] = weight >= -1e6f && weight <= 1e6f ? weight : 0;
    }
    return 0;
}

/* A model node shows one mesh with one skin. What does not fit on the node itself goes to nodes without a name
 * below it, behind all others, so that the file's nodes keep their places. */
static int show_meshes(struct assimp_job *job, struct shared_meshes *shared, uint32_t n, struct err *err)
{
    struct bake_builder *builder = job->import->builder;
    const struct aiNode *from = job->tree.nodes[n].node;
    unsigned *meshes = mem_alloc(from->mNumMeshes * sizeof *meshes);
    bool is_used = false;
    int rc = 0;
    for (int32_t skin = -1; skin < (int32_t)job->skins.count && rc == 0; skin++) {
        const uint32_t count = pick(job, from, skin, meshes);
        if (count == 0)
            continue;
        const int32_t mesh = mesh_of(job, shared, from, meshes, count, err);
        const uint32_t place = is_used ? builder->node_count : n;
        struct node added = {.name = {.offset = STR_NONE}, .parent = (int32_t)n, .matrix = -1};
        if (is_used && mesh >= 0)
            set_transform(job, &added, &DMAT4_IDENTITY);
        if (mesh < 0 || (is_used && import_put_node(job->import, &added, err) < 0)) {
            rc = err->code;
            break;
        }
        struct node *node = &builder->nodes[place];
        node->mesh = mesh;
        node->skin = skin;
        rc = add_weights(job, node, meshes, count, err);
        is_used = true;
    }
    free(meshes);
    return rc;
}

static int check_meshes(const struct assimp_job *job, const struct aiNode *from, struct err *err)
{
    for (uint32_t i = 0; i < from->mNumMeshes; i++)
        if (from->mMeshes[i] >= job->scene->mNumMeshes)
            return err_set(err, ERR_BAD_MODEL, "node '%s' shows mesh %u of %u", from->mName.data, from->mMeshes[i],
                           job->scene->mNumMeshes);
    return 0;
}

int assimp_nodes(struct assimp_job *job, struct err *err)
{
    for (uint32_t n = 0; n < job->tree.count; n++) {
        const struct aiNode *from = job->tree.nodes[n].node;
        /* The product has no negative zeros, which files have that mean the same. */
        const struct dmat4 rest = dmat4_mul(&DMAT4_IDENTITY, &job->tree.nodes[n].parent_from_node);
        if (check_meshes(job, from, err) < 0)
            return err->code;
        struct node node = {.parent = node_tree_parent(&job->tree, n), .mesh = -1, .skin = -1, .matrix = -1};
        node.name = assimp_text(job->import->builder, job->shown_names != NULL ? &job->shown_names[n] : &from->mName);
        set_transform(job, &node, &rest);
        if (import_put_node(job->import, &node, err) < 0)
            return err->code;
    }
    if (import_put_root(job->import, &(uint32_t){0}, err) < 0)
        return err->code;
    if (job->is_skeleton)
        return 0;
    struct shared_meshes shared = {.first_made = mem_alloc(job->scene->mNumMeshes * sizeof *shared.first_made)};
    memset(shared.first_made, 0xff, job->scene->mNumMeshes * sizeof *shared.first_made);
    int rc = 0;
    for (uint32_t n = 0; n < job->tree.count && rc == 0; n++)
        if (job->tree.nodes[n].node->mNumMeshes > 0)
            rc = show_meshes(job, &shared, n, err);
    free(shared.first_made);
    free(shared.made);
    return rc;
}

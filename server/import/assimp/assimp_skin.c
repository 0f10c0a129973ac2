/* assimp_skin.c - converts the bones of assimp's meshes to skins of the model. */
#include "import/assimp/assimp.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The largest rounding difference between equal matrices, relative to the largest element. */
static const float SAME_MATRIX = 1e-6f;

static bool is_same_matrix(const struct mat4 *a, const struct mat4 *b)
{
    float largest = 1;
    for (int i = 0; i < 16; i++)
        largest = fmaxf(largest, fabsf(a->m[i]));
    for (int i = 0; i < 16; i++)
        if (!(fabsf(a->m[i] - b->m[i]) <= SAME_MATRIX * largest))
            return false;
    return true;
}

static int by_node(const void *a, const void *b)
{
    const uint32_t i = ((const struct skin_joint *)a)->node, k = ((const struct skin_joint *)b)->node;
    return (i > k) - (i < k);
}

int32_t skin_joint_of(const struct shared_skin *skin, uint32_t node)
{
    const struct skin_joint key = {.node = node};
    const struct skin_joint *found = bsearch(&key, skin->joints, skin->joint_count, sizeof key, by_node);
    return found == NULL ? -1 : (int32_t)(found - skin->joints);
}

static bool shows_mesh(const struct aiNode *node, uint32_t mesh)
{
    for (uint32_t i = 0; i < node->mNumMeshes; i++)
        if (node->mMeshes[i] == mesh)
            return true;
    return false;
}

/* B3D: vertices are in the space of the mesh's node ("B3D File Format", Sibly 2003, VRTS in NODE), but assimp's offset
 * matrices assume scene space. Returns scene_from_node of that node at rest; the identity for other formats. */
static struct dmat4 scene_from_bind(const struct assimp_job *job, uint32_t mesh)
{
    struct dmat4 product = DMAT4_IDENTITY;
    uint32_t i = assimp_is_format(job, "b3d") ? 0 : job->tree.count;
    while (i < job->tree.count && !shows_mesh(job->tree.nodes[i].node, mesh))
        i++;
    for (; i < job->tree.count; i = job->tree.nodes[i].parent)
        product = dmat4_mul(&job->tree.nodes[i].parent_from_node, &product);
    return product;
}

/* Writes the joints of one mesh, sorted and without duplicate nodes, to joints[mesh->mNumBones]; sets *count. */
static int collect(struct assimp_job *job, uint32_t m, struct skin_joint *joints, uint32_t *count, struct err *err)
{
    const struct aiMesh *mesh = job->scene->mMeshes[m];
    const struct dmat4 scene = scene_from_bind(job, m);
    *count = 0;
    for (uint32_t b = 0; b < mesh->mNumBones; b++) {
        const struct aiBone *bone = mesh->mBones[b];
        const int32_t node = node_tree_index(&job->tree, &bone->mName);
        struct dmat4 offset = dmat4_from_assimp(&bone->mOffsetMatrix);
        offset = dmat4_mul(&offset, &scene);
        if (!dmat4_is_finite(&offset))
            return err_set(err, ERR_BAD_MODEL, "bone '%s' of mesh '%s' has a matrix that is not finite",
                           bone->mName.data, mesh->mName.data);
        if (node < 0) {
            bake_warn(job->import->builder, "bone_without_node", "no node is called '%s' like a bone of mesh '%s'",
                      bone->mName.data, mesh->mName.data);
            continue;
        }
        joints[(*count)++] = (struct skin_joint){(uint32_t)node, mat4_from_dmat4(&offset)};
    }
    qsort(joints, *count, sizeof *joints, by_node);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; i++)
        if (kept == 0 || joints[kept - 1].node != joints[i].node)
            joints[kept++] = joints[i];
        else if (!is_same_matrix(&joints[kept - 1].joint_from_bind, &joints[i].joint_from_bind))
            bake_warn(job->import->builder, "bone_twice", "mesh '%s' has two bones for one node; the first is taken",
                      mesh->mName.data);
    *count = kept;
    return 0;
}

static bool agrees(const struct shared_skin *skin, const struct skin_joint *joints, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const int32_t k = skin_joint_of(skin, joints[i].node);
        if (k >= 0 && !is_same_matrix(&skin->joints[k].joint_from_bind, &joints[i].joint_from_bind))
            return false;
    }
    return true;
}

static void merge(struct shared_skin *skin, const struct skin_joint *joints, uint32_t count)
{
    struct skin_joint *merged = mem_alloc((size_t)(skin->joint_count + count) * sizeof *merged);
    uint32_t i = 0, k = 0, total = 0;
    while (i < skin->joint_count || k < count) {
        const bool is_old = k == count || (i < skin->joint_count && skin->joints[i].node <= joints[k].node);
        if (is_old && k < count && skin->joints[i].node == joints[k].node)
            k++;
        merged[total++] = is_old ? skin->joints[i++] : joints[k++];
    }
    free(skin->joints);
    skin->joints = merged;
    skin->joint_count = total;
}

/* Returns the first skin that does not contradict these joints, or a new one. */
static uint32_t place(struct skin_list *list, const struct skin_joint *joints, uint32_t count)
{
    uint32_t s = 0;
    while (s < list->count && !agrees(&list->skins[s], joints, count))
        s++;
    if (s == list->count) {
        list->skins = mem_realloc(list->skins, (size_t)(s + 1) * sizeof *list->skins);
        list->skins[list->count++] = (struct shared_skin){0};
    }
    merge(&list->skins[s], joints, count);
    return s;
}

static int emit(struct assimp_job *job, struct err *err)
{
    struct bake_builder *builder = job->import->builder;
    for (uint32_t s = 0; s < job->skins.count; s++) {
        const struct shared_skin *part = &job->skins.skins[s];
        const uint32_t first = builder->joint_count;
        struct joint *joints = bake_add_joint(builder, part->joint_count);
        struct skin *skin = bake_add_skin(builder, 1);
        if (joints == NULL || skin == NULL)
            return import_full(job->import, err);
        *skin = (struct skin){
            .name = {.offset = STR_NONE}, .joint_first = first, .joint_count = part->joint_count, .mesh_node = -1};
        for (uint32_t j = 0; j < part->joint_count; j++) {
            joints[j].joint_from_bind = part->joints[j].joint_from_bind;
            joints[j].node = part->joints[j].node;
        }
    }
    return 0;
}

int assimp_skins(struct assimp_job *job, struct err *err)
{
    const struct aiScene *scene = job->scene;
    struct skin_list *list = &job->skins;
    if (job->is_skeleton)
        return 0;
    list->of_mesh = mem_alloc(scene->mNumMeshes * sizeof *list->of_mesh);
    for (uint32_t m = 0; m < scene->mNumMeshes; m++) {
        const struct aiMesh *mesh = scene->mMeshes[m];
        list->of_mesh[m] = -1;
        if (mesh->mNumBones == 0)
            continue;
        if (mesh->mNumBones > job->import->limits->value[LIMIT_NODES])
            return err_set(err, ERR_MODEL_LIMIT, "mesh '%s' has %u bones, more than %s", mesh->mName.data,
                           mesh->mNumBones, LIMIT_TEXT(job->import->limits, LIMIT_NODES));
        struct skin_joint *joints = mem_alloc(mesh->mNumBones * sizeof *joints);
        uint32_t count;
        const int rc = collect(job, m, joints, &count, err);
        if (rc == 0 && count > 0)
            list->of_mesh[m] = (int32_t)place(list, joints, count);
        free(joints);
        if (rc < 0)
            return rc;
    }
    return emit(job, err);
}

void skin_list_fini(struct skin_list *list)
{
    for (uint32_t s = 0; s < list->count; s++)
        free(list->skins[s].joints);
    free(list->skins);
    free(list->of_mesh);
    *list = (struct skin_list){0};
}

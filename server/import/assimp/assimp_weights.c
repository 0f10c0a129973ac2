/* assimp_weights.c - converts the weights of assimp's bones to influences of vertices. */
#include "import/assimp/assimp_mesh.h"

#include <stdlib.h>

static int add_bone(const struct aiMesh *from, const struct aiBone *bone, uint32_t joint, struct weight_list *list,
                    struct err *err)
{
    for (uint32_t w = 0; w < bone->mNumWeights; w++) {
        const struct aiVertexWeight *weight = &bone->mWeights[w];
        if (weight->mVertexId >= from->mNumVertices)
            return err_set(err, ERR_BAD_MODEL, "bone '%s' of mesh '%s' names vertex %u of %u", bone->mName.data,
                           from->mName.data, weight->mVertexId, from->mNumVertices);
        weight_list_add(list, weight->mVertexId, joint, (double)weight->mWeight);
    }
    return 0;
}

int assimp_weights(const struct assimp_job *job, const struct aiMesh *from, const struct shared_skin *skin,
                   struct influences *out, struct err *err)
{
    struct weight_list list = {0};
    int rc = 0;
    for (uint32_t b = 0; b < from->mNumBones && rc == 0; b++) {
        const int32_t node = node_tree_index(&job->tree, &from->mBones[b]->mName);
        const int32_t joint = node < 0 ? -1 : skin_joint_of(skin, (uint32_t)node);
        if (joint >= 0) /* a warning has already named the bones without a node */
            rc = add_bone(from, from->mBones[b], (uint32_t)joint, &list, err);
    }
    influences_make(out, &list, from->mNumVertices, skin->joint_count, JOINT_NONE);
    return rc;
}

/* fbx_bind.c - the bind pose of a mesh and a bone: from the cluster, else a bind pose, else the rest pose. */
#include "import/fbx/fbx_deform.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pose: "BindPose" { PoseNode { Node: id Matrix: scene_from_node } }. The first of several matrices of a node
 * counts. */
static void read_pose(const struct fbx *fbx, uint32_t pose, uint32_t *matrices)
{
    const struct fbx_scene *scene = &fbx->scene;
    const struct fbx_file *file = &scene->file;
    for (uint32_t at = fbx_child(file, scene->objects[pose].record, "PoseNode"); at != FBX_NONE;
         at = fbx_next(file, at, "PoseNode")) {
        const uint32_t object = fbx_object_at(scene, fbx_child(file, at, "Node"), 0);
        const int32_t node = object == FBX_NONE ? -1 : fbx->node_of[object];
        if (node >= 0 && matrices[node] == FBX_NONE)
            matrices[node] = fbx_child(file, at, "Matrix");
    }
}

static uint32_t pose_matrix(const struct fbx *fbx, struct fbx_bind_poses *poses, uint32_t node)
{
    if (poses->matrices == NULL) {
        poses->matrices = mem_alloc(fbx->node_count * sizeof *poses->matrices);
        memset(poses->matrices, 0xff, fbx->node_count * sizeof *poses->matrices); /* FBX_NONE */
        for (uint32_t i = 0; i < fbx->scene.object_count; i++)
            if (fbx_object_is(&fbx->scene, i, "Pose", "BindPose"))
                read_pose(fbx, i, poses->matrices);
    }
    return poses->matrices[node];
}

/* Returns false if there are not 16 numbers, or all are 0, as programs without a bind pose write them. */
static bool read_matrix(const struct fbx *fbx, uint32_t record, struct dmat4 *out)
{
    struct err err = {0};
    double *numbers = NULL;
    uint32_t count = 0;
    bool is_zero = true, is_read = fbx_doubles(&fbx->scene.file, record, &numbers, &count, &err) == 0 && count == 16;
    for (uint32_t i = 0; is_read && i < 16; i++) {
        is_read = isfinite((float)numbers[i]);
        is_zero = is_zero && (numbers[i] == 0 || i == 15);
    }
    is_read = is_read && !is_zero;
    if (is_read)
        memcpy(out->m, numbers, sizeof out->m);
    free(numbers);
    return is_read;
}

struct dmat4 fbx_bone_from_node(const struct fbx *fbx, struct fbx_bind_poses *poses, uint32_t node, uint32_t cluster,
                                uint32_t bone)
{
    const struct fbx_file *file = &fbx->scene.file;
    const uint32_t record = fbx->scene.objects[cluster].record;
    struct dmat4 matrix, scene_from_bone = fbx->scene_from_node[bone], bone_from_scene;
    if (read_matrix(fbx, fbx_child(file, record, "Transform"), &matrix))
        return matrix;
    if (!read_matrix(fbx, fbx_child(file, record, "TransformLink"), &scene_from_bone) &&
        !read_matrix(fbx, pose_matrix(fbx, poses, bone), &scene_from_bone))
        bake_warn(fbx->builder, "bind_pose_missing", "%s has no bind matrix: the rest pose stands for it",
                  FBX_OBJECT_TEXT(&fbx->scene, cluster));
    dmat4_invert(&scene_from_bone, &bone_from_scene);
    return dmat4_mul(&bone_from_scene, &fbx->scene_from_node[node]);
}

void fbx_bind_poses_fini(struct fbx_bind_poses *poses)
{
    free(poses->matrices);
    poses->matrices = NULL;
}

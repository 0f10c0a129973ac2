/* pose.c - samples all channels of a clip and composes the hierarchy. */
#include "anim/pose/pose.h"

#include "base/err.h"
#include "base/mem.h"
#include "anim/pose/constraint.h"
#include "anim/pose/sample.h"
#include "anim/pose/scale_frame.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void pose_init(struct pose *pose) { *pose = (struct pose){0}; }

void pose_fini(struct pose *pose)
{
    free(pose->local);
    free(pose->is_animated);
    free(pose->scene_from_node);
    free(pose->weights);
    free(pose->frames);
    free(pose->is_multiplied);
    free(pose->aims);
    pose_init(pose);
}

static bool reserve_local(struct pose *pose, const struct model *model)
{
    const uint32_t nodes = model->node_count, weights = model->weight_count;
    if (nodes > pose->node_capacity || pose->local == NULL) {
        if (!mem_try_resize(&pose->local, nodes, sizeof *pose->local) ||
            !mem_try_resize(&pose->is_animated, nodes, sizeof *pose->is_animated) ||
            !mem_try_resize(&pose->scene_from_node, nodes, sizeof *pose->scene_from_node))
            return false;
        pose->node_capacity = nodes;
    }
    if (weights > pose->weight_capacity || pose->weights == NULL) {
        if (!mem_try_resize(&pose->weights, weights, sizeof *pose->weights))
            return false;
        pose->weight_capacity = weights;
    }
    return true;
}

static bool reserve_frames(struct pose *pose, const struct model *model)
{
    if (model->node_count <= pose->frame_capacity)
        return true;
    if (!mem_try_resize(&pose->frames, model->node_count, sizeof *pose->frames) ||
        !mem_try_resize(&pose->is_multiplied, model->node_count, sizeof *pose->is_multiplied))
        return false;
    pose->frame_capacity = model->node_count;
    return true;
}

static bool has_own_scales(const struct model *model) { return (model->infos[0].flags & MODEL_OWN_SCALES) != 0; }

bool pose_reserve(struct pose *pose, const struct model *model)
{
    return reserve_local(pose, model) && (!has_own_scales(model) || reserve_frames(pose, model)) &&
           constraints_reserve(pose, model);
}

struct trs pose_rest_transform(const struct node *node)
{
    struct trs trs;
    for (int i = 0; i < 3; i++) {
        trs.translation[i] = (double)node->translation[i];
        trs.scale[i] = (double)node->scale[i];
    }
    for (int i = 0; i < 4; i++)
        trs.rotation[i] = (double)node->rotation[i];
    quat_repair(trs.rotation);
    return trs;
}

static void set_rest(struct pose *pose, const struct model *model, const struct node_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const uint32_t n = list->nodes[i];
        pose->local[n] = pose_rest_transform(&model->nodes[n]);
        pose->is_animated[n] = false;
    }
    for (uint32_t i = 0; i < list->count && has_own_scales(model); i++)
        pose->is_multiplied[list->nodes[i]] = false;
    constraints_forget_given(pose, model);
    for (uint32_t w = 0; w < model->weight_count && list->is_in == NULL; w++)
        pose->weights[w] = (double)model->weights[w];
}

static void apply_clip(struct pose *pose, const struct model *model, const struct node_list *list,
                       const struct clip *clip, double clip_time_s)
{
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        const struct channel *channel = &model->channels[clip->channel_first + i];
        if (list->is_in != NULL && list->is_in[channel->node] == 0)
            continue;
        if (channel->path == PATH_VISIBILITY)
            continue;
        struct trs *local = &pose->local[channel->node];
        double *const targets[] = {local->translation, local->rotation, local->scale,
                                   pose->weights + model->nodes[channel->node].weight_first};
        if (path_is_transform(channel->path))
            pose->is_animated[channel->node] = true;
        else if (list->is_in != NULL)
            continue;
        sample_channel(model, channel, clip_time_s, targets[channel->path]);
    }
}

struct dmat4 pose_parent_from_node(const struct pose *pose, const struct model *model, uint32_t node)
{
    const int32_t matrix = model->nodes[node].matrix;
    if (matrix >= 0 && !pose->is_animated[node])
        return dmat4_from_mat4(&model->node_matrices[matrix]);
    return dmat4_from_trs(&pose->local[node]);
}

void pose_sample_nodes(struct pose *pose, const struct model *model, const struct node_list *list, int32_t clip,
                       double clip_time_s)
{
    const struct node_list sampled = pose_list(model, list);
    if (!reserve_local(pose, model) || (has_own_scales(model) && !reserve_frames(pose, model)))
        mem_exhausted();
    set_rest(pose, model, &sampled);
    if (clip >= 0)
        apply_clip(pose, model, &sampled, &model->clips[clip], clip_time_s);
}

void pose_sample(struct pose *pose, const struct model *model, int32_t clip, double clip_time_s)
{
    const struct node_list all = node_list_all(model);
    pose_sample_nodes(pose, model, &all, clip, clip_time_s);
}

void pose_set_multiplied(struct pose *pose, const struct model *model, uint32_t node, bool is_multiplied)
{
    if (has_own_scales(model))
        pose->is_multiplied[node] = is_multiplied;
}

bool pose_is_multiplied(const struct pose *pose, const struct model *model, uint32_t node)
{
    return has_own_scales(model) && pose->is_multiplied[node];
}

static struct scale_frame frame_of(const struct pose *pose, const struct model *model, uint32_t node)
{
    const int32_t parent = model->nodes[node].parent;
    const struct scale_frame *above = parent < 0 ? NULL : &pose->frames[parent];
    if (!pose->is_multiplied[node] && (model->nodes[node].matrix < 0 || pose->is_animated[node]))
        return scale_frame_below(above, &pose->local[node], model->nodes[node].flags);
    const struct dmat4 parent_from_node = pose_parent_from_node(pose, model, node);
    return scale_frame_of_matrix(above, &parent_from_node);
}

static void compose_frames(struct pose *pose, const struct model *model, const struct node_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const uint32_t node = list->nodes[i];
        pose->frames[node] = frame_of(pose, model, node);
        pose->scene_from_node[node] = scale_frame_matrix(&pose->frames[node]);
    }
}

void pose_compose_nodes(struct pose *pose, const struct model *model, const struct node_list *list)
{
    const struct node_list composed = pose_list(model, list);
    if (model->constraint_count > 0)
        constraints_apply(pose, model);
    if (has_own_scales(model)) {
        compose_frames(pose, model, &composed);
        return;
    }
    for (uint32_t i = 0; i < composed.count; i++) {
        const uint32_t node = composed.nodes[i];
        const int32_t parent = model->nodes[node].parent;
        const struct dmat4 parent_from_node = pose_parent_from_node(pose, model, node);
        pose->scene_from_node[node] =
            parent < 0 ? parent_from_node : dmat4_mul(&pose->scene_from_node[parent], &parent_from_node);
    }
}

void pose_compose(struct pose *pose, const struct model *model)
{
    const struct node_list all = node_list_all(model);
    pose_compose_nodes(pose, model, &all);
}

void pose_evaluate(struct pose *pose, const struct model *model, int32_t clip, double clip_time_s)
{
    pose_sample(pose, model, clip, clip_time_s);
    pose_compose(pose, model);
}

/* Composes all nodes to get one. Only pose_space_from_scene() with a single root, in such a model, needs it. */
static struct dmat4 rest_with_own_scales(const struct model *model, uint32_t node)
{
    struct pose pose;
    pose_init(&pose);
    pose_evaluate(&pose, model, POSE_REST, 0);
    const struct dmat4 scene_from_node = pose.scene_from_node[node];
    pose_fini(&pose);
    return scene_from_node;
}

static struct dmat4 rest_scene_from_node(const struct model *model, uint32_t node)
{
    if (has_own_scales(model) && model->nodes[node].parent >= 0)
        return rest_with_own_scales(model, node);
    struct dmat4 scene_from_node = DMAT4_IDENTITY;
    for (int32_t n = (int32_t)node; n >= 0; n = model->nodes[n].parent) {
        const struct trs trs = pose_rest_transform(&model->nodes[n]);
        const int32_t matrix = model->nodes[n].matrix;
        const struct dmat4 parent_from_node =
            matrix >= 0 ? dmat4_from_mat4(&model->node_matrices[matrix]) : dmat4_from_trs(&trs);
        scene_from_node = dmat4_mul(&parent_from_node, &scene_from_node);
    }
    return scene_from_node;
}

int pose_space_from_scene(const struct pose *pose, const struct model *model, enum space space, int32_t mesh_node,
                          struct dmat4 *space_from_scene, struct err *err)
{
    struct dmat4 scene_from_space = DMAT4_IDENTITY;
    int32_t node = -1;
    if (space == SPACE_ROOT && model->root_count == 1) {
        node = (int32_t)model->scene_roots[0];
        scene_from_space = rest_scene_from_node(model, (uint32_t)node);
    } else if (space == SPACE_MESH && mesh_node >= 0) {
        node = mesh_node;
        scene_from_space = pose->scene_from_node[node];
    }
    if (!dmat4_invert(&scene_from_space, space_from_scene))
        return err_set(err, ERR_NOT_FINITE, "the %s node %d has a transform that cannot be inverted",
                       space == SPACE_ROOT ? "root" : "mesh", (int)node);
    return 0;
}

static bool fits_float(const struct dmat4 *m)
{
    for (int i = 0; i < 16; i++)
        if (!(fabs(m->m[i]) <= (double)FLT_MAX)) /* also for NaN */
            return false;
    return true;
}

int pose_name_joint(const struct model *model, uint32_t skin, uint32_t joint, struct err *err)
{
    const uint32_t node = model->joints[model->skins[skin].joint_first + joint].node;
    char name[SHORT_NAME_SIZE];
    return err_prefix(err, "joint %u of skin %u (node %u '%s')", joint, skin, node,
                      short_name(model, model->nodes[node].name, name));
}

int pose_palette(const struct pose *pose, const struct model *model, uint32_t skin,
                 const struct dmat4 *space_from_scene, struct mat4 *out, struct err *err)
{
    const struct skin *s = &model->skins[skin];
    for (uint32_t j = 0; j < s->joint_count; j++) {
        const struct joint *joint = &model->joints[s->joint_first + j];
        const struct dmat4 joint_from_bind = dmat4_from_mat4(&joint->joint_from_bind);
        const struct dmat4 scene_from_bind = dmat4_mul(&pose->scene_from_node[joint->node], &joint_from_bind);
        const struct dmat4 space_from_bind = dmat4_mul(space_from_scene, &scene_from_bind);
        if (!fits_float(&space_from_bind)) {
            err_set(err, ERR_NOT_FINITE, "its matrix is not finite");
            return pose_name_joint(model, skin, j, err);
        }
        out[j] = mat4_from_dmat4(&space_from_bind);
    }
    return 0;
}

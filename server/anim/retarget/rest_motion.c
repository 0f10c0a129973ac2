#include "anim/retarget/rest_motion.h"

#include "anim/retarget/rest_correction.h"
#include "anim/retarget/rest_pairs.h"
#include "anim/retarget/retarget.h"
#include "anim/retarget/t_pose.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS_MOST = 20000000 }; /* for one pose */

/* --- pairs --- */

/* Returns [node_count]: 1 for the hips and their ancestors. The caller frees it. */
static uint8_t *mark_above(const struct rest_rig *rig)
{
    uint8_t *is_above = mem_zalloc((size_t)rig->model->node_count + 1, sizeof *is_above);
    for (int32_t n = rig->humanoid.nodes[ROLE_HIPS]; n >= 0; n = rig->model->nodes[n].parent)
        is_above[n] = 1;
    return is_above;
}

static void add_joint(struct rest_motion *motion, uint32_t node, uint32_t source, bool has_translation,
                      const struct mat3 *correction)
{
    const struct mat3 turned = mat3_mul(correction, &motion->model.scene_from_node[node]);
    const struct mat3 seen = mat3_transpose_mul(&motion->model_from_source, &turned);
    struct rest_joint *joint = &motion->joints[motion->joint_count];
    *joint =
        (struct rest_joint){.node = node,
                            .source = source,
                            .has_translation = has_translation,
                            .carrier = -1,
                            .source_from_joint = mat3_transpose_mul(&motion->source.scene_from_node[source], &seen)};
    memcpy(joint->model_rest, pose_place(&motion->model.pose, (int32_t)node), sizeof joint->model_rest);
    memcpy(joint->source_rest, pose_place(&motion->source.pose, (int32_t)source), sizeof joint->source_rest);
    motion->joint_of_node[node] = (int32_t)motion->joint_count++;
}

/* Finds the place of a loose foot below its leg. */
static void set_carrier(struct rest_motion *motion, int role)
{
    const struct rest_rig *rig = &motion->model;
    struct rest_joint *joint = &motion->joints[motion->joint_of_node[rig->humanoid.nodes[role]]];
    struct dmat4 carrier_from_scene;
    if (!humanoid_foot_is_loose(rig->model, &rig->humanoid, role) ||
        !dmat4_invert(&rig->pose.scene_from_node[rig->humanoid.nodes[role - 1]], &carrier_from_scene))
        return;
    joint->has_translation = true;
    joint->carrier = rig->humanoid.nodes[role - 1];
    dmat4_point(&carrier_from_scene, joint->model_rest, joint->carrier_from_place);
}

/* sources: [node_count of the model], the node that each follows, or -1. */
static void add_joints(struct rest_motion *motion, const int32_t *sources)
{
    const struct model *model = motion->model.model;
    struct mat3 *corrections = mem_alloc((size_t)model->node_count * sizeof *corrections + 1);
    int8_t *roles = mem_alloc((size_t)model->node_count + 1);
    uint8_t *is_above = mark_above(&motion->model), *is_source_above = mark_above(&motion->source);
    memset(roles, ROLE_NONE, model->node_count);
    for (int role = 0; role < ROLE_COUNT; role++)
        if (motion->model.humanoid.nodes[role] >= 0)
            roles[motion->model.humanoid.nodes[role]] = (int8_t)role;
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t node = model->node_order[i];
        const int32_t parent = model->nodes[node].parent;
        const struct mat3 *above = parent < 0 ? &MAT3_IDENTITY : &corrections[parent];
        const bool is_paired = sources[node] >= 0;
        corrections[node] = is_paired && roles[node] >= 0 ? rest_correct(motion, roles[node], above) : *above;
        motion->joint_of_node[node] = -1;
        if (is_paired)
            add_joint(motion, node, (uint32_t)sources[node], is_above[node] != 0 && is_source_above[sources[node]] != 0,
                      &corrections[node]);
    }
    free(corrections);
    free(roles);
    free(is_above);
    free(is_source_above);
}

/* --- the stance --- */

/* Returns the mean height of both ankles. */
static double ankles(const struct rest_rig *rig, const struct pose *pose)
{
    const double *up = &rig->axes.m[3];
    return (dot3(pose_place(pose, rig->humanoid.nodes[ROLE_LEFT_FOOT]), up) +
            dot3(pose_place(pose, rig->humanoid.nodes[ROLE_RIGHT_FOOT]), up)) /
           2;
}

/* Returns how far a rest under the ground must be lifted to stand on it. */
static double find_lift(const struct rest_rig *rig)
{
    static const int8_t SOLES[] = {ROLE_LEFT_FOOT, ROLE_LEFT_TOES, ROLE_RIGHT_FOOT, ROLE_RIGHT_TOES};
    double lowest = HUGE_VAL;
    for (size_t i = 0; i < sizeof SOLES; i++)
        if (rig->humanoid.nodes[SOLES[i]] >= 0)
            lowest = fmin(lowest, dot3(pose_place(&rig->pose, rig->humanoid.nodes[SOLES[i]]), &rig->axes.m[3]));
    return lowest < -rig->leg_length / 2 ? -lowest : 0;
}

static void raise(double place[3], const double up[3], double by)
{
    for (int i = 0; i < 3; i++)
        place[i] += by * up[i];
}

/* Finds the place of the model's hips in the source's stance. */
static void find_stance(struct rest_motion *motion)
{
    const int32_t hips = motion->joint_of_node[motion->model.humanoid.nodes[ROLE_HIPS]];
    struct rest_joint *joint = &motion->joints[hips];
    struct pose pose;
    if (motion->is_by_t_pose) {
        t_pose_place(&motion->model_from_source, motion->scale, joint->source_rest, joint->model_rest);
        return;
    }
    pose_init(&pose);
    rest_motion_evaluate(motion, motion->reference.stance_clip, motion->reference.stance_time_s, &pose);
    raise(joint->model_rest, &motion->model.axes.m[3],
          ankles(&motion->model, &motion->model.pose) - ankles(&motion->model, &pose) + find_lift(&motion->model));
    raise(joint->source_rest, &motion->source.axes.m[3], find_lift(&motion->source) - motion->reference.lowering);
    pose_fini(&pose);
}

/* Puts the source into the pose that stands for its rest. Over the ground it stays where its rest is. Between two
 * T-poses places count from the scene's origin, so a rest is not lowered. */
static void set_reference(struct rest_motion *motion)
{
    struct rest_reference *reference = &motion->reference;
    struct rest_rig *source = &motion->source;
    motion->is_by_t_pose = !reference->is_posed && t_pose_is_of_both(motion->model.model, source->model);
    if (motion->is_by_t_pose)
        reference->lowering = 0;
    if (reference->is_posed)
        rest_rig_set_pose(source, reference->clip, reference->time_s, &reference->axes);
    motion->model_from_source = mat3_mul_transpose(&motion->model.axes, &source->axes);
    motion->seen_from_source =
        mat3_mul_transpose(&motion->model.axes, reference->is_warned ? &reference->axes : &source->axes);
    const struct mat3 turn = reference->is_posed ? rest_correct_trunk(motion, false) : MAT3_IDENTITY;
    const double cosine = (turn.m[0] + turn.m[4] + turn.m[8] - 1) / 2;
    motion->hips_turned_deg = acos(fmin(fmax(cosine, -1), 1)) * 57.29577951308232;
}

/* Takes the way over the ground from the rest of a posed source to its reference out of the places there. */
static void stay_over_ground(struct rest_motion *motion)
{
    const double *up = &motion->source.axes.m[3];
    struct pose rest, stance;
    pose_init(&rest);
    pose_init(&stance);
    pose_evaluate(&rest, motion->source.model, POSE_REST, 0);
    pose_evaluate(&stance, motion->source.model, motion->reference.stance_clip, motion->reference.stance_time_s);
    for (uint32_t j = 0; j < motion->joint_count; j++) {
        struct rest_joint *joint = &motion->joints[j];
        const double *place = pose_place(&rest, (int32_t)joint->source);
        const double height = dot3(pose_place(&stance, (int32_t)joint->source), up) - dot3(place, up);
        for (int i = 0; i < 3; i++)
            joint->source_rest[i] = place[i] + height * up[i];
    }
    pose_fini(&rest);
    pose_fini(&stance);
}

uint64_t rest_motion_steps(const struct rest_motion *motion)
{
    const struct model *model = motion->model.model;
    uint64_t steps = motion->source.model->node_count + 3 * (uint64_t)model->node_count;
    for (uint32_t j = 0; j < motion->joint_count && (model->infos[0].flags & MODEL_OWN_SCALES) != 0; j++)
        steps += ((uint64_t)motion->joints[j].has_translation + (motion->joints[j].carrier >= 0)) * model->node_count;
    return steps;
}

static void add_nothing(struct rest_motion *motion, int32_t *partners)
{
    motion->scale = 1;
    motion->reference.clip = motion->reference.stance_clip = POSE_REST;
    motion->model_from_source = motion->seen_from_source = MAT3_IDENTITY;
    motion->joints = mem_alloc(1);
    motion->joint_of_node = mem_alloc((size_t)motion->node_count * sizeof *motion->joint_of_node + 1);
    motion->turns = mem_alloc((size_t)motion->node_count * sizeof *motion->turns + 1);
    memset(motion->joint_of_node, 0xff, (size_t)motion->node_count * sizeof *motion->joint_of_node);
    for (uint32_t n = 0; n < motion->source.model->node_count; n++)
        partners[n] = -1 - RETARGET_MISSING;
}

/* The source's rig has only its model and no roles. */
static bool is_face_alone(struct rest_motion *motion, const struct model *source, const struct humanoid *humanoid)
{
    motion->is_face_alone = humanoid_is_none(humanoid->nodes);
    if (motion->is_face_alone)
        motion->source = (struct rest_rig){.model = source, .humanoid = *humanoid, .axes = MAT3_IDENTITY};
    return motion->is_face_alone;
}

int rest_motion_init(struct rest_motion *motion, const struct model *model, const struct humanoid *model_humanoid,
                     const struct model *source, const struct humanoid *source_humanoid,
                     const struct rest_choice *choice, uint64_t max_steps, int32_t *partners, struct err *err)
{
    *motion = (struct rest_motion){.node_count = model->node_count};
    pose_init(&motion->source_pose);
    const int rc = rest_rig_init(&motion->model, model, model_humanoid, err);
    if (rc == 0 && is_face_alone(motion, source, source_humanoid)) {
        add_nothing(motion, partners);
        return 0;
    }
    const int source_rc = rc < 0 ? rc : rest_rig_init(&motion->source, source, source_humanoid, err);
    if (source_rc < 0 || rest_reference_find(&motion->reference, &motion->source, choice, max_steps, err) < 0)
        return err->code;
    if (!motion->reference.is_posed && !motion->reference.is_warned)
        motion->swap = rest_rig_swap(&motion->model, &motion->source);
    set_reference(motion);
    motion->scale = motion->is_by_t_pose ? t_pose_scale(&motion->model, &motion->source)
                                         : motion->model.leg_length / motion->source.leg_length;
    motion->joints = mem_alloc((size_t)model->node_count * sizeof *motion->joints + 1);
    motion->joint_of_node = mem_alloc((size_t)model->node_count * sizeof *motion->joint_of_node + 1);
    motion->turns = mem_alloc((size_t)model->node_count * sizeof *motion->turns + 1);
    int32_t *sources = mem_alloc((size_t)model->node_count * sizeof *sources + 1);
    memset(sources, 0xff, (size_t)model->node_count * sizeof *sources);
    rest_pairs_find(model, model_humanoid, source, source_humanoid, partners);
    for (uint32_t n = 0; n < source->node_count; n++)
        if (partners[n] >= 0)
            sources[partners[n]] = (int32_t)n;
    add_joints(motion, sources);
    set_carrier(motion, ROLE_LEFT_FOOT);
    set_carrier(motion, ROLE_RIGHT_FOOT);
    if (motion->reference.is_posed)
        stay_over_ground(motion);
    free(sources);
    const uint64_t steps = rest_motion_steps(motion);
    if (steps > STEPS_MOST)
        return err_set(err, ERR_TOO_MANY_FRAMES, "one pose takes %llu steps: the hips hang below too many joints",
                       (unsigned long long)steps);
    find_stance(motion);
    return 0;
}

void rest_motion_fini(struct rest_motion *motion)
{
    rest_rig_fini(&motion->model);
    rest_rig_fini(&motion->source);
    free(motion->joints);
    free(motion->joint_of_node);
    free(motion->turns);
    pose_fini(&motion->source_pose);
    *motion = (struct rest_motion){0};
}

void rest_motion_trim(struct rest_motion *motion)
{
    free(motion->turns);
    motion->turns = NULL;
    pose_fini(&motion->source_pose);
    rest_rig_fini(&motion->model);
    rest_rig_fini(&motion->source);
}

uint64_t rest_motion_held_bytes(const struct rest_motion *motion)
{
    const uint64_t node_bytes = sizeof *motion->joints + sizeof *motion->joint_of_node;
    return motion->node_count * node_bytes;
}

/* --- a pose --- */

struct dmat4 rest_motion_scene(const struct model *model, struct pose *pose, int32_t node)
{
    struct dmat4 scene_from_node = DMAT4_IDENTITY;
    if (node >= 0 && (model->infos[0].flags & MODEL_OWN_SCALES) != 0) {
        pose_compose(pose, model);
        return pose->scene_from_node[node];
    }
    for (int32_t n = node; n >= 0; n = model->nodes[n].parent) {
        const struct dmat4 parent_from_node = pose_parent_from_node(pose, model, (uint32_t)n);
        scene_from_node = dmat4_mul(&parent_from_node, &scene_from_node);
    }
    return scene_from_node;
}

/* Sets the local rotations of all joints, parents first. */
static void turn_joints(struct rest_motion *motion, struct pose *pose)
{
    const struct rest_rig *rig = &motion->model;
    for (uint32_t i = 0; i < rig->model->order_count; i++) {
        const uint32_t node = rig->model->node_order[i];
        const int32_t parent = rig->model->nodes[node].parent, j = motion->joint_of_node[node];
        const struct mat3 *parent_rest = parent < 0 ? &MAT3_IDENTITY : &rig->scene_from_node[parent];
        const struct mat3 *parent_turn = parent < 0 ? &MAT3_IDENTITY : &motion->turns[parent];
        const struct mat3 rest = mat3_transpose_mul(parent_rest, &rig->scene_from_node[node]); /* R0 * K */
        if (j < 0) {
            motion->turns[node] = mat3_mul(parent_turn, &rest);
            continue;
        }
        const struct rest_joint *joint = &motion->joints[j];
        const struct mat3 source = rest_rig_turn(&motion->source, &motion->source_pose, joint->source);
        const struct mat3 seen = mat3_mul(&source, &joint->source_from_joint);
        motion->turns[node] = mat3_mul(&motion->model_from_source, &seen);
        const struct mat3 local_rest = mat3_from_quat(pose->local[node].rotation);
        const struct mat3 turned = mat3_transpose_mul(parent_turn, &motion->turns[node]); /* R * K */
        const struct mat3 since = mat3_mul_transpose(&turned, &rest);
        const struct mat3 local = mat3_mul(&since, &local_rest);
        mat3_to_quat(&local, pose->local[node].rotation);
        pose->is_animated[node] = true;
    }
}

/* The node that was moved last, and its new place. */
struct moved {
    int32_t node; /* -1: there is none yet */
    struct dmat4 scene_from_node;
};

/* As rest_motion_scene(), but starts at `last` where the node is below it. */
static struct dmat4 scene_below(const struct model *model, struct pose *pose, int32_t node, const struct moved *last)
{
    struct dmat4 last_from_node = DMAT4_IDENTITY;
    if (last->node < 0 || (model->infos[0].flags & MODEL_OWN_SCALES) != 0)
        return rest_motion_scene(model, pose, node);
    for (int32_t n = node; n != last->node; n = model->nodes[n].parent) {
        const struct dmat4 parent_from_node = pose_parent_from_node(pose, model, (uint32_t)n);
        last_from_node = dmat4_mul(&parent_from_node, &last_from_node);
    }
    return dmat4_mul(&last->scene_from_node, &last_from_node);
}

/* Moves a joint. Moved joints are ancestors of each other, so each starts from the last one. */
static void move_joint(const struct rest_motion *motion, const struct rest_joint *joint, struct pose *pose,
                       struct moved *last)
{
    const struct model *model = motion->model.model;
    double moved[3];
    const double *place = pose_place(&motion->source_pose, (int32_t)joint->source);
    for (int i = 0; i < 3; i++)
        moved[i] = motion->scale * (place[i] - joint->source_rest[i]);
    mat3_direction(&motion->model_from_source, moved, moved);
    for (int i = 0; i < 3; i++)
        moved[i] += joint->model_rest[i];
    struct dmat4 parent_from_scene;
    const struct dmat4 scene_from_parent = scene_below(model, pose, model->nodes[joint->node].parent, last);
    if (dmat4_invert(&scene_from_parent, &parent_from_scene))
        dmat4_point(&parent_from_scene, moved, pose->local[joint->node].translation);
    const struct dmat4 parent_from_node = pose_parent_from_node(pose, model, joint->node);
    *last = (struct moved){(int32_t)joint->node, dmat4_mul(&scene_from_parent, &parent_from_node)};
}

void rest_motion_carry(const struct rest_motion *motion, struct pose *pose)
{
    const struct model *model = motion->model.model;
    for (uint32_t j = 0; j < motion->joint_count; j++) {
        const struct rest_joint *joint = &motion->joints[j];
        double place[3];
        struct dmat4 parent_from_scene;
        if (joint->carrier < 0)
            continue;
        const struct dmat4 scene_from_carrier = rest_motion_scene(model, pose, joint->carrier);
        const struct dmat4 scene_from_parent = rest_motion_scene(model, pose, model->nodes[joint->node].parent);
        dmat4_point(&scene_from_carrier, joint->carrier_from_place, place);
        if (dmat4_invert(&scene_from_parent, &parent_from_scene))
            dmat4_point(&parent_from_scene, place, pose->local[joint->node].translation);
    }
}

void rest_motion_evaluate(struct rest_motion *motion, int32_t clip, double clip_time_s, struct pose *pose)
{
    pose_evaluate(&motion->source_pose, motion->source.model, clip, clip_time_s);
    pose_sample(pose, motion->model.model, POSE_REST, 0);
    turn_joints(motion, pose);
    struct moved last = {.node = -1};
    for (uint32_t j = 0; j < motion->joint_count; j++)
        if (motion->joints[j].has_translation && motion->joints[j].carrier < 0)
            move_joint(motion, &motion->joints[j], pose, &last);
    rest_motion_carry(motion, pose);
    pose_compose(pose, motion->model.model);
}

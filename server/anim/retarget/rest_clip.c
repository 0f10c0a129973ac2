#include "anim/retarget/rest_clip.h"

#include "anim/retarget/clip_times.h"
#include "anim/retarget/leg_ik.h"
#include "anim/retarget/planted_feet.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES_MAX = 1 << 24 };

/* Returns 1 for an eye that turns and is no joint of the motion. */
static bool is_own_eye(const struct rest_motion *motion, const struct rest_face *face, int eye)
{
    return face != NULL && face->eyes[eye] >= 0 && motion->joint_of_node[face->eyes[eye]] < 0;
}

/* Returns the floats of all channels at one time. */
static uint64_t values_of(const struct rest_motion *motion, const struct rest_face *face)
{
    uint64_t values = face == NULL ? 0 : face->weight_count;
    for (uint32_t j = 0; j < motion->joint_count; j++)
        values += motion->joints[j].has_translation ? 7 : 4;
    for (int eye = 0; eye < 2; eye++)
        values += is_own_eye(motion, face, eye) ? 4 : 0;
    return values;
}

static void add_channel(struct rest_clip *made, uint32_t node, uint32_t path, uint32_t components, uint32_t first)
{
    made->channels[made->channel_count++] = (struct rest_channel){node, path, components, first, NULL};
}

static void add_channels(struct rest_clip *made, const struct rest_motion *motion, const struct rest_face *face)
{
    const uint32_t face_nodes = face == NULL ? 0 : face->node_count;
    made->channels = mem_zalloc(2 * (size_t)motion->joint_count + face_nodes + 2, sizeof *made->channels);
    for (uint32_t j = 0; j < motion->joint_count; j++) {
        const struct rest_joint *joint = &motion->joints[j];
        add_channel(made, joint->node, PATH_ROTATION, 4, 0);
        if (joint->has_translation)
            add_channel(made, joint->node, PATH_TRANSLATION, 3, 0);
    }
    for (int eye = 0; eye < 2; eye++)
        if (is_own_eye(motion, face, eye))
            add_channel(made, (uint32_t)face->eyes[eye], PATH_ROTATION, 4, 0);
    for (uint32_t n = 0; n < face_nodes; n++) {
        const struct face_node *node = &face->nodes[n];
        add_channel(made, node->node, PATH_WEIGHTS, face->model->nodes[node->node].weight_count, node->first);
    }
    made->value_count = values_of(motion, face) * made->time_count;
    made->values = mem_alloc(made->value_count * sizeof *made->values + 1);
    float *at = made->values;
    for (uint32_t c = 0; c < made->channel_count; c++) {
        made->channels[c].values = at;
        at += made->channels[c].component_count * (size_t)made->time_count;
    }
}

/* Stores rotations with the sign closest to the one before, so that their components are continuous. */
static void store(struct rest_clip *made, const struct pose *pose, const struct rest_face *face, uint32_t i)
{
    for (uint32_t c = 0; c < made->channel_count; c++) {
        const struct rest_channel *channel = &made->channels[c];
        const struct trs *local = &pose->local[channel->node];
        if (channel->path == PATH_WEIGHTS) {
            memcpy(channel->values + channel->component_count * (size_t)i, face->weights + channel->first,
                   channel->component_count * sizeof *channel->values);
            continue;
        }
        if (channel->path == PATH_TRANSLATION) {
            for (int k = 0; k < 3; k++)
                channel->values[3 * (size_t)i + (size_t)k] = (float)local->translation[k];
            continue;
        }
        float *to = channel->values + 4 * (size_t)i;
        double dot = 0;
        for (int k = 0; k < 4 && i > 0; k++)
            dot += local->rotation[k] * (double)to[k - 4];
        for (int k = 0; k < 4; k++)
            to[k] = (float)(dot < 0 ? -local->rotation[k] : local->rotation[k]);
    }
}

/* --- feet --- */

static void see_feet(const struct rest_rig *rig, const struct pose *pose, bool has_ball, struct feet *feet)
{
    static const int8_t ANKLES[FEET] = {ROLE_LEFT_FOOT, ROLE_RIGHT_FOOT};
    for (int foot = 0; foot < FEET; foot++)
        for (int point = 0; point < FOOT_POINTS; point++) {
            const int role = ANKLES[foot] + (point == FOOT_BALL && has_ball ? 1 : 0); /* toes follow feet */
            memcpy(feet->places[foot][point], pose_place(pose, rig->humanoid.nodes[role]), 3 * sizeof(double));
        }
}

static bool has_ball(const struct rest_motion *motion)
{
    const int32_t *model = motion->model.humanoid.nodes, *source = motion->source.humanoid.nodes;
    return model[ROLE_LEFT_TOES] >= 0 && model[ROLE_RIGHT_TOES] >= 0 && source[ROLE_LEFT_TOES] >= 0 &&
           source[ROLE_RIGHT_TOES] >= 0;
}

/* The motion of the clip's feet: [time_count] each. */
struct tracks {
    struct feet *model, *source;
    double (*offsets)[FEET][3]; /* added by the foot lock */
    bool has_ball;
};

static struct leg find_leg(const struct rest_motion *motion, int foot)
{
    const int32_t *nodes = motion->model.humanoid.nodes + (foot == 0 ? ROLE_LEFT_UPPER_LEG : ROLE_RIGHT_UPPER_LEG);
    return (struct leg){nodes[0], nodes[1], nodes[2], motion->joints[motion->joint_of_node[nodes[2]]].carrier >= 0};
}

/* Returns how far the hips must sink so that this ankle can be reached; 0 when it can. */
static double find_drop(const struct leg *leg, const struct pose *pose, const double ankle[3], const double up[3])
{
    double away[3], height;
    const double *hip = pose_place(pose, leg->upper), reach = leg_reach(leg, pose);
    for (int i = 0; i < 3; i++)
        away[i] = ankle[i] - hip[i];
    height = dot3(away, up);
    const double far = dot3(away, away) - height * height, left = reach * reach - far;
    return left < 0 ? fmax(0, -height) : fmax(0, -height - sqrt(left));
}

static void sink(const struct rest_motion *motion, double drop, struct pose *pose)
{
    const struct model *model = motion->model.model;
    const int32_t hips = motion->model.humanoid.nodes[ROLE_HIPS];
    double place[3];
    memcpy(place, pose_place(pose, hips), sizeof place);
    for (int i = 0; i < 3; i++)
        place[i] -= drop * motion->model.axes.m[3 + i];
    struct dmat4 parent_from_scene;
    const struct dmat4 scene_from_parent = rest_motion_scene(model, pose, model->nodes[hips].parent);
    if (dmat4_invert(&scene_from_parent, &parent_from_scene))
        dmat4_point(&parent_from_scene, place, pose->local[hips].translation);
    rest_motion_carry(motion, pose);
    pose_compose(pose, model);
}

/* Moves both ankles of an evaluated pose by the offsets. */
static void put_feet(const struct rest_motion *motion, const double offsets[FEET][3], struct pose *pose)
{
    double ankles[FEET][3], forward[3], drop = 0;
    const struct mat3 *hips = &motion->turns[motion->model.humanoid.nodes[ROLE_HIPS]];
    const struct mat3 *hips_rest = &motion->model.scene_from_node[motion->model.humanoid.nodes[ROLE_HIPS]];
    const struct mat3 since_rest = mat3_mul_transpose(hips, hips_rest);
    mat3_direction(&since_rest, &motion->model.axes.m[6], forward);
    for (int foot = 0; foot < FEET; foot++) {
        const struct leg leg = find_leg(motion, foot);
        for (int i = 0; i < 3; i++)
            ankles[foot][i] = pose_place(pose, leg.foot)[i] + offsets[foot][i];
        if (dot3(offsets[foot], offsets[foot]) > 0)
            drop = fmax(drop, find_drop(&leg, pose, ankles[foot], &motion->model.axes.m[3]));
    }
    if (drop > 0)
        sink(motion, drop, pose);
    for (int foot = 0; foot < FEET; foot++) {
        const struct leg leg = find_leg(motion, foot);
        if (drop > 0 || dot3(offsets[foot], offsets[foot]) > 0)
            leg_put(&leg, motion->model.model, motion->turns, ankles[foot], forward, pose);
    }
    rest_motion_carry(motion, pose);
    pose_compose(pose, motion->model.model);
}

/* --- samples --- */

static bool is_stopped(const struct rest_clip_options *options)
{
    return options->is_stopped != NULL && *options->is_stopped;
}

/* Makes all samples, with offsets those of locked feet. False: it was stopped. */
static bool sample(struct rest_clip *made, struct rest_motion *motion, uint32_t clip,
                   const struct rest_clip_options *options, struct tracks *tracks)
{
    struct pose pose;
    bool is_going = true;
    made->limbs = (struct limb_angles){0};
    pose_init(&pose);
    for (uint32_t i = 0; i < made->time_count && is_going; i++) {
        rest_motion_evaluate(motion, (int32_t)clip, made->times[i], &pose);
        if (tracks->offsets != NULL)
            put_feet(motion, (const double(*)[3])tracks->offsets[i], &pose);
        if (options->face != NULL)
            rest_face_evaluate(options->face, &motion->model, &motion->source_pose, &pose);
        store(made, &pose, options->face, i);
        is_going = !is_stopped(options);
        if (motion->is_face_alone)
            continue;
        limb_angles_see(&made->limbs, motion, &pose);
        see_feet(&motion->source, &motion->source_pose, tracks->has_ball, &tracks->source[i]);
        see_feet(&motion->model, &pose, tracks->has_ball, &tracks->model[i]);
    }
    pose_fini(&pose);
    return is_going;
}

static bool make(struct rest_clip *made, struct rest_motion *motion, uint32_t clip,
                 const struct rest_clip_options *options, struct tracks *tracks)
{
    struct planted_feet planted;
    if (!sample(made, motion, clip, options, tracks))
        return false;
    if (motion->is_face_alone)
        return true;
    planted_feet_init(&planted, made->times, tracks->source, made->time_count, tracks->has_ball,
                      motion->source.leg_length, &motion->source.axes.m[3]);
    bool is_done = true;
    if (options->has_locked_feet && planted.stand_count > 0) {
        tracks->offsets = mem_zalloc(made->time_count, sizeof *tracks->offsets);
        planted_feet_lock(&planted, tracks->model, tracks->offsets);
        is_done = sample(made, motion, clip, options, tracks);
        free(tracks->offsets);
    }
    made->slide = planted_feet_slide(&planted, tracks->model, motion->model.leg_length, tracks->source,
                                     motion->source.leg_length);
    planted_feet_fini(&planted);
    return is_done;
}

int rest_clip_init(struct rest_clip *made, struct rest_motion *motion, uint32_t clip,
                   const struct rest_clip_options *options, struct err *err)
{
    const struct model *source = motion->source.model;
    const uint64_t face_steps = options->face == NULL ? 0 : rest_face_steps(options->face);
    const uint64_t steps = (rest_motion_steps(motion) + face_steps) * (options->has_locked_feet ? 2 : 1);
    char name[SHORT_NAME_SIZE];
    *made = (struct rest_clip){0};
    const uint64_t most = VALUES_MAX / (values_of(motion, options->face) + 1);
    const uint64_t affordable = options->max_steps == 0 ? UINT64_MAX : options->max_steps / steps;
    made->times =
        clip_times_make(source, &source->clips[clip], most < affordable ? most : affordable, &made->time_count);
    if (made->times == NULL)
        return err_set(err, ERR_TOO_MANY_FRAMES,
                       "clip '%s' has too many keys, or is too long, to be retargeted by rest poses: each moment takes "
                       "%llu steps, of %llu that one request may ask for",
                       short_name(source, source->clips[clip].name, name), (unsigned long long)steps,
                       (unsigned long long)options->max_steps);
    made->steps = steps * made->time_count;
    struct tracks tracks = {.model = mem_alloc(made->time_count * sizeof *tracks.model),
                            .source = mem_alloc(made->time_count * sizeof *tracks.source),
                            .has_ball = has_ball(motion)};
    add_channels(made, motion, options->face);
    const bool is_done = make(made, motion, clip, options, &tracks);
    free(tracks.model);
    free(tracks.source);
    return is_done ? 0 : err_set(err, ERR_SHUTTING_DOWN, "retargeting was stopped");
}

void rest_clip_fini(struct rest_clip *made)
{
    free(made->times);
    free(made->channels);
    free(made->values);
    *made = (struct rest_clip){0};
}

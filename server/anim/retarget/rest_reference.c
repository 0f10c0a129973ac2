#include "anim/retarget/rest_reference.h"

#include <math.h>
#include <string.h>

enum { CLIPS_SAMPLED = 16, KEYS_SAMPLED = 16 };
/* Cosines and shares of a pose that stands: legs within 60 degrees of the trunk's line, knees bent by 60 at most. */
static const double LEG_ALONG = 0.5, LEG_STRETCH = 0.86;
static const double UPRIGHT = 0.70711;  /* cosine of 45 degrees */
static const double ALONG_AXIS = 0.866; /* cosine of 30 degrees */
static const double MARGIN = 0.1;       /* a later frame must stand better by this much */

/* --- one pose --- */

/* Finds the unit vector from the hips to the top of the trunk. False: there is none. */
static bool find_trunk(const struct rest_rig *rig, const struct pose *pose, double up[3])
{
    static const int8_t TOPS[] = {ROLE_NECK, ROLE_HEAD, ROLE_UPPER_CHEST, ROLE_CHEST, ROLE_SPINE};
    const int32_t *nodes = rig->humanoid.nodes;
    for (size_t i = 0; i < sizeof TOPS; i++)
        if (nodes[TOPS[i]] >= 0 && direction3(pose_place(pose, nodes[ROLE_HIPS]), pose_place(pose, nodes[TOPS[i]]),
                                              up) > 0.05 * rig->leg_length)
            return true;
    return false;
}

bool rest_trunk(const struct rest_rig *rig, const struct pose *pose, enum humanoid_role left, enum humanoid_role right,
                double up[3], double across[3])
{
    const int32_t *nodes = rig->humanoid.nodes;
    if (nodes[left] < 0 || nodes[right] < 0 || !find_trunk(rig, pose, up))
        return false;
    if (!(direction3(pose_place(pose, nodes[right]), pose_place(pose, nodes[left]), across) > 0.02 * rig->leg_length))
        return false;
    const double along = dot3(across, up);
    for (int i = 0; i < 3; i++)
        across[i] -= along * up[i];
    return unit3(across) > 0.1;
}

/* How a pose stands. */
struct stance {
    bool has_trunk, stands;
    double trunk[3];
    double score; /* larger is better */
};

/* Judges one leg: adds to the score, and clears `stands` where it does not stand. */
static void judge_leg(const struct rest_rig *rig, const struct pose *pose, enum humanoid_role upper,
                      struct stance *stance)
{
    double line[3], part[3];
    const int32_t *nodes = rig->humanoid.nodes + upper;
    const double whole = direction3(pose_place(pose, nodes[0]), pose_place(pose, nodes[2]), line);
    const double thigh = direction3(pose_place(pose, nodes[0]), pose_place(pose, nodes[1]), part);
    const double length = thigh + direction3(pose_place(pose, nodes[1]), pose_place(pose, nodes[2]), part);
    const double along = -dot3(stance->trunk, line), stretch = length > 0 ? whole / length : 0;
    stance->score += along + stretch;
    stance->stands = stance->stands && along > LEG_ALONG && stretch > LEG_STRETCH;
}

static struct stance judge(const struct rest_rig *rig, const struct pose *pose)
{
    struct stance stance = {.stands = true};
    stance.has_trunk = find_trunk(rig, pose, stance.trunk);
    if (!stance.has_trunk)
        return stance;
    judge_leg(rig, pose, ROLE_LEFT_UPPER_LEG, &stance);
    judge_leg(rig, pose, ROLE_RIGHT_UPPER_LEG, &stance);
    return stance;
}

static double sole_height(const struct rest_rig *rig, const struct pose *pose, const double up[3])
{
    static const int8_t SOLES[] = {ROLE_LEFT_FOOT, ROLE_LEFT_TOES, ROLE_RIGHT_FOOT, ROLE_RIGHT_TOES};
    double lowest = HUGE_VAL;
    for (size_t i = 0; i < sizeof SOLES; i++)
        if (rig->humanoid.nodes[SOLES[i]] >= 0)
            lowest = fmin(lowest, dot3(pose_place(pose, rig->humanoid.nodes[SOLES[i]]), up));
    return lowest;
}

/* --- the motion --- */

/* Returns the channel of a clip that has the most keys; NULL for a clip that moves nothing. */
static const struct channel *frames_of(const struct model *model, uint32_t clip)
{
    const struct channel *longest = NULL;
    const struct clip *of = &model->clips[clip];
    for (uint32_t c = of->channel_first; c < of->channel_first + of->channel_count; c++)
        if (path_is_transform(model->channels[c].path) &&
            (longest == NULL || model->channels[c].key_count > longest->key_count))
            longest = &model->channels[c];
    return longest;
}

/* What a few frames of the motion say. */
struct motion_seen {
    struct rest_reference best;
    double best_score;
    bool has_best;
    double trunk[3]; /* sum of directions */
    uint32_t frame_count;
    double sole; /* height of the lowest sole, along the rest's up */
};

static void see_frame(const struct rest_rig *rig, const struct pose *pose, uint32_t clip, uint32_t frame, double time_s,
                      struct motion_seen *seen)
{
    const struct stance stance = judge(rig, pose);
    seen->frame_count++;
    seen->sole = fmin(seen->sole, sole_height(rig, pose, &rig->axes.m[3]));
    for (int i = 0; i < 3; i++)
        seen->trunk[i] += stance.trunk[i];
    if (!stance.has_trunk || (seen->has_best && !(stance.score > seen->best_score + MARGIN)))
        return;
    seen->has_best = true;
    seen->best_score = stance.score;
    seen->best = (struct rest_reference){.clip = (int32_t)clip,
                                         .frame = frame,
                                         .time_s = time_s,
                                         .stance_clip = (int32_t)clip,
                                         .stance_time_s = time_s,
                                         .is_posed = true};
}

/* Returns the work of see_motion(): all nodes of the file, and all channels of the clip, for each pose. */
static uint64_t count_steps(const struct model *model)
{
    uint64_t steps = 0;
    for (uint32_t c = 0; c < model->clip_count && c < CLIPS_SAMPLED; c++) {
        const struct channel *frames = frames_of(model, c);
        const uint32_t count = frames == NULL ? 0 : frames->key_count;
        const uint64_t each = (uint64_t)model->node_count + model->clips[c].channel_count;
        steps += each * (count < KEYS_SAMPLED ? count : KEYS_SAMPLED);
    }
    return steps;
}

static void see_motion(const struct rest_rig *rig, struct motion_seen *seen)
{
    const struct model *model = rig->model;
    struct pose pose;
    *seen = (struct motion_seen){.sole = HUGE_VAL};
    pose_init(&pose);
    for (uint32_t c = 0; c < model->clip_count && c < CLIPS_SAMPLED; c++) {
        const struct channel *frames = frames_of(model, c);
        const uint32_t count = frames == NULL ? 0 : frames->key_count;
        for (uint32_t i = 0; i < KEYS_SAMPLED && i < count; i++) {
            const uint32_t frame =
                count <= KEYS_SAMPLED ? i : (uint32_t)((uint64_t)i * (count - 1) / (KEYS_SAMPLED - 1));
            const double time_s = model->key_times[frames->key_time_first + frame];
            pose_evaluate(&pose, model, (int32_t)c, time_s);
            see_frame(rig, &pose, c, frame, time_s, seen);
        }
    }
    pose_fini(&pose);
}

/* --- axes of the scene --- */

/* Returns the axis along which the motion stands: the stated one, else the nearest of the scene's. */
static void find_up(const struct rest_rig *rig, const struct motion_seen *seen, double up[3])
{
    double trunk[3] = {seen->trunk[0], seen->trunk[1], seen->trunk[2]};
    for (int i = 0; i < 3; i++)
        up[i] = (double)rig->model->infos[0].up[i];
    if (!(unit3(trunk) > 0) || dot3(trunk, up) > UPRIGHT)
        return;
    for (int i = 0; i < 3; i++)
        if (fabs(trunk[i]) > ALONG_AXIS) {
            memset(up, 0, 3 * sizeof *up);
            up[i] = trunk[i] < 0 ? -1 : 1;
        }
}

static struct mat3 find_scene(const struct rest_rig *rig, const struct motion_seen *seen)
{
    double up[3], left[3], forward[3];
    find_up(rig, seen, up);
    for (int i = 0; i < 3; i++)
        forward[i] = (double)rig->model->infos[0].forward[i];
    if (fabs(dot3(forward, up)) > UPRIGHT)
        memcpy(forward, fabs(up[2]) > UPRIGHT ? (double[3]){0, -1, 0} : (double[3]){0, 0, 1}, sizeof forward);
    cross3(up, forward, left);
    unit3(left);
    cross3(left, up, forward);
    return mat3_from_columns(left, up, forward);
}

/* --- choice --- */

static int find_frame(struct rest_reference *reference, const struct model *model, uint32_t frame, struct err *err)
{
    const struct channel *frames = model->clip_count == 0 ? NULL : frames_of(model, 0);
    if (frames == NULL || frame >= frames->key_count)
        return err_set(err, ERR_BAD_PARAMETER, "clip_rest=frame:%u: the first clip has %u frames", frame,
                       frames == NULL ? 0 : frames->key_count);
    *reference = (struct rest_reference){
        .frame = frame, .time_s = model->key_times[frames->key_time_first + frame], .is_posed = true};
    reference->stance_time_s = reference->time_s;
    return 0;
}

/* True when the rest stands along another axis than the motion, and the motion along the one that the file states. A
 * motion along none of the file's axes still tells a rest that is upside down against it, or against the file. */
static bool is_laid(const struct rest_rig *rig, const struct motion_seen *seen)
{
    double up[3], trunk[3] = {seen->trunk[0], seen->trunk[1], seen->trunk[2]};
    const double *rest_up = &rig->axes.m[3];
    for (int i = 0; i < 3; i++)
        up[i] = (double)rig->model->infos[0].up[i];
    const double steady = unit3(trunk) / (seen->frame_count + 1e-9);
    if (!(steady > 0) || dot3(trunk, rest_up) >= 0.5)
        return false;
    const bool is_along_axis = fmax(fabs(trunk[0]), fmax(fabs(trunk[1]), fabs(trunk[2]))) > ALONG_AXIS;
    const bool is_inverted = dot3(trunk, rest_up) < -UPRIGHT || dot3(up, rest_up) < -UPRIGHT;
    return dot3(trunk, up) > UPRIGHT || (steady > UPRIGHT && is_along_axis && is_inverted);
}

/* Returns how far a rest floats above the motion, whose soles come down to the ground; 0 where it does not float. */
static double find_lowering(const struct rest_rig *rig, const struct motion_seen *seen)
{
    const double sole = sole_height(rig, &rig->pose, &rig->axes.m[3]);
    return sole > rig->leg_length / 2 && seen->has_best && seen->sole < rig->leg_length / 4 ? sole : 0;
}

/* Chooses for `auto`, or keeps the rest for `zero`. stands: the rest does, along whatever axis. */
static void choose(struct rest_reference *reference, const struct rest_rig *rig, const struct rest_choice *choice,
                   const struct stance *stance, const struct motion_seen *seen)
{
    const bool laid = stance->stands && is_laid(rig, seen);
    reference->is_warned = !stance->stands || laid;
    if (choice->kind == REST_ZERO)
        return;
    reference->is_posed = reference->is_warned;
    if (laid) { /* a laid rest has frames */
        reference->stance_clip = seen->best.clip;
        reference->stance_time_s = seen->best.time_s;
    } else if (stance->stands) {
        reference->lowering = find_lowering(rig, seen);
    } else if (seen->has_best && seen->best_score > stance->score + MARGIN) {
        *reference = seen->best;
        reference->is_warned = true;
    }
}

int rest_reference_find(struct rest_reference *reference, const struct rest_rig *rig, const struct rest_choice *choice,
                        uint64_t max_steps, struct err *err)
{
    const struct stance stance = judge(rig, &rig->pose);
    struct motion_seen seen = {0};
    double up[3];
    for (int i = 0; i < 3; i++)
        up[i] = (double)rig->model->infos[0].up[i];
    *reference = (struct rest_reference){.clip = POSE_REST, .stance_clip = POSE_REST};
    const bool is_upright = dot3(up, &rig->axes.m[3]) > UPRIGHT;
    const bool floats = sole_height(rig, &rig->pose, &rig->axes.m[3]) > rig->leg_length / 2;
    if (choice->kind != REST_FRAME && stance.stands && is_upright && (!floats || choice->kind == REST_ZERO))
        return 0;
    const uint64_t steps = count_steps(rig->model);
    const bool is_affordable = max_steps == 0 || steps <= max_steps;
    if (!is_affordable && choice->kind != REST_ZERO)
        return err_set(err, ERR_TOO_MANY_FRAMES,
                       "a pose that stands is looked for in %llu steps, of %llu that one request may ask for; "
                       "clip_rest=zero takes the rest of the file",
                       (unsigned long long)steps, (unsigned long long)max_steps);
    if (is_affordable)
        see_motion(rig, &seen);
    if (choice->kind != REST_FRAME)
        choose(reference, rig, choice, &stance, &seen);
    else if (find_frame(reference, rig->model, choice->frame, err) < 0)
        return err->code;
    reference->axes = find_scene(rig, &seen);
    reference->steps = is_affordable ? steps : 0;
    return 0;
}

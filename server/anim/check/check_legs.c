/* check_legs.c - frozen-joint: a joint of a leg that stands still in a clip that walks or runs, beside the other leg,
 * which moves. Arms may carry something; legs that walk are two. */
#include "anim/check/check_rig.h"

static const double STILL_DEG = 0.5, MOVES_DEG = 10;

/* Returns how far a channel turns from its first key. */
static double range_of(const struct model *model, const struct channel *channel)
{
    const bool is_spline = channel->interpolation == INTERPOLATION_CUBICSPLINE;
    double first[4], most_deg = 0;
    for (uint32_t k = 0; k < channel->key_count; k++) {
        const size_t place = is_spline ? 3 * (size_t)k + 1 : k;
        const float *value = model->key_values + channel->value_first + 4 * place;
        double q[4];
        for (int i = 0; i < 4; i++)
            q[i] = (double)value[i];
        quat_normalize(q);
        if (k == 0)
            memcpy(first, q, sizeof first);
        most_deg = fmax(most_deg, turn_between_deg(first, q));
    }
    return most_deg;
}

/* Returns how far the clip turns a node; 0 without a channel. */
static double turn_of(const struct clip_check *check, int32_t node)
{
    const struct clip *clip = &check->model->clips[check->clip];
    for (uint32_t c = clip->channel_first; c < clip->channel_first + clip->channel_count; c++) {
        const struct channel *channel = &check->model->channels[c];
        if (channel->node == (uint32_t)node && channel->path == PATH_ROTATION)
            return range_of(check->model, channel);
    }
    return 0;
}

static void compare_sides(struct clip_check *check, int32_t still, int32_t moving)
{
    char name[SHORT_NAME_SIZE], other[SHORT_NAME_SIZE];
    const struct model *model = check->model;
    const double still_deg = turn_of(check, still), moving_deg = turn_of(check, moving);
    if (still_deg >= STILL_DEG || moving_deg < MOVES_DEG)
        return;
    struct finding *finding = finding_add(check, MOTION_FROZEN_JOINT, still, model->clips[check->clip].start_s);
    if (finding == NULL)
        return;
    finding_name_joint(check, finding);
    finding_measure(finding, still_deg, STILL_DEG, "degrees");
    finding_say(check, finding,
                ": joint %d '%s' stands still, while joint %d '%s' of the other leg turns by %.3g degrees", still,
                short_name(model, model->nodes[still].name, name), moving,
                short_name(model, model->nodes[moving].name, other), moving_deg);
}

int check_legs(struct clip_check *check)
{
    static const char *const WORDS[] = {"walk", "run"};
    static const int8_t LEFT[] = {ROLE_LEFT_UPPER_LEG, ROLE_LEFT_LOWER_LEG};
    static const int8_t RIGHT[] = {ROLE_RIGHT_UPPER_LEG, ROLE_RIGHT_LOWER_LEG};
    if (!check_is_named(check->model, check->clip, WORDS, 2))
        return 0;
    if (check_find_rig(check) < 0 || check_count_steps(check, check->model->clips[check->clip].channel_count) < 0)
        return check->err->code;
    const struct check_rig *rig = check->report->rig;
    for (int i = 0; i < 2 && rig->is_human; i++) {
        compare_sides(check, rig->humanoid.nodes[LEFT[i]], rig->humanoid.nodes[RIGHT[i]]);
        compare_sides(check, rig->humanoid.nodes[RIGHT[i]], rig->humanoid.nodes[LEFT[i]]);
    }
    return 0;
}

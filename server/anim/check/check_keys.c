/* check_keys.c - pops: keys of rotations that their neighbours do not explain.
 *
 * A key pops where the joint turns there and back within two frames, while the frames around it turn less than half as
 * far. A fast motion speeds up and slows down over several frames, and a blow stops, but does not turn back. Only keys
 * that follow each other as frames do are looked at: the keys of a sketch are poses of their own. Between keys of a
 * spline with opposite signs, which are the same rotation, the joint turns the long way round. */
#include "anim/check/check_internal.h"
#include "anim/model/trig.h"

static const double POP_DEG = 10, FRAME_S = 1.0 / 12 + 1e-3, OPPOSITE = -0.7, EXPLAINED = 0.5;
static const double DEG_PER_RAD = 57.29577951308232;

struct turn {
    double axis[3]; /* unit, or 0 */
    double angle_deg;
};

static void key_of(const struct model *model, const struct channel *channel, uint32_t key, double q[4])
{
    const bool is_spline = channel->interpolation == INTERPOLATION_CUBICSPLINE;
    const float *value = model->key_values + channel->value_first + (size_t)4 * (is_spline ? 3 * key + 1 : key);
    for (int i = 0; i < 4; i++)
        q[i] = (double)value[i];
    quat_normalize(q);
}

double turn_between_deg(const double a[4], const double b[4])
{
    const double back[4] = {-a[0], -a[1], -a[2], a[3]};
    double d[4];
    quat_mul(back, b, d);
    return 2 * DEG_PER_RAD * trig_atan(sqrt(dot3(d, d)), fabs(d[3]));
}

/* Returns the turn from a key to the next, by the shorter way. */
static struct turn turn_of(const struct model *model, const struct channel *channel, uint32_t key)
{
    double a[4], b[4], d[4];
    struct turn turn;
    key_of(model, channel, key, a);
    key_of(model, channel, key + 1, b);
    const double back[4] = {-a[0], -a[1], -a[2], a[3]};
    quat_mul(back, b, d);
    for (int i = 0; i < 3; i++)
        turn.axis[i] = d[3] < 0 ? -d[i] : d[i];
    unit3(turn.axis);
    turn.angle_deg = turn_between_deg(a, b);
    return turn;
}

static void add_pop(struct clip_check *check, const struct channel *channel, double time_s, double angle_deg,
                    const char *what)
{
    char name[SHORT_NAME_SIZE];
    struct finding *finding = finding_add(check, MOTION_POP, (int32_t)channel->node, time_s);
    if (finding == NULL)
        return;
    finding_name_joint(check, finding);
    finding_measure(finding, angle_deg, POP_DEG, "degrees");
    finding_say(check, finding, ": joint %u '%s' %s by %.3g degrees at %.3f s", channel->node,
                short_name(check->model, check->model->nodes[channel->node].name, name), what, angle_deg, time_s);
}

/* Returns the angle by which a key pops, or 0. */
static double pop_of(const struct model *model, const struct channel *channel, uint32_t key)
{
    const double *times = model->key_times + channel->key_time_first;
    if (times[key + 1] - times[key] > FRAME_S || times[key] - times[key - 1] > FRAME_S)
        return 0;
    const struct turn there = turn_of(model, channel, key - 1), back = turn_of(model, channel, key);
    const double least = fmin(there.angle_deg, back.angle_deg);
    if (least < POP_DEG || dot3(there.axis, back.axis) > OPPOSITE ||
        (key >= 2 && turn_of(model, channel, key - 2).angle_deg > EXPLAINED * least) ||
        (key + 2 < channel->key_count && turn_of(model, channel, key + 1).angle_deg > EXPLAINED * least))
        return 0;
    return least;
}

int check_pops(struct clip_check *check)
{
    const struct model *model = check->model;
    const struct clip *clip = &model->clips[check->clip];
    for (uint32_t c = clip->channel_first; c < clip->channel_first + clip->channel_count; c++) {
        const struct channel *channel = &model->channels[c];
        const double *times = model->key_times + channel->key_time_first;
        if (channel->path != PATH_ROTATION || channel->interpolation == INTERPOLATION_STEP)
            continue;
        if (check_is_stopped(check) < 0)
            return check->err->code;
        for (uint32_t key = 0; key + 1 < channel->key_count; key++) {
            double a[4], b[4];
            key_of(model, channel, key, a);
            key_of(model, channel, key + 1, b);
            if (channel->interpolation == INTERPOLATION_CUBICSPLINE && dot4(a, b) < 0)
                add_pop(check, channel, times[key], 360 - turn_between_deg(a, b), "turns the long way round,");
            else if (key > 0 && pop_of(model, channel, key) > 0)
                add_pop(check, channel, times[key], pop_of(model, channel, key), "pops");
        }
    }
    return 0;
}

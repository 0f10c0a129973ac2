/* check_keys.c - keys of rotations that their neighbours do not explain: pops, jitter, and joints that freeze.
 *
 * Only keys that follow each other as frames do are looked at: the keys of a sketch are poses of their own.
 *
 * A key pops where the joint turns there and back within two frames, while the frames around it turn less than half as
 * far. A fast motion speeds up and slows down over several frames, and a blow stops, but does not turn back. Between
 * keys of a spline with opposite signs, which are the same rotation, the joint turns the long way round.
 *
 * A joint jitters where nearly every frame of nine turns it against the frame before. White noise does that, because
 * the differences of its neighbours are opposed; no motion that its frames can show does.
 *
 * A joint freezes where it moves, stands still for several frames, and then catches up at once, while most of the other
 * joints went on: a track that was lost. A toe that stays on the ground starts slowly, and a blow stops all joints. */
#include "anim/check/check_internal.h"
#include "anim/model/trig.h"
#include "base/mem.h"

#include <stdlib.h>

static const double FRAME_S = 1.0 / 12 + 1e-3;
static const double POP_DEG = 10, OPPOSITE = -0.7, EXPLAINED = 0.5;
static const double JITTER_DEG = 1;
static const double STILL_DEG = 0.01, FROZEN_S = 0.1, CAUGHT_DEG = 5, CAUGHT_UP = 2;
static const double OTHERS_DEG = 0.5, OTHERS_SHARE = 0.5;
static const double DEG_PER_RAD = 57.29577951308232;
enum { JITTER_TURNS = 9, JITTER_REVERSALS = 6, OTHERS_LEAST = 3, FREEZES_MOST = 16 };

struct turn {
    double axis[3]; /* unit, or 0 */
    double angle_deg;
};

/* The turns of a channel from each key to the next. */
struct turns {
    const struct channel *channel;
    const double *times; /* [count + 1] */
    const struct turn *at;
    uint32_t count;
};

static void key_of(const struct model *model, const struct channel *channel, uint32_t key, double q[4])
{
    const bool is_spline = channel->interpolation == INTERPOLATION_CUBICSPLINE;
    const size_t place = is_spline ? 3 * (size_t)key + 1 : key;
    const float *value = model->key_values + channel->value_first + 4 * place;
    for (int i = 0; i < 4; i++)
        q[i] = (double)value[i];
    quat_normalize(q);
}

static struct turn turn_from(const double a[4], const double b[4])
{
    const double back[4] = {-a[0], -a[1], -a[2], a[3]};
    double d[4];
    struct turn turn;
    quat_mul(back, b, d);
    for (int i = 0; i < 3; i++)
        turn.axis[i] = d[3] < 0 ? -d[i] : d[i];
    turn.angle_deg = 2 * DEG_PER_RAD * trig_atan(unit3(turn.axis), fabs(d[3]));
    return turn;
}

double turn_between_deg(const double a[4], const double b[4]) { return turn_from(a, b).angle_deg; }

void turn_vector(const double a[4], const double b[4], double turn[3])
{
    const struct turn from = turn_from(a, b);
    for (int i = 0; i < 3; i++)
        turn[i] = from.axis[i] * from.angle_deg;
}

/* Returns whether the keys around turns first .. last follow each other as frames do. */
static bool is_of_frames(const struct turns *turns, uint32_t first, uint32_t last)
{
    bool is_near = true;
    for (uint32_t k = first; k <= last && is_near; k++)
        is_near = turns->times[k + 1] - turns->times[k] <= FRAME_S;
    return is_near;
}

static void add_finding(struct clip_check *check, enum motion_rule rule, const struct channel *channel, double time_s,
                        double angle_deg, double limit_deg, const char *what)
{
    char name[SHORT_NAME_SIZE];
    struct finding *finding = finding_add(check, rule, (int32_t)channel->node, time_s);
    if (finding == NULL)
        return;
    finding_name_joint(check, finding);
    finding_measure(finding, angle_deg, limit_deg, "degrees");
    finding_say(check, finding, ": joint %u '%s' %s by %.3g degrees at %.3f s", channel->node,
                short_name(check->model, check->model->nodes[channel->node].name, name), what, angle_deg, time_s);
}

/* --- pop --- */

/* Returns the angle by which a key pops, or 0. The key is between two turns. */
static double pop_of(const struct turns *turns, uint32_t key)
{
    const struct turn *there = &turns->at[key - 1], *back = &turns->at[key];
    const double least = fmin(there->angle_deg, back->angle_deg);
    if (least < POP_DEG || !is_of_frames(turns, key - 1, key) || dot3(there->axis, back->axis) > OPPOSITE ||
        (key >= 2 && turns->at[key - 2].angle_deg > EXPLAINED * least) ||
        (key + 1 < turns->count && turns->at[key + 1].angle_deg > EXPLAINED * least))
        return 0;
    return least;
}

static void find_pops(struct clip_check *check, const struct turns *turns)
{
    const bool is_spline = turns->channel->interpolation == INTERPOLATION_CUBICSPLINE;
    for (uint32_t key = 0; key < turns->count; key++) {
        double a[4], b[4];
        if (is_spline) {
            key_of(check->model, turns->channel, key, a);
            key_of(check->model, turns->channel, key + 1, b);
        }
        const double pop_deg = key > 0 ? pop_of(turns, key) : 0;
        if (is_spline && dot4(a, b) < 0)
            add_finding(check, MOTION_POP, turns->channel, turns->times[key], 360 - turns->at[key].angle_deg, POP_DEG,
                        "turns the long way round,");
        else if (pop_deg > 0)
            add_finding(check, MOTION_POP, turns->channel, turns->times[key], pop_deg, POP_DEG, "pops");
    }
}

/* --- jitter --- */

/* Returns the mean turn of a window of JITTER_TURNS turns if it jitters, or 0. */
static double jitter_of(const struct turns *turns, uint32_t first)
{
    double sum = 0;
    int reversals = 0;
    for (uint32_t k = first; k < first + JITTER_TURNS; k++) {
        sum += turns->at[k].angle_deg;
        reversals += k > first && dot3(turns->at[k - 1].axis, turns->at[k].axis) < 0 &&
                     fmin(turns->at[k - 1].angle_deg, turns->at[k].angle_deg) > JITTER_DEG / 2;
    }
    return reversals >= JITTER_REVERSALS ? sum / JITTER_TURNS : 0;
}

/* Reports where a joint jitters most. */
static void find_jitter(struct clip_check *check, const struct turns *turns)
{
    double most_deg = 0;
    uint32_t place = 0;
    for (uint32_t first = 0; first + JITTER_TURNS <= turns->count; first++) {
        const double mean_deg = jitter_of(turns, first);
        if (mean_deg > most_deg && is_of_frames(turns, first, first + JITTER_TURNS - 1)) {
            most_deg = mean_deg;
            place = first + JITTER_TURNS / 2;
        }
    }
    if (most_deg > JITTER_DEG)
        add_finding(check, MOTION_JITTER, turns->channel, turns->times[place], most_deg, JITTER_DEG,
                    "turns to and fro in each frame,");
}

/* --- frozen-joint --- */

/* Sets *is_moving: most of the other nodes that the clip turns do so from one time to the other. */
static int find_others(struct clip_check *check, uint32_t node, double from_s, double to_s, bool *is_moving)
{
    const size_t count = check->model->node_count;
    double(*before)[4] = mem_alloc((count + 1) * sizeof *before);
    uint32_t animated = 0, moving = 0;
    int rc = check_evaluate(check, from_s);
    for (size_t n = 0; n < count && rc == 0; n++)
        memcpy(before[n], check->pose.local[n].rotation, sizeof before[n]);
    if (rc == 0)
        rc = check_evaluate(check, to_s);
    for (size_t n = 0; n < count && rc == 0; n++) {
        double after[4];
        memcpy(after, check->pose.local[n].rotation, sizeof after);
        quat_normalize(before[n]);
        quat_normalize(after);
        animated += n != node && check->pose.is_animated[n];
        moving += n != node && check->pose.is_animated[n] && turn_between_deg(before[n], after) > OTHERS_DEG;
    }
    *is_moving = moving >= OTHERS_LEAST && moving > OTHERS_SHARE * animated;
    free(before);
    return rc;
}

/* Returns whether a run of still turns ends with one that catches up. */
static bool is_caught_up(const struct turns *turns, uint32_t first, uint32_t end)
{
    const double caught_deg = turns->at[end].angle_deg;
    const double after_deg = end + 1 < turns->count ? turns->at[end + 1].angle_deg : 0;
    const double around_deg = fmax(turns->at[first - 1].angle_deg, after_deg);
    return caught_deg >= CAUGHT_DEG && around_deg > STILL_DEG && caught_deg >= CAUGHT_UP * around_deg &&
           turns->times[end] - turns->times[first] >= FROZEN_S && is_of_frames(turns, first - 1, end);
}

static int find_freezes(struct clip_check *check, const struct turns *turns)
{
    uint32_t tried = 0;
    for (uint32_t first = 1; first < turns->count && tried < FREEZES_MOST; first++) {
        uint32_t end = first;
        while (end < turns->count && turns->at[end].angle_deg < STILL_DEG)
            end++;
        if (end > first && end < turns->count && is_caught_up(turns, first, end)) {
            bool is_moving;
            tried++;
            if (find_others(check, turns->channel->node, turns->times[first], turns->times[end], &is_moving) < 0)
                return check->err->code;
            if (is_moving)
                add_finding(check, MOTION_FROZEN_JOINT, turns->channel, turns->times[first], turns->at[end].angle_deg,
                            CAUGHT_DEG, "stands still while others move, and then catches up");
        }
        first = end;
    }
    return 0;
}

/* --- all channels --- */

static int check_channel(struct clip_check *check, const struct channel *channel, struct turn *at)
{
    const struct turns turns = {channel, check->model->key_times + channel->key_time_first, at, channel->key_count - 1};
    double a[4], b[4];
    if (check_count_steps(check, channel->key_count) < 0)
        return check->err->code;
    key_of(check->model, channel, 0, a);
    for (uint32_t k = 0; k < turns.count; k++) {
        key_of(check->model, channel, k + 1, b);
        at[k] = turn_from(a, b);
        memcpy(a, b, sizeof a);
    }
    find_pops(check, &turns);
    find_jitter(check, &turns);
    return find_freezes(check, &turns);
}

int check_keys(struct clip_check *check)
{
    const struct model *model = check->model;
    const struct clip *clip = &model->clips[check->clip];
    struct turn *at = NULL;
    size_t capacity = 0;
    int rc = 0;
    for (uint32_t c = clip->channel_first; c < clip->channel_first + clip->channel_count && rc == 0; c++) {
        const struct channel *channel = &model->channels[c];
        if (channel->path != PATH_ROTATION || channel->interpolation == INTERPOLATION_STEP)
            continue;
        at = mem_grow(at, &capacity, channel->key_count, sizeof *at);
        rc = check_channel(check, channel, at);
    }
    free(at);
    return rc;
}

/* check_heights.c - through-floor and feet-off-ground: how high the soles are. */
#include "anim/check/check_feet.h"

static const double THROUGH = 0.0085; /* limit of through-floor, share of the size */
static const double AT_ZERO = 0.005;  /* the soles at rest are at height 0, likewise */
static const double SAME = 0.03; /* the soles at rest stand on the floor if the clip's ground is so near, likewise */
static const double STEP_DOWN = 0.05;               /* a ground so much lower is another one, likewise */
static const double ON_GROUND = 0.01, STANDS = 0.5; /* the ground is sure if a foot is so near it for this share */
static const double OFF = 0.025, OFF_S = 0.05;      /* limits of feet-off-ground: share of the size, and time */

static void add_height(struct clip_check *check, const struct steps *steps, enum motion_rule rule, int point,
                       uint32_t frame, double value, double limit)
{
    char name[SHORT_NAME_SIZE];
    const uint32_t node = steps->soles->nodes[point];
    const double time_s = check_time(check, frame, steps->count);
    struct finding *finding = finding_add(check, rule, (int32_t)node, time_s);
    if (finding == NULL)
        return;
    finding_name_joint(check, finding);
    finding_measure(finding, value, limit, "size");
    short_name(check->model, check->model->nodes[node].name, name);
    if (rule == MOTION_THROUGH_FLOOR)
        finding_say(check, finding,
                    ": the foot of joint %u '%s' is through the floor by %.2g of the model's size at %.3f s", node,
                    name, value, time_s);
    else
        finding_say(
            check, finding,
            ": both feet leave the ground: the lower one, of joint %u '%s', is %.2g of the model's size above it "
            "at %.3f s",
            node, name, value, time_s);
}

/* --- through-floor --- */

/* Returns the height of the floor, and *deepest, how far below it something is still through it. NaN: it is not known.
 * A clip whose ground is near the soles of the rest pose, which are at height 0, has its floor there. */
static double floor_of(const struct steps *steps, double *deepest)
{
    uint32_t standing = 0;
    *deepest = HUGE_VAL;
    if (fabs(steps->level) <= AT_ZERO && fabs(steps->ground - steps->level) <= SAME)
        return steps->level;
    for (uint32_t i = 0; i < steps->count; i++)
        standing += fabs(steps_lowest(steps, i) - steps->ground) <= ON_GROUND;
    *deepest = STEP_DOWN;
    return standing >= STANDS * steps->count ? steps->ground : (double)NAN;
}

void steps_check_floor(struct clip_check *check, const struct steps *steps)
{
    double deepest;
    const double floor = floor_of(steps, &deepest);
    for (int foot = 0; foot < FEET; foot++) {
        double most = 0;
        uint32_t frame = 0;
        int point = 0;
        for (uint32_t i = 0; i < steps->count; i++)
            for (int p = 2 * foot; p < 2 * foot + 2; p++) {
                const double depth = floor - steps->places[i][p][2];
                if (depth > most) {
                    most = depth;
                    frame = i;
                    point = p;
                }
            }
        if (most > THROUGH && most <= deepest)
            add_height(check, steps, MOTION_THROUGH_FLOOR, point, frame, most, THROUGH);
    }
}

/* --- feet-off-ground --- */

/* Returns the lowest point of both soles in a frame. */
static int lowest_point(const struct steps *steps, uint32_t frame)
{
    int lowest = 0;
    for (int p = 1; p < SOLE_POINTS; p++)
        if (steps->places[frame][p][2] < steps->places[frame][lowest][2])
            lowest = p;
    return lowest;
}

void steps_check_flight(struct clip_check *check, const struct steps *steps)
{
    static const char *const WALK[] = {"walk"};
    double most = 0;
    uint32_t frame = 0, since = 0;
    if (!check_is_named(check->model, check->clip, WALK, 1))
        return;
    for (uint32_t i = 0; i < steps->count; i++) {
        const double height = steps_lowest(steps, i) - steps->ground;
        since = height > OFF ? since + 1 : 0;
        if (height > most && since * steps->frame_s >= OFF_S) {
            most = height;
            frame = i;
        }
    }
    if (most > OFF)
        add_height(check, steps, MOTION_FEET_OFF_GROUND, lowest_point(steps, frame), frame, most, OFF);
}

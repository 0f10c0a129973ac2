/* check_loop_turns.c - loop-jump: joints that are turned otherwise at the end of a loop than at its start, or that turn
 * there at another speed. */
#include "anim/check/check_loop.h"

#include "anim/pose/root_motion.h"
#include "base/mem.h"

#include <stdlib.h>

/* Returns the time between the frames that are compared. */
static double frame_of(const struct clip_check *check)
{
    static const double FRAME_S = 1.0 / 30;
    return fmin(FRAME_S, check->duration_s / 4);
}

/* Copies the local rotations of all nodes at a time. */
static int take_rotations(struct clip_check *check, double time_s, double (*out)[4])
{
    if (check_evaluate(check, time_s) < 0)
        return check->err->code;
    for (uint32_t n = 0; n < check->model->node_count; n++) {
        memcpy(out[n], check->pose.local[n].rotation, sizeof out[n]);
        quat_normalize(out[n]);
    }
    return 0;
}

/* Returns whether a turn from `last` to `first` is that of a frame, or of half of one, from a to b: the clip then lacks
 * its last frame. */
static bool is_of_frame(const double last[4], const double first[4], const double a[4], const double b[4])
{
    static const double NEAR_DEG = 0.5;
    for (double share = 0.5; share <= 1; share += 0.5) {
        double part[4], step[4], end[4];
        const double back[4] = {-a[0], -a[1], -a[2], a[3]};
        quat_slerp(a, b, share, part);
        quat_mul(back, part, step);
        quat_mul(last, step, end);
        if (turn_between_deg(end, first) <= NEAR_DEG)
            return true;
    }
    return false;
}

/* Finds the joint that turns most from the end to the start. The root may have turned. */
static int find_turn(struct clip_check *check, double *turn_deg, uint32_t *node)
{
    enum { FIRST, SECOND, BEFORE, LAST, TIMES };
    const size_t count = check->model->node_count;
    const double step_s = frame_of(check);
    const double times_s[TIMES] = {0, step_s, check->duration_s - step_s, check->duration_s};
    double(*rotations)[4] = mem_alloc((TIMES * count + 1) * sizeof *rotations);
    const int32_t root = check_default_root(check);
    int rc = 0;
    *turn_deg = 0;
    for (size_t i = 0; i < TIMES && rc == 0; i++)
        rc = take_rotations(check, times_s[i], rotations + i * count);
    for (size_t n = 0; n < count && rc == 0; n++) {
        const double *first = rotations[n], *last = rotations[LAST * count + n];
        const double turn = turn_between_deg(last, first);
        if ((int32_t)n != root && turn > *turn_deg && !is_of_frame(last, first, first, rotations[SECOND * count + n]) &&
            !is_of_frame(last, first, rotations[BEFORE * count + n], last)) {
            *turn_deg = turn;
            *node = (uint32_t)n;
        }
    }
    free(rotations);
    return rc;
}

/* Returns by how much a greater max_jump allows more turn. */
static double loosened(const struct clip_check *check) { return fmax(1, check->options->max_jump / CHECK_MAX_JUMP); }

/* Adds what was found at a node: degrees, or with is_speed degrees a second. */
static void add_turn(struct clip_check *check, uint32_t node, double value, double limit, bool is_speed)
{
    char name[SHORT_NAME_SIZE];
    struct finding *finding = finding_add(check, MOTION_LOOP_JUMP, (int32_t)node, check->duration_s);
    if (finding == NULL)
        return;
    finding_measure(finding, value, limit, is_speed ? "degrees/s" : "degrees");
    short_name(check->model, check->model->nodes[node].name, name);
    if (is_speed)
        finding_say(check, finding, " jumps at its end in speed: node %u '%s' turns otherwise by %.3g degrees a second",
                    node, name, value);
    else
        finding_say(check, finding, " jumps by %.3g degrees at its end, at node %u '%s'", value, node, name);
}

/* --- speed --- */

/* The rotations of all nodes at three times in a row, the newest last, and where the ends of the clip lie. */
struct speeds {
    size_t count;
    double (*rotations[3])[4]; /* [count] */
    double (*start)[3];        /* [count]: the turns of the first frame, in degrees */
    double *sharpest_deg;      /* [count]: the greatest change of a turn from one frame to the next */
};

static const double OWN_SHARE = 2, ALL_SHARE = 0.5; /* of the sharpest change elsewhere: allowed at the end */

/* Returns the change between two turns, each about axis * degrees. */
static double change_of(const double a[3], const double b[3])
{
    const double change[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return sqrt(dot3(change, change));
}

/* Takes the next frame; with `is_inner` its turns count against those of the frame before. */
static int take_frame(struct clip_check *check, struct speeds *speeds, double time_s, bool is_inner)
{
    double(*oldest)[4] = speeds->rotations[0];
    speeds->rotations[0] = speeds->rotations[1];
    speeds->rotations[1] = speeds->rotations[2];
    speeds->rotations[2] = oldest;
    if (take_rotations(check, time_s, oldest) < 0)
        return check->err->code;
    for (size_t n = 0; n < speeds->count && is_inner; n++) {
        double before[3], after[3];
        turn_vector(speeds->rotations[0][n], speeds->rotations[1][n], before);
        turn_vector(speeds->rotations[1][n], speeds->rotations[2][n], after);
        speeds->sharpest_deg[n] = fmax(speeds->sharpest_deg[n], change_of(before, after));
    }
    return 0;
}

/* Takes the frames of a part of the clip. */
static int take_frames(struct clip_check *check, struct speeds *speeds, double first_s, double last_s)
{
    const double step_s = frame_of(check);
    const uint32_t count = (uint32_t)fmax(3, floor((last_s - first_s) / step_s + 0.5) + 1);
    for (uint32_t i = 0; i < count; i++) {
        const double time_s = i + 1 == count ? last_s : first_s + (last_s - first_s) * i / (count - 1);
        if (take_frame(check, speeds, time_s, i >= 2) < 0)
            return check->err->code;
        for (size_t n = 0; n < speeds->count && first_s <= 0 && i == 1; n++)
            turn_vector(speeds->rotations[1][n], speeds->rotations[2][n], speeds->start[n]);
    }
    return 0;
}

struct change {
    uint32_t node;
    double deg, limit_deg;
};

/* Finds the node whose turn changes most from the last frame to the first, beyond its limit: the clip changes the turn
 * of that joint, and of all joints, less elsewhere. So a footfall, which cycles often begin with, is none. */
static bool find_change(const struct speeds *speeds, double least_deg, struct change *change)
{
    double sharpest_deg = 0;
    *change = (struct change){0};
    for (size_t n = 0; n < speeds->count; n++)
        sharpest_deg = fmax(sharpest_deg, speeds->sharpest_deg[n]);
    for (size_t n = 0; n < speeds->count; n++) {
        double last[3];
        turn_vector(speeds->rotations[1][n], speeds->rotations[2][n], last);
        const double deg = change_of(last, speeds->start[n]);
        const double limit_deg = fmax(least_deg, fmax(OWN_SHARE * speeds->sharpest_deg[n], ALL_SHARE * sharpest_deg));
        if (deg > limit_deg && deg > change->deg)
            *change = (struct change){(uint32_t)n, deg, limit_deg};
    }
    return change->deg > 0;
}

/* Reports a joint that turns at another speed after the end than before it. Of a long clip, the first and the last
 * seconds count. */
static int check_speed(struct clip_check *check)
{
    static const double LONG_S = 5, LEAST_DEG_PER_S = 60;
    const size_t count = check->model->node_count;
    const double duration_s = check->duration_s, step_s = frame_of(check);
    double(*rotations)[4] = mem_alloc((3 * count + 1) * sizeof *rotations);
    struct speeds speeds = {.count = count,
                            .start = mem_zalloc(count + 1, sizeof *speeds.start),
                            .sharpest_deg = mem_zalloc(count + 1, sizeof *speeds.sharpest_deg)};
    struct change change;
    for (size_t i = 0; i < 3; i++)
        speeds.rotations[i] = rotations + i * count;
    int rc = take_frames(check, &speeds, 0, fmin(duration_s, LONG_S));
    if (rc == 0 && duration_s > LONG_S)
        rc = take_frames(check, &speeds, duration_s - LONG_S, duration_s);
    if (rc == 0 && find_change(&speeds, LEAST_DEG_PER_S * step_s * loosened(check), &change))
        add_turn(check, change.node, change.deg / step_s, change.limit_deg / step_s, true);
    free(rotations);
    free(speeds.start);
    free(speeds.sharpest_deg);
    return rc;
}

int check_loop_turns(struct clip_check *check)
{
    static const double TURN_DEG = 2;
    double turn_deg;
    uint32_t node = 0;
    if (find_turn(check, &turn_deg, &node) < 0)
        return check->err->code;
    const double limit_deg = TURN_DEG * loosened(check);
    if (turn_deg <= limit_deg)
        return check_speed(check);
    add_turn(check, node, turn_deg, limit_deg, false);
    return 0;
}

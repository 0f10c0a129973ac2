/* check_ends.c - the rules about where a clip ends: as it began, and where it began. */
#include "anim/check/check_internal.h"
#include "anim/pose/root_motion.h"
#include "base/mem.h"

#include <stdlib.h>
#include <strings.h>

/* --- root motion --- */

/* Starts the motion of the root at the evaluated pose. False: the model has no root. `moved`: [node_count]. */
static bool start_motion(const struct clip_check *check, int32_t root, bool has_turn, uint8_t *moved,
                         struct root_motion *motion)
{
    root = root >= 0 ? root : root_motion_find_root(check->model, moved);
    if (root < 0)
        return false;
    root_motion_mark(check->model, (uint32_t)root, moved);
    root_motion_start(motion, &check->pose, check->model, (uint32_t)root, has_turn, moved);
    return true;
}

/* Evaluates the clip at `count` times, and finds the greatest distance of its ground point from where it starts. */
static int find_drift(struct clip_check *check, double *most, double *time_s)
{
    uint8_t *moved = mem_zalloc((size_t)check->model->node_count + 1, 1);
    struct root_motion motion;
    struct root_step step;
    int rc = check_evaluate(check, 0);
    *most = *time_s = 0;
    if (rc == 0 && start_motion(check, check->options->root, false, moved, &motion))
        for (uint32_t i = 1;
             i < ENDS_AND_BETWEEN && (rc = check_evaluate(check, check_time(check, i, ENDS_AND_BETWEEN))) == 0; i++) {
            root_motion_measure(&motion, &check->pose, &step);
            const double drift = sqrt(dot3(step.translation, step.translation));
            if (drift > *most) {
                *most = drift;
                *time_s = check_time(check, i, ENDS_AND_BETWEEN);
            }
        }
    free(moved);
    return rc;
}

int check_ground(struct clip_check *check)
{
    const double share = check->options->max_drift, size = check->size;
    const bool is_in_place = check->options->ground == CHECK_GROUND_IN_PLACE;
    double drift, time_s;
    if (check->options->ground == CHECK_GROUND_ANY)
        return 0;
    if (find_drift(check, &drift, &time_s) < 0)
        return check->err->code;
    if (is_in_place != (drift > share * size))
        return 0;
    struct finding *finding = finding_add(check, is_in_place ? MOTION_NOT_IN_PLACE : MOTION_NO_ROOT_MOTION,
                                          check->options->root, is_in_place ? time_s : (double)NAN);
    if (finding == NULL)
        return 0;
    finding_measure(finding, size > 0 ? drift / size : 0, share, "size");
    if (is_in_place)
        finding_say(check, finding, " moves the model over the ground by %.2g of its size at %.3f s, more than %.2g",
                    finding->value, time_s, share);
    else
        finding_say(check, finding, " moves the model over the ground by %.2g of its size, not by more than %.2g",
                    finding->value, share);
    return 0;
}

/* --- loop-jump --- */

/* Returns whether the clip's name is that of a motion that repeats. */
static bool is_named_loop(const struct clip_check *check)
{
    static const char *const WORDS[] = {"idle", "walk", "run", "loop", "cycle"};
    size_t size;
    const char *name = whole_name(check->model, check->model->clips[check->clip].name, &size);
    for (size_t i = 0; i < size; i++)
        for (size_t w = 0; w < sizeof WORDS / sizeof *WORDS; w++)
            if (strlen(WORDS[w]) <= size - i && strncasecmp(name + i, WORDS[w], strlen(WORDS[w])) == 0)
                return true;
    return false;
}

/* Finds the greatest jump of a node from the end to the start, apart from the motion of the root and its turn. */
static int find_jump(struct clip_check *check, double *jump, uint32_t *node)
{
    uint8_t *moved = mem_zalloc((size_t)check->model->node_count + 1, 1);
    struct root_motion motion;
    struct root_step step;
    int rc = check_evaluate(check, 0);
    const bool has_root = rc == 0 && start_motion(check, -1, true, moved, &motion);
    if (rc == 0)
        rc = check_evaluate(check, check->duration_s);
    if (rc == 0 && has_root)
        root_motion_remove(&motion, &check->pose, check->model, &step);
    *jump = rc < 0 ? 0 : node_motion_most(check, node);
    free(moved);
    return rc;
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
    static const double FRAME_S = 1.0 / 30;
    const size_t count = check->model->node_count;
    const double step_s = fmin(FRAME_S, check->duration_s / 4);
    const double times_s[TIMES] = {0, step_s, check->duration_s - step_s, check->duration_s};
    double(*rotations)[4] = mem_alloc((TIMES * count + 1) * sizeof *rotations);
    uint8_t *marks = mem_zalloc(count + 1, 1);
    const int32_t root = root_motion_find_root(check->model, marks);
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
    free(marks);
    return rc;
}

/* Reports a joint that is turned otherwise at the end, where nothing jumps farther than max_jump. */
static int check_turn(struct clip_check *check)
{
    static const double TURN_DEG = 2;
    char name[SHORT_NAME_SIZE];
    double turn_deg;
    uint32_t node = 0;
    if (find_turn(check, &turn_deg, &node) < 0)
        return check->err->code;
    /* a limit that is set higher allows more */
    const double limit_deg = TURN_DEG * fmax(1, check->options->max_jump / CHECK_MAX_JUMP);
    if (turn_deg <= limit_deg)
        return 0;
    struct finding *finding = finding_add(check, MOTION_LOOP_JUMP, (int32_t)node, check->duration_s);
    if (finding == NULL)
        return 0;
    finding_measure(finding, turn_deg, limit_deg, "degrees");
    finding_say(check, finding, " jumps by %.3g degrees at its end, at node %u '%s'", turn_deg, node,
                short_name(check->model, check->model->nodes[node].name, name));
    return 0;
}

int check_loop(struct clip_check *check)
{
    const double size = check->size, limit = check->options->max_jump, ends_s[] = {0, check->duration_s};
    const enum check_loop loop = check->options->loop;
    double jump, morph = 0;
    int32_t mesh = -1;
    uint32_t node = 0;
    char name[SHORT_NAME_SIZE];
    if (!(size > 0) || loop == CHECK_LOOP_NO || (loop == CHECK_LOOP_AUTO && !is_named_loop(check)))
        return 0;
    if (find_jump(check, &jump, &node) < 0 ||
        (jump <= size * limit && morph_motion_most(check, ends_s, 2, &morph, &mesh) < 0))
        return check->err->code;
    if (jump <= size * limit && morph <= size * limit)
        return check_turn(check);
    const bool is_node = jump > size * limit;
    struct finding *finding = finding_add(check, MOTION_LOOP_JUMP, is_node ? (int32_t)node : -1, check->duration_s);
    if (finding == NULL)
        return 0;
    finding_measure(finding, (is_node ? jump : morph) / size, limit, "size");
    finding->mesh = is_node ? -1 : mesh;
    if (is_node)
        finding_say(check, finding, " jumps by %.2g of the model's size at its end, at node %u '%s'", finding->value,
                    node, short_name(check->model, check->model->nodes[node].name, name));
    else
        finding_say(check, finding, " jumps by %.2g of the model's size at its end, in the shape of mesh %d '%s'",
                    finding->value, mesh, short_name(check->model, check->model->meshes[mesh].name, name));
    return 0;
}

/* check_ground.c - the rules about the way of a clip over the ground. */
#include "anim/check/check_internal.h"
#include "anim/pose/root_motion.h"
#include "base/mem.h"

#include <stdlib.h>

int32_t check_default_root(const struct clip_check *check)
{
    struct check_report *report = check->report;
    if (!report->has_root) {
        uint8_t *marks = mem_zalloc((size_t)check->model->node_count + 1, 1);
        report->root = root_motion_find_root(check->model, marks);
        report->has_root = true;
        free(marks);
    }
    return report->root;
}

bool check_start_motion(const struct clip_check *check, int32_t root, bool has_turn, uint8_t *moved,
                        struct root_motion *motion)
{
    root = root >= 0 ? root : check_default_root(check);
    if (root < 0)
        return false;
    root_motion_mark(check->model, (uint32_t)root, moved);
    root_motion_start(motion, &check->pose, check->model, (uint32_t)root, has_turn, moved);
    return true;
}

/* The way of a clip over the ground. */
struct drift {
    int32_t root; /* the node whose movement it is, or -1: there is none */
    double most, time_s;
};

/* Evaluates the clip throughout, and finds the greatest distance of its ground point from where it starts. */
static int find_drift(struct clip_check *check, struct drift *drift)
{
    uint8_t *moved = mem_zalloc((size_t)check->model->node_count + 1, 1);
    struct root_motion motion;
    struct root_step step;
    int rc = check_evaluate(check, 0);
    *drift = (struct drift){.root = -1};
    if (rc == 0 && check_start_motion(check, check->options->root, false, moved, &motion)) {
        drift->root = (int32_t)motion.node;
        for (uint32_t i = 1;
             i < ENDS_AND_BETWEEN && (rc = check_evaluate(check, check_time(check, i, ENDS_AND_BETWEEN))) == 0; i++) {
            root_motion_measure(&motion, &check->pose, &step);
            const double distance = sqrt(dot3(step.translation, step.translation));
            if (distance > drift->most) {
                drift->most = distance;
                drift->time_s = check_time(check, i, ENDS_AND_BETWEEN);
            }
        }
    }
    free(moved);
    return rc;
}

/* Tells that the clip stays, and whose movement was measured: a root that stays still may be the wrong one. */
static void say_stays(struct clip_check *check, struct finding *finding, const struct drift *drift)
{
    char name[SHORT_NAME_SIZE];
    const double share = check->options->max_drift;
    const struct model *model = check->model;
    if (drift->root < 0) {
        finding_say(check, finding,
                    " has no joint that all others hang from, so that it moves the model over the ground by 0 of its "
                    "size, not by more than %.2g: name the root",
                    share);
        return;
    }
    short_name(model, model->nodes[drift->root].name, name);
    if (drift->most <= check->size * CHECK_LEAST_MOTION)
        finding_say(check, finding,
                    " moves the model over the ground by %.2g of its size, not by more than %.2g: its root is taken "
                    "to be joint %d '%s', which does not move over the ground",
                    finding->value, share, drift->root, name);
    else
        finding_say(check, finding,
                    " moves the model over the ground by %.2g of its size, not by more than %.2g, as its root, joint "
                    "%d '%s', does",
                    finding->value, share, drift->root, name);
}

int check_ground(struct clip_check *check)
{
    const double share = check->options->max_drift, size = check->size;
    const bool is_in_place = check->options->ground == CHECK_GROUND_IN_PLACE;
    struct drift drift;
    if (check->options->ground == CHECK_GROUND_ANY)
        return 0;
    if (find_drift(check, &drift) < 0)
        return check->err->code;
    if (is_in_place != (drift.most > share * size))
        return 0;
    struct finding *finding = finding_add(check, is_in_place ? MOTION_NOT_IN_PLACE : MOTION_NO_ROOT_MOTION, drift.root,
                                          is_in_place ? drift.time_s : (double)NAN);
    if (finding == NULL)
        return 0;
    finding_measure(finding, size > 0 ? drift.most / size : 0, share, "size");
    if (is_in_place)
        finding_say(check, finding, " moves the model over the ground by %.2g of its size at %.3f s, more than %.2g",
                    finding->value, drift.time_s, share);
    else
        say_stays(check, finding, &drift);
    return 0;
}

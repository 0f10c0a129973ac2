/* check_ground.c - the rules about the way of a clip over the ground. */
#include "anim/check/check_internal.h"
#include "anim/pose/root_motion.h"
#include "base/mem.h"

#include <stdlib.h>

bool check_start_motion(const struct clip_check *check, int32_t root, bool has_turn, uint8_t *moved,
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
    if (rc == 0 && check_start_motion(check, check->options->root, false, moved, &motion))
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

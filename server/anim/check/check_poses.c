/* check_poses.c - evaluates a clip for the rules, within what a request may ask for. */
#include "anim/check/check_internal.h"

int check_is_stopped(struct clip_check *check)
{
    const bool is_stopped = check->options->is_stopped != NULL && *check->options->is_stopped;
    return is_stopped ? err_set(check->err, ERR_REQUEST_TIMEOUT, "the check was stopped") : 0;
}

int check_count_steps(struct clip_check *check, uint64_t steps)
{
    struct check_report *report = check->report;
    if (check_is_stopped(check) < 0)
        return check->err->code;
    if (steps > check->options->steps || report->step_count > check->options->steps - steps)
        return err_set(check->err, ERR_TOO_MANY_FRAMES,
                       "its clips need more poses of %llu nodes and weights than one request may ask for (%llu steps); "
                       "ask about one clip at a time with clip=",
                       (unsigned long long)pose_step_count(check->model), (unsigned long long)check->options->steps);
    report->step_count += steps;
    return 0;
}

int check_evaluate(struct clip_check *check, double time_s)
{
    if (check_count_steps(check, pose_step_count(check->model)) < 0)
        return check->err->code;
    check->report->pose_count++;
    pose_evaluate(&check->pose, check->model, check->clip, time_s);
    return 0;
}

int check_evaluate_nodes(struct clip_check *check, const struct node_list *list, double time_s)
{
    const bool is_all = check->model->constraint_count > 0; /* pose_list() */
    if (check_count_steps(check, is_all ? pose_step_count(check->model) : list->count) < 0)
        return check->err->code;
    check->report->pose_count++;
    pose_sample_nodes(&check->pose, check->model, list, check->clip, time_s);
    pose_compose_nodes(&check->pose, check->model, list);
    return 0;
}

int check_evaluate_rest(struct clip_check *check)
{
    if (check_count_steps(check, pose_step_count(check->model)) < 0)
        return check->err->code;
    check->report->pose_count++;
    pose_evaluate(&check->pose, check->model, POSE_REST, 0);
    return 0;
}

double check_rate(const struct clip_check *check, uint32_t frames_most, uint32_t *count)
{
    const uint64_t left = check->options->steps - check->report->step_count;
    const double affordable = (double)left / (2 * (double)pose_step_count(check->model) + 1);
    const double most = fmax(2, fmin(frames_most, floor(affordable)));
    const double wanted = floor(fmin(check->duration_s * FRAME_RATE, most)) + 1;
    *count = (uint32_t)fmin(fmax(wanted, ENDS_AND_BETWEEN), most);
    return (*count - 1) / check->duration_s;
}

#include "anim/check/check.h"

#include "anim/check/check_rig.h"
#include "base/mem.h"

#include <stdlib.h>

/* --- collapsed-joint, not-posed --- */

/* Returns whether a matrix maps onto a plane, a line or a point: its volume is negligible against the cube of its
 * longest axis. */
static bool is_flat(const struct dmat4 *m)
{
    const double longest = sqrt(fmax(dot3(m->m, m->m), fmax(dot3(m->m + 4, m->m + 4), dot3(m->m + 8, m->m + 8))));
    return fabs(determinant3(m->m, m->m + 4, m->m + 8)) <= 1e-9 * longest * longest * longest;
}

/* Returns the first joint that is flat in the evaluated pose, or -1. */
static int32_t find_flat(const struct clip_check *check)
{
    for (uint32_t n = 0; n < check->model->node_count; n++)
        if ((check->model->nodes[n].flags & NODE_JOINT) != 0 && is_flat(&check->pose.scene_from_node[n]))
            return (int32_t)n;
    return -1;
}

/* Returns the first node whose matrix does not consist of finite floats, or -1. */
static int32_t find_infinite(const struct clip_check *check)
{
    for (uint32_t n = 0; n < check->model->node_count; n++)
        for (int e = 0; e < 16; e++)
            if (!isfinite((float)check->pose.scene_from_node[n].m[e]))
                return (int32_t)n;
    return -1;
}

/* Returns the longest side of the box around the nodes in the evaluated pose. */
static double extent_of(const struct clip_check *check)
{
    struct box box = BOX_EMPTY;
    for (uint32_t n = 0; n < check->model->node_count; n++)
        box_add(&box, check->pose.scene_from_node[n].m + 12);
    return box_size(&box);
}

static void add_flat(struct clip_check *check, int32_t node, double time_s)
{
    char name[SHORT_NAME_SIZE];
    struct finding *finding = finding_add(check, MOTION_COLLAPSED_JOINT, node, time_s);
    if (finding == NULL)
        return;
    finding_name_joint(check, finding);
    finding_say(check, finding, " scales joint %d '%s' flat at %.3f s", node,
                short_name(check->model, check->model->nodes[node].name, name), time_s);
}

static void add_infinite(struct clip_check *check, int32_t node, double time_s)
{
    char name[SHORT_NAME_SIZE];
    struct finding *finding = finding_add(check, MOTION_NOT_POSED, node, time_s);
    if (finding != NULL)
        finding_say(check, finding, ": node %d '%s' has no finite matrix at %.9g s", node,
                    short_name(check->model, check->model->nodes[node].name, name), time_s);
}

/* Looks at poses throughout the clip, and keeps the first. *is_posed: all of them are finite. */
static int look_throughout(struct clip_check *check, bool *is_posed)
{
    int32_t flat = -1;
    *is_posed = true;
    for (uint32_t i = 0; i < ENDS_AND_BETWEEN && *is_posed; i++) {
        const double time_s = check_time(check, i, ENDS_AND_BETWEEN);
        uint32_t node;
        if (check_evaluate(check, time_s) < 0)
            return check->err->code;
        const int32_t infinite = find_infinite(check);
        if (infinite >= 0) {
            add_infinite(check, infinite, time_s);
            *is_posed = false;
        } else if (i == 0) {
            memcpy(check->first, check->pose.scene_from_node, check->model->node_count * sizeof *check->first);
            check->size = check->report->size = check->report->size > 0 ? check->report->size : extent_of(check);
        }
        if (*is_posed && flat < 0 && (flat = find_flat(check)) >= 0)
            add_flat(check, flat, time_s);
        if (*is_posed)
            check->moved = fmax(check->moved, node_motion_most(check, &node));
    }
    return 0;
}

/* --- all rules --- */

static void add_zero_length(struct clip_check *check)
{
    struct finding *finding = finding_add(check, MOTION_ZERO_LENGTH, -1, (double)NAN);
    if (finding == NULL)
        return;
    finding->is_note = check_is_of_pose(check);
    finding_say(check, finding, finding->is_note ? " is a pose, and has no duration" : " has no duration");
}

static int apply_rules(struct clip_check *check)
{
    static int (*const RULES[])(struct clip_check *) = {check_still, check_ground, check_loop,   check_keys,
                                                        check_feet,  check_legs,   check_weights};
    bool is_posed;
    if (look_throughout(check, &is_posed) < 0)
        return check->err->code;
    if (!(check->duration_s > 0)) {
        add_zero_length(check);
        return 0;
    }
    for (size_t i = 0; i < sizeof RULES / sizeof *RULES && is_posed; i++)
        if (RULES[i](check) < 0)
            return check->err->code;
    return 0;
}

/* Returns the longest side of the box around what the model draws at rest; 0: nothing. */
static double rest_size(const struct model *model)
{
    const struct model_info *info = model->infos;
    const double size = fmax(
        (double)info->rest_max.x - (double)info->rest_min.x,
        fmax((double)info->rest_max.y - (double)info->rest_min.y, (double)info->rest_max.z - (double)info->rest_min.z));
    return isfinite(size) && size > 0 ? size : 0;
}

/* Starts a check of a clip, or of the rest pose (-1). */
static void start(struct clip_check *check, const struct model *model, int32_t clip,
                  const struct check_options *options, struct check_report *report, struct err *err)
{
    *check = (struct clip_check){.model = model,
                                 .clip = clip,
                                 .options = options,
                                 .report = report,
                                 .err = err,
                                 .duration_s = clip < 0 ? 0 : model->clips[clip].duration_s};
    err->code = 0;
    report->size = report->size > 0 ? report->size : rest_size(model);
    check->size = report->size;
    for (int i = 0; i < 3; i++)
        check->up[i] = (double)model->infos->up[i];
    pose_init(&check->pose);
}

int check_clip(const struct model *model, int32_t clip, const struct check_options *options,
               struct check_report *report, struct err *err)
{
    struct clip_check check;
    start(&check, model, clip, options, report, err);
    check.first = mem_alloc(((size_t)model->node_count + 1) * sizeof *check.first);
    const int rc = apply_rules(&check);
    free(check.first);
    pose_fini(&check.pose);
    return rc;
}

int check_rest(const struct model *model, const struct check_options *options, struct check_report *report,
               struct err *err)
{
    struct clip_check check;
    start(&check, model, POSE_REST, options, report, err);
    const int rc = check_weights(&check);
    pose_fini(&check.pose);
    return rc;
}

void check_report_fini(struct check_report *report)
{
    free(report->findings);
    check_rig_free(report->rig);
    *report = (struct check_report){0};
}

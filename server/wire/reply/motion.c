#include "wire/reply/motion.h"

#include "wire/reply/select.h"
#include "wire/reply/reply_json.h"

#include <math.h>

int motion_find_root(struct workspace *workspace, const struct model *model, const struct request *request,
                     uint32_t *node, struct reply *reply)
{
    struct err err;
    if (request->motion.root.kind != SELECT_NONE)
        return select_thing(model, request->model, THING_NODE, &request->motion.root, node, reply);
    uint8_t *marks = workspace_array(&workspace->moved, model->node_count, sizeof *marks);
    const int32_t top = marks == NULL ? -1 : root_motion_find_root(model, marks);
    if (top >= 0) {
        *node = (uint32_t)top;
        return 0;
    }
    err_set(
        &err, ERR_BAD_PARAMETER,
        "'%s' has no joint that all others hang from: name the node whose movement it is with root=", request->model);
    if (marks == NULL)
        err_set(&err, ERR_NO_MEMORY, "no memory to evaluate '%s'", request->model);
    return reply_error(reply, &err, NULL, 0);
}

static bool is_float(const double vector[3])
{
    return isfinite((float)vector[0]) && isfinite((float)vector[1]) && isfinite((float)vector[2]);
}

static bool check_step(struct reply_context *context, const struct root_step *step, double time_s)
{
    /* the origin as well: two places may be too far away for floats, yet close to each other */
    if (isfinite((float)step->angle_deg) && is_float(step->translation) && is_float(context->motion.motion.origin))
        return true;
    struct err err;
    err_set(&err, ERR_NOT_FINITE, "the movement of the root, node %u, is not finite", context->motion.motion.node);
    return context_fail_at(context, &err, time_s);
}

bool motion_start(struct reply_context *context)
{
    const struct model *model = context->model;
    struct reply_motion *motion = &context->motion;
    struct pose *pose = &context->workspace->entity.pose;
    uint32_t node = 0;
    if (motion_find_root(context->workspace, model, context->request, &node, context->reply) < 0)
        return false;
    uint8_t *is_moved = context_array(context, &context->workspace->moved, model->node_count, sizeof *is_moved);
    if (is_moved == NULL)
        return false;
    root_motion_mark(model, node, is_moved);
    pose_evaluate(pose, model, context->clip, context->span.from_s);
    root_motion_start(&motion->motion, pose, model, node, context->request->motion.has_turn, is_moved);
    pose_evaluate(pose, model, context->clip, context->span.to_s);
    root_motion_measure(&motion->motion, pose, &motion->lap);
    motion->is_on = true;
    return check_step(context, &motion->lap, context->span.to_s);
}

/* "translation":[..],"yaw":.. */
static void put_step(struct reply_context *context, const char *key, const struct root_step *step)
{
    buf_put_text(context->out, key);
    put_vec3(context->out, "\"translation\":", step->translation);
    if (context->motion.motion.has_turn)
        json_printf(context->out, ",\"yaw\":%f", (double)(float)step->angle_deg);
}

void motion_put_head(struct reply_context *context)
{
    const struct reply_motion *motion = &context->motion;
    if (!motion->is_on)
        return;
    buf_put_text(context->out, ",\"root_motion\":{\"root\":");
    put_node_head(context->out, context->model, motion->motion.node);
    put_vec3(context->out, "},\"up\":", motion->motion.up);
    put_vec3(context->out, ",\"origin\":", motion->motion.origin);
    put_step(context, ",\"lap\":{", &motion->lap);
    buf_put_text(context->out, "}}");
}

bool motion_check(struct reply_context *context, double time_s)
{
    return !context->motion.is_on || check_step(context, &context->motion.step, time_s);
}

uint64_t motion_bytes_least(const struct reply_context *context)
{
    if (!context->motion.is_on)
        return 0;
    return sizeof ",\"root_motion\":{\"translation\":[0,0,0]}" - 1 +
           (context->motion.motion.has_turn ? sizeof ",\"yaw\":0" - 1 : 0);
}

bool motion_put(struct reply_context *context, double time_s)
{
    if (!context->motion.is_on)
        return true;
    if (!motion_check(context, time_s))
        return false;
    put_step(context, ",\"root_motion\":{", &context->motion.step);
    buf_put_char(context->out, '}');
    return true;
}

bool motion_put_block(struct reply_context *context, uint32_t frame)
{
    const struct root_step *step = &context->motion.step;
    if (!check_step(context, step, context->request->pose.times_s[frame]))
        return false;
    const float floats[] = {(float)step->translation[0], (float)step->translation[1], (float)step->translation[2],
                            (float)step->angle_deg};
    frames_put_motion(context->out, &context->frames, frame, floats);
    return true;
}

#include "wire/answer/answer_motion.h"

#include "wire/answer/answer_parts.h"
#include "wire/answer/answer_select.h"
#include "wire/encode/json.h"

#include <math.h>

enum { IS_JOINT = 1, IS_BELOW = 2 };

/* The joints of skins; in a model without skins, as files of moves are, the nodes that a clip moves. */
static void mark_joints(const struct model *model, uint8_t *marks)
{
    bool is_skinned = false;
    for (uint32_t n = 0; n < model->node_count; n++) {
        marks[n] = (model->nodes[n].flags & NODE_JOINT) != 0 ? IS_JOINT : 0;
        is_skinned = is_skinned || marks[n] != 0;
    }
    for (uint32_t i = 0; i < model->channel_count && !is_skinned; i++)
        if (model->channels[i].path != PATH_WEIGHTS)
            marks[model->channels[i].node] = IS_JOINT;
}

/* The only joint without a joint above it; in a model without joints the only root of the scene; else -1. */
static int32_t find_top_joint(const struct model *model, uint8_t *marks)
{
    int32_t top = -1;
    uint32_t count = 0;
    mark_joints(model, marks);
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t node = model->node_order[i];
        const int32_t parent = model->nodes[node].parent;
        const bool is_covered = parent >= 0 && (marks[parent] & IS_BELOW) != 0;
        if ((marks[node] & IS_JOINT) != 0 && !is_covered) {
            top = (int32_t)node;
            count++;
        }
        if (marks[node] != 0 || is_covered)
            marks[node] |= IS_BELOW;
    }
    if (count == 0 && model->root_count == 1)
        return (int32_t)model->scene_roots[0];
    return count == 1 ? top : -1;
}

int answer_find_root(struct answer *answer, const struct model *model, const struct request *request, uint32_t *node,
                     struct reply *reply)
{
    struct err err = {0};
    if (request->root.kind != SELECT_ABSENT)
        return select_thing(model, request, THING_NODE, &request->root, node, reply);
    uint8_t *scratch = parts_array(&answer->moved, model->node_count, sizeof *scratch);
    const int32_t top = scratch == NULL ? -1 : find_top_joint(model, scratch);
    if (top >= 0) {
        *node = (uint32_t)top;
        return 0;
    }
    if (scratch == NULL)
        err_set(&err, ERR_NO_MEMORY, "no memory to evaluate '%s'", request->model);
    else
        err_set(&err, ERR_BAD_PARAMETER,
                "'%s' has no joint that all others hang from: name the node whose movement it is with root=",
                request->model);
    reply_error(reply, &err, NULL, 0);
    return err.code;
}

static bool is_float(const double vector[3])
{
    return isfinite((float)vector[0]) && isfinite((float)vector[1]) && isfinite((float)vector[2]);
}

static bool check_step(struct task *task, const struct root_step *step, double time_s)
{
    /* the origin, too: two places may be too far away for a float, and close to each other */
    if (isfinite((float)step->angle_deg) && is_float(step->translation) && is_float(task->motion.motion.origin))
        return true;
    struct err err;
    err_set(&err, ERR_NOT_FINITE, "the movement of the root, node %u, is not finite", task->motion.motion.node);
    parts_fail_at(task, &err, time_s);
    return false;
}

bool motion_start(struct task *task)
{
    const struct model *model = task->model;
    struct answer_motion *motion = &task->motion;
    struct pose *pose = &task->answer->pose;
    uint32_t node = 0;
    if (!task->request->has_root_motion)
        return true;
    if (answer_find_root(task->answer, model, task->request, &node, task->reply) < 0)
        return false;
    uint8_t *is_moved = parts_array(&task->answer->moved, model->node_count, sizeof *is_moved);
    if (is_moved == NULL) {
        parts_fail_memory(task);
        return false;
    }
    root_motion_mark(model, node, is_moved);
    pose_evaluate(pose, model, task->clip, task->span.from_s);
    root_motion_start(&motion->motion, pose, model, node, task->request->has_turn, is_moved);
    pose_evaluate(pose, model, task->clip, task->span.to_s);
    root_motion_measure(&motion->motion, pose, &motion->lap);
    motion->is_on = true;
    return check_step(task, &motion->lap, task->span.to_s);
}

static void put_vector(struct buf *out, const double vector[3])
{
    const float floats[3] = {(float)vector[0], (float)vector[1], (float)vector[2]};
    json_put_floats(out, floats, 3);
}

/* "translation":[..],"yaw":.. */
static void put_step(struct task *task, const struct root_step *step)
{
    buf_put_text(task->out, "\"translation\":");
    put_vector(task->out, step->translation);
    if (!task->motion.motion.has_turn)
        return;
    buf_put_text(task->out, ",\"yaw\":");
    json_put_float(task->out, (float)step->angle_deg);
}

void motion_put_head(struct task *task)
{
    const struct answer_motion *motion = &task->motion;
    if (!motion->is_on)
        return;
    buf_put_text(task->out, ",\"root_motion\":{\"root\":");
    parts_put_node_head(task->out, task->model, motion->motion.node);
    buf_put_text(task->out, "},\"up\":");
    put_vector(task->out, motion->motion.up);
    buf_put_text(task->out, ",\"origin\":");
    put_vector(task->out, motion->motion.origin);
    buf_put_text(task->out, ",\"lap\":{");
    put_step(task, &motion->lap);
    buf_put_text(task->out, "}}");
}

bool motion_check(struct task *task, double time_s)
{
    return !task->motion.is_on || check_step(task, &task->motion.step, time_s);
}

uint64_t motion_bytes_least(const struct task *task)
{
    if (!task->motion.is_on)
        return 0;
    return sizeof ",\"root_motion\":{\"translation\":[0,0,0]}" - 1 +
           (task->motion.motion.has_turn ? sizeof ",\"yaw\":0" - 1 : 0);
}

bool motion_put(struct task *task, double time_s)
{
    if (!task->motion.is_on)
        return true;
    if (!motion_check(task, time_s))
        return false;
    buf_put_text(task->out, ",\"root_motion\":{");
    put_step(task, &task->motion.step);
    buf_put_char(task->out, '}');
    return true;
}

bool motion_put_block(struct task *task, const struct frames *frames, uint32_t frame)
{
    const struct root_step *step = &task->motion.step;
    if (!task->motion.is_on)
        return true;
    if (!check_step(task, step, frames->times_s[frame]))
        return false;
    frames_put_motion(task->out, frames, frame,
                      (const float[]){(float)step->translation[0], (float)step->translation[1],
                                      (float)step->translation[2], (float)step->angle_deg});
    return true;
}

/* answer_bounds.c - boxes around the posed model: at every time asked for, or over all of the clip. */
#include "anim/pose/bounds_sum.h"
#include "wire/answer/answer_parts.h"
#include "wire/answer/answer_select.h"
#include "wire/encode/json.h"

#include <math.h>

/* The draws of the mesh asked for, in the model's order. */
static uint32_t select_draws(const struct task *task, uint32_t mesh, uint32_t *draws)
{
    const struct model *model = task->model;
    uint32_t count = 0;
    for (uint32_t d = 0; d < model->draw_count; d++)
        if (mesh == UINT32_MAX || model->primitives[model->draws[d].primitive].mesh == mesh)
            draws[count++] = d;
    return count;
}

/* Memory for the largest skin and the largest primitive. False: there is none. */
static bool reserve_scratch(struct task *task, struct bounds_sum *sum)
{
    const struct model *model = task->model;
    uint32_t joints = 0, vertices = 0;
    for (uint32_t e = 0; e < sum->draw_count; e++) {
        const struct draw *draw = &model->draws[sum->draws[e]];
        const uint32_t joint_count = model->skins[draw->skin].joint_count;
        const uint32_t vertex_count = model->primitives[draw->primitive].vertex_count;
        joints = joint_count > joints ? joint_count : joints;
        vertices = vertex_count > vertices ? vertex_count : vertices;
    }
    sum->palette = parts_array(&task->answer->palette, joints, sizeof *sum->palette);
    sum->vertices = parts_array(&task->answer->vertices, vertices, sizeof *sum->vertices);
    return sum->palette != NULL && sum->vertices != NULL;
}

/* False: the reply is an error. */
static bool start_sum(struct task *task, struct bounds_sum *sum)
{
    const struct model *model = task->model;
    const struct request *request = task->request;
    struct answer *answer = task->answer;
    uint32_t mesh = UINT32_MAX;
    if (request->mesh.kind != SELECT_ABSENT &&
        select_thing(model, request, THING_MESH, &request->mesh, &mesh, task->reply) < 0)
        return false;
    uint32_t *draws = parts_array(&answer->selection, model->draw_count, sizeof *draws);
    struct box *entries = parts_array(&answer->blocks, model->draw_count, sizeof *entries);
    struct joint_box *joints =
        request->is_per_joint ? parts_array(&answer->laid, model->node_count, sizeof *joints) : NULL;
    if (draws == NULL || entries == NULL || (request->is_per_joint && joints == NULL)) {
        parts_fail_memory(task);
        return false;
    }
    *sum = (struct bounds_sum){
        .model = model,
        .draws = draws,
        .draw_count = select_draws(task, mesh, draws),
        .is_nodes = model->draw_count == 0,
        .entries = entries,
        .joints = joints,
    };
    if (!reserve_scratch(task, sum)) {
        parts_fail_memory(task);
        return false;
    }
    bounds_sum_start(sum);
    return true;
}

/* False: so many poses cost too much, and the reply is an error. */
static bool is_affordable(struct task *task, const struct bounds_sum *sum, uint64_t poses)
{
    const uint64_t *limits = task->limits->value;
    const uint64_t steps = parts_pose_steps(task->model, task->request);
    uint64_t vertices = 0;
    struct err err;
    for (uint32_t e = 0; e < sum->draw_count; e++)
        vertices += task->model->primitives[task->model->draws[sum->draws[e]].primitive].vertex_count;
    if (poses * vertices <= limits[LIMIT_BOUNDS_VERTICES] && poses * steps <= limits[LIMIT_EVALUATIONS]) {
        task->answer->cost = (struct answer_cost){poses, poses * steps, poses * vertices};
        return true;
    }
    err_set(&err, ERR_TOO_MANY_FRAMES,
            "%llu poses of '%s' (%llu vertices, %llu steps each) are more than one request may ask for (%llu vertices, "
            "%llu steps); shorten the part with from= and to=, lower rate=, or choose a mesh=",
            (unsigned long long)poses, task->request->model, (unsigned long long)vertices, (unsigned long long)steps,
            (unsigned long long)limits[LIMIT_BOUNDS_VERTICES], (unsigned long long)limits[LIMIT_EVALUATIONS]);
    parts_fail(task, &err);
    return false;
}

/* --- JSON --- */

static void put_corner(struct buf *out, const double corner[3])
{
    const float floats[3] = {(float)corner[0], (float)corner[1], (float)corner[2]};
    json_put_floats(out, floats, 3);
}

/* {"min":..,"max":..}, or null for an empty box and for one that floats cannot hold. */
static void put_box(struct buf *out, const struct box *box)
{
    bool is_finite = !box_is_empty(box);
    for (int i = 0; i < 3; i++)
        is_finite = is_finite && isfinite((float)box->min[i]) && isfinite((float)box->max[i]);
    if (!is_finite) {
        buf_put_text(out, "null");
        return;
    }
    buf_put_text(out, "{\"min\":");
    put_corner(out, box->min);
    buf_put_text(out, ",\"max\":");
    put_corner(out, box->max);
    buf_put_char(out, '}');
}

/* "bounds":..,"meshes":[..],"joints":[..] */
static void put_boxes(struct task *task, const struct bounds_sum *sum)
{
    struct buf *out = task->out;
    bool is_first = true;
    buf_put_text(out, "\"bounds\":");
    put_box(out, &sum->all);
    buf_put_text(out, ",\"meshes\":[");
    for (uint32_t e = 0; e < sum->draw_count; e++) {
        if (e > 0)
            buf_put_char(out, ',');
        put_box(out, &sum->entries[e]);
    }
    buf_put_char(out, ']');
    if (sum->joints == NULL)
        return;
    buf_put_text(out, ",\"joints\":[");
    for (uint32_t n = 0; n < task->model->node_count; n++) {
        if (sum->joints[n].vertex_count == 0)
            continue;
        buf_put_text(out, is_first ? "{\"scene\":" : ",{\"scene\":");
        put_box(out, &sum->joints[n].scene);
        buf_put_text(out, ",\"joint\":");
        put_box(out, &sum->joints[n].joint);
        buf_put_char(out, '}');
        is_first = false;
    }
    buf_put_char(out, ']');
}

static void put_entries(struct task *task, const struct bounds_sum *sum)
{
    const struct model *model = task->model;
    struct buf *out = task->out;
    buf_put_text(out, ",\"meshes\":[");
    for (uint32_t e = 0; e < sum->draw_count; e++) {
        const struct draw *draw = &model->draws[sum->draws[e]];
        const struct primitive *primitive = &model->primitives[draw->primitive];
        buf_put_text(out, e == 0 ? "{\"name\":" : ",{\"name\":");
        json_put_str(out, model, model->meshes[primitive->mesh].name);
        buf_put_text(out, ",\"node\":");
        json_put_uint(out, draw->node);
        buf_put_text(out, ",\"mesh\":");
        json_put_uint(out, primitive->mesh);
        buf_put_text(out, ",\"primitive\":");
        json_put_uint(out, draw->primitive - model->meshes[primitive->mesh].primitive_first);
        buf_put_text(out, ",\"vertices\":");
        json_put_uint(out, primitive->vertex_count);
        buf_put_text(out, (draw->flags & DRAW_IN_SCENE) != 0 ? ",\"in_scene\":true}" : ",\"in_scene\":false}");
    }
    buf_put_char(out, ']');
}

static void put_joints(struct task *task, const struct bounds_sum *sum)
{
    struct buf *out = task->out;
    bool is_first = true;
    buf_put_text(out, ",\"joints\":[");
    for (uint32_t n = 0; n < task->model->node_count; n++) {
        if (sum->joints[n].vertex_count == 0)
            continue;
        if (!is_first)
            buf_put_char(out, ',');
        parts_put_node_head(out, task->model, n);
        buf_put_text(out, ",\"vertices\":");
        json_put_uint(out, sum->joints[n].vertex_count);
        buf_put_char(out, '}');
        is_first = false;
    }
    buf_put_char(out, ']');
}

static void put_head(struct task *task, const struct bounds_sum *sum)
{
    parts_put_head(task);
    buf_put_text(task->out, sum->is_nodes ? ",\"source\":\"nodes\"" : ",\"source\":\"vertices\"");
    put_entries(task, sum);
    if (sum->joints != NULL)
        put_joints(task, sum);
}

/* --- the two kinds of answer --- */

/* What put_boxes() appends at least: a box may be null. */
static uint64_t boxes_least(const struct task *task, const struct bounds_sum *sum)
{
    enum { BOX = sizeof "null" - 1, JOINT = sizeof "{\"scene\":null,\"joint\":null}" - 1 };
    const uint64_t least =
        sizeof "\"bounds\":" - 1 + BOX + sizeof ",\"meshes\":" - 1 + json_list_least(sum->draw_count, BOX);
    uint64_t joints = 0;
    if (sum->joints == NULL)
        return least;
    for (uint32_t n = 0; n < task->model->node_count; n++)
        joints += sum->joints[n].vertex_count > 0;
    return least + sizeof ",\"joints\":" - 1 + json_list_least(joints, JOINT);
}

static void answer_times(struct task *task, struct bounds_sum *sum)
{
    struct err err;
    const uint64_t frame_bytes = parts_frame_least(task, sizeof "," - 1 + boxes_least(task, sum));
    if (!is_affordable(task, sum, task->request->time_count) || !parts_may_fit_json(task, 0, frame_bytes))
        return;
    put_head(task, sum);
    buf_put_text(task->out, ",\"frames\":[");
    for (uint32_t f = 0; f < task->request->time_count; f++) {
        parts_end_early(task, f, frame_bytes);
        if (buf_failed(task->out))
            return;
        bounds_sum_clear(sum);
        parts_evaluate(task, f);
        if (bounds_sum_add(sum, &task->answer->pose, &err) < 0) {
            parts_fail_at(task, &err, task->request->times_s[f]);
            return;
        }
        if (f > 0)
            buf_put_char(task->out, ',');
        parts_put_frame_head(task, f);
        if (!motion_put(task, task->request->times_s[f]))
            return;
        buf_put_char(task->out, ',');
        put_boxes(task, sum);
        buf_put_char(task->out, '}');
    }
    buf_put_text(task->out, "]}\n");
}

/* How many poses the walk has; more than the limit allows: the reply is an error and 0 is returned. */
static uint32_t count_poses(struct task *task, struct bounds_walk walk)
{
    const uint64_t most = task->limits->value[LIMIT_FRAMES];
    double time_s;
    while (bounds_next_time(&walk, &time_s)) {
        if (walk.count <= most)
            continue;
        struct err err;
        err_set(
            &err, ERR_TOO_MANY_FRAMES,
            "the keys from %.9g s to %.9g s and %.9g times a second are more than %llu poses; shorten the part with "
            "from= and to=, or lower rate=",
            walk.from_s, walk.to_s, walk.rate, (unsigned long long)most);
        parts_fail(task, &err);
        return 0;
    }
    return walk.count;
}

static void put_sampling(struct task *task, const struct bounds_walk *walk, uint32_t poses)
{
    struct buf *out = task->out;
    buf_put_text(out, ",\"sampled\":{\"over\":\"clip\",\"from\":");
    json_put_double(out, walk->from_s);
    buf_put_text(out, ",\"to\":");
    json_put_double(out, walk->to_s);
    buf_put_text(out, ",\"keys\":true,\"rate\":");
    json_put_double(out, walk->rate);
    buf_put_text(out, ",\"poses\":");
    json_put_uint(out, poses);
    buf_put_char(out, '}');
}

static void answer_over_clip(struct task *task, struct bounds_sum *sum)
{
    enum { RATE = 60 };
    const struct request *request = task->request;
    struct bounds_walk walk = {.model = task->model,
                               .clip = task->clip,
                               .from_s = task->span.from_s,
                               .to_s = task->span.to_s,
                               .rate = request->has_rate ? request->rate : RATE};
    const uint32_t poses = count_poses(task, walk);
    double time_s;
    if (poses == 0 || !is_affordable(task, sum, poses))
        return;
    /* the head first: when it is too large there is nothing to evaluate */
    put_head(task, sum);
    put_sampling(task, &walk, poses);
    buf_put_text(task->out, ",\"whole\":{");
    while (!buf_failed(task->out) && task->out->size_bytes <= task->limit_bytes && bounds_next_time(&walk, &time_s)) {
        struct err err;
        parts_look_up(task);
        parts_evaluate_at(task, time_s);
        if (bounds_sum_add(sum, &task->answer->pose, &err) < 0) {
            parts_fail_at(task, &err, time_s);
            return;
        }
    }
    put_boxes(task, sum);
    buf_put_text(task->out, "}}\n");
}

void answer_bounds(struct task *task)
{
    struct bounds_sum sum;
    if (!start_sum(task, &sum))
        return;
    if (task->request->is_over_clip)
        answer_over_clip(task, &sum);
    else
        answer_times(task, &sum);
}

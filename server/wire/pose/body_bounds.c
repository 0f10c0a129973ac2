/* body_bounds.c - computes boxes around the posed model, at each requested time or over the whole clip. */
#include "anim/pose/bounds.h"
#include "wire/pose/pose_bodies.h"
#include "wire/pose/deform.h"
#include "wire/reply/reply_json.h"

#include <math.h>

/* False: the reply is an error. */
static bool start_sum(struct reply_context *context, struct bounds_sum *sum)
{
    const struct model *model = context->model;
    const bool is_per_joint = context->request->bounds.is_per_joint;
    struct workspace *workspace = context->workspace;
    struct deform_most most;
    *sum = (struct bounds_sum){.model = model, .is_nodes = model->draw_count == 0};
    sum->draws = deform_select(context, &sum->draw_count, &most);
    if (sum->draws == NULL)
        return false;
    sum->entries = context_array(context, &workspace->blocks, model->draw_count, sizeof *sum->entries);
    const bool has_palette = deform_palette(context, &most, &sum->palette);
    sum->vertices = context_array(context, &workspace->vertices, most.vertices, sizeof *sum->vertices);
    if (is_per_joint)
        sum->joints = context_array(context, &workspace->floats, model->node_count, sizeof *sum->joints);
    if (sum->entries == NULL || !has_palette || sum->vertices == NULL || (is_per_joint && sum->joints == NULL))
        return false;
    bounds_sum_start(sum);
    return true;
}

static uint32_t vertices_of(const struct model *model, uint32_t draw)
{
    return model->primitives[model->draws[draw].primitive].vertex_count;
}

/* False: the poses exceed the cost limit, and the reply is an error. */
static bool is_affordable(struct reply_context *context, const struct bounds_sum *sum, uint64_t poses)
{
    const uint64_t *limits = context->limits->value;
    const uint64_t steps = pose_steps(context->model, &context->request->pose);
    uint64_t vertices = 0;
    struct err err;
    for (uint32_t e = 0; e < sum->draw_count; e++)
        vertices += vertices_of(context->model, sum->draws[e]);
    if (poses * vertices <= limits[LIMIT_BOUNDS_VERTICES] && poses * steps <= limits[LIMIT_EVALUATIONS]) {
        context->workspace->cost =
            (struct reply_cost){.frames = poses, .evaluations = poses * steps, .vertices = poses * vertices};
        return true;
    }
    err_set(&err, ERR_TOO_MANY_FRAMES,
            "%llu poses of '%s' (%llu vertices, %llu steps each) are more than one request may ask for (%llu vertices, "
            "%llu steps); shorten the part with from= and to=, lower rate=, or choose a mesh=",
            (unsigned long long)poses, context->request->model, (unsigned long long)vertices, (unsigned long long)steps,
            (unsigned long long)limits[LIMIT_BOUNDS_VERTICES], (unsigned long long)limits[LIMIT_EVALUATIONS]);
    return context_fail(context, &err);
}

/* Extends the boxes to the evaluated pose. Its morph targets are charged here, as only the pose says which of them have
 * a weight. False: the reply is an error. */
static bool add_pose(struct reply_context *context, struct bounds_sum *sum, double time_s)
{
    const uint64_t most = context->limits->value[LIMIT_BOUNDS_VERTICES];
    const struct pose *pose = &context->workspace->entity.pose;
    struct reply_cost *cost = &context->workspace->cost;
    struct err err;
    for (uint32_t e = 0; e < sum->draw_count; e++)
        cost->vertices +=
            skin_draw_work(context->model, sum->draws[e], pose) - vertices_of(context->model, sum->draws[e]);
    if (cost->vertices > most)
        err_set(&err, ERR_TOO_MANY_FRAMES,
                "the poses of '%s' with their morph targets are more than one request may ask for (%llu vertices); "
                "shorten the part with from= and to=, lower rate=, or choose a mesh=",
                context->request->model, (unsigned long long)most);
    return (cost->vertices <= most && bounds_sum_add(sum, pose, &err) == 0) || context_fail_at(context, &err, time_s);
}

/* --- JSON --- */

/* Writes {"min":..,"max":..}, or null for an empty box and for one that exceeds floats. */
static void put_box(struct buf *out, const struct box *box)
{
    bool is_finite = !box_is_empty(box);
    for (int i = 0; i < 3; i++)
        is_finite = is_finite && isfinite((float)box->min[i]) && isfinite((float)box->max[i]);
    if (!is_finite) {
        buf_put_text(out, "null");
        return;
    }
    put_vec3(out, "{\"min\":", box->min);
    put_vec3(out, ",\"max\":", box->max);
    buf_put_char(out, '}');
}

/* "bounds":..,"meshes":[..],"joints":[..] */
static void put_boxes(struct reply_context *context, const struct bounds_sum *sum)
{
    struct buf *out = context->out;
    bool is_first = true;
    buf_put_text(out, "\"bounds\":");
    put_box(out, &sum->all);
    buf_put_text(out, ",\"meshes\":[");
    for (uint32_t e = 0; e < sum->draw_count; e++) {
        json_comma(out, e > 0);
        put_box(out, &sum->entries[e]);
    }
    buf_put_char(out, ']');
    if (sum->joints == NULL)
        return;
    buf_put_text(out, ",\"joints\":[");
    for (uint32_t n = 0; n < context->model->node_count; n++) {
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

static void put_entries(struct reply_context *context, const struct bounds_sum *sum)
{
    const struct model *model = context->model;
    struct buf *out = context->out;
    buf_put_text(out, ",\"meshes\":[");
    for (uint32_t e = 0; e < sum->draw_count; e++) {
        const struct draw *draw = &model->draws[sum->draws[e]];
        json_comma(out, e > 0);
        put_draw_head(out, model, draw);
        json_printf(out, ",\"vertices\":%u", model->primitives[draw->primitive].vertex_count);
        buf_put_text(out, (draw->flags & DRAW_IN_SCENE) != 0 ? ",\"in_scene\":true}" : ",\"in_scene\":false}");
    }
    buf_put_char(out, ']');
}

static void put_joints(struct reply_context *context, const struct bounds_sum *sum)
{
    struct buf *out = context->out;
    bool is_first = true;
    buf_put_text(out, ",\"joints\":[");
    for (uint32_t n = 0; n < context->model->node_count; n++) {
        if (sum->joints[n].vertex_count == 0)
            continue;
        json_comma(out, !is_first);
        put_node_head(out, context->model, n);
        json_printf(out, ",\"vertices\":%u}", sum->joints[n].vertex_count);
        is_first = false;
    }
    buf_put_char(out, ']');
}

static void put_head(struct reply_context *context, const struct bounds_sum *sum)
{
    context_put_head(context);
    buf_put_text(context->out, sum->is_nodes ? ",\"source\":\"nodes\"" : ",\"source\":\"vertices\"");
    put_entries(context, sum);
    if (sum->joints != NULL)
        put_joints(context, sum);
}

/* --- answers at times and over the clip --- */

/* Returns a lower bound of the output of put_boxes(), in which each box may be null. */
static uint64_t boxes_least(const struct reply_context *context, const struct bounds_sum *sum)
{
    enum { BOX = sizeof "null" - 1, JOINT = sizeof "{\"scene\":null,\"joint\":null}" - 1 };
    const uint64_t least =
        sizeof "\"bounds\":" - 1 + BOX + sizeof ",\"meshes\":" - 1 + json_list_least(sum->draw_count, BOX);
    uint64_t joints = 0;
    if (sum->joints == NULL)
        return least;
    for (uint32_t n = 0; n < context->model->node_count; n++)
        joints += sum->joints[n].vertex_count > 0;
    return least + sizeof ",\"joints\":" - 1 + json_list_least(joints, JOINT);
}

static void put_times(struct reply_context *context, struct bounds_sum *sum)
{
    const uint64_t frame_bytes = context_frame_least(context, sizeof "," - 1 + boxes_least(context, sum));
    if (!is_affordable(context, sum, context->request->pose.time_count) ||
        !context_may_fit_json(context, 0, frame_bytes))
        return;
    put_head(context, sum);
    buf_put_text(context->out, ",\"frames\":[");
    for (uint32_t f = 0; f < context->request->pose.time_count; f++) {
        context_end_early(context, f, frame_bytes);
        if (buf_failed(context->out))
            return;
        bounds_sum_clear(sum);
        context_evaluate(context, f);
        if (!add_pose(context, sum, context->request->pose.times_s[f]))
            return;
        json_comma(context->out, f > 0);
        context_put_frame_head(context, f);
        if (!motion_put(context, context->request->pose.times_s[f]))
            return;
        buf_put_char(context->out, ',');
        put_boxes(context, sum);
        buf_put_char(context->out, '}');
    }
    buf_put_text(context->out, "]}\n");
}

/* Returns the number of poses of the walk; 0 when it exceeds the limit and the reply is an error. */
static uint32_t count_poses(struct reply_context *context, struct bounds_times walk)
{
    const uint64_t most = context->limits->value[LIMIT_FRAMES];
    double time_s;
    while (bounds_times_next(&walk, &time_s)) {
        if (walk.count <= most)
            continue;
        struct err err;
        err_set(
            &err, ERR_TOO_MANY_FRAMES,
            "the keys from %.9g s to %.9g s and %.9g times a second are more than %llu poses; shorten the part with "
            "from= and to=, or lower rate=",
            walk.from_s, walk.to_s, walk.rate, (unsigned long long)most);
        context_fail(context, &err);
        return 0;
    }
    return walk.count;
}

static void put_over_clip(struct reply_context *context, struct bounds_sum *sum)
{
    enum { RATE = 60 };
    const struct request *request = context->request;
    struct bounds_times walk = {.model = context->model,
                                .clip = context->clip,
                                .from_s = context->span.from_s,
                                .to_s = context->span.to_s,
                                .rate = request->bounds.has_rate ? request->bounds.rate : RATE};
    const uint32_t poses = count_poses(context, walk);
    double time_s;
    if (poses == 0 || !is_affordable(context, sum, poses))
        return;
    /* the head first: when it is too large, no evaluation is needed */
    put_head(context, sum);
    json_printf(
        context->out,
        ",\"sampled\":{\"over\":\"clip\",\"from\":%g,\"to\":%g,\"keys\":true,\"rate\":%g,\"poses\":%u},\"whole\":{",
        walk.from_s, walk.to_s, walk.rate, poses);
    while (!buf_failed(context->out) && context->out->size_bytes <= context->limit_bytes &&
           bounds_times_next(&walk, &time_s)) {
        context_check_stop(context);
        context_evaluate_at(context, time_s);
        if (!add_pose(context, sum, time_s))
            return;
    }
    put_boxes(context, sum);
    buf_put_text(context->out, "}}\n");
}

void body_put_bounds(struct reply_context *context)
{
    struct bounds_sum sum;
    if (!start_sum(context, &sum))
        return;
    if (context->request->bounds.is_over_clip)
        put_over_clip(context, &sum);
    else
        put_times(context, &sum);
}

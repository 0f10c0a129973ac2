/* body_check.c - what is wrong with the clips of a model, as JSON. */
#include "anim/check/check.h"
#include "wire/models/model_bodies.h"
#include "wire/reply/reply_json.h"

#include <math.h>
#include <string.h>

/* Writes ,"key":number unless it does not apply. */
static void put_number(struct buf *out, const char *key, double value)
{
    if (isfinite(value))
        json_printf(out, ",%s:%g", key, value);
}

static void put_finding(struct reply_context *context, const struct finding *finding)
{
    struct buf *out = context->out;
    json_printf(out, "{\"rule\":%s,\"subject\":%s", motion_rule_name(finding->rule), finding->subject);
    if (finding->node >= 0) {
        buf_put_text(out, ",\"joint\":");
        put_node_head(out, context->model, (uint32_t)finding->node);
        buf_put_char(out, '}');
    }
    if (finding->mesh >= 0)
        json_printf(out, ",\"mesh\":{\"index\":%u,\"name\":%.*s}", (uint32_t)finding->mesh,
                    JSON_STR(context->model, context->model->meshes[finding->mesh].name));
    put_number(out, "time", finding->time_s);
    put_number(out, "value", finding->value);
    put_number(out, "limit", finding->limit);
    if (finding->unit != NULL)
        json_printf(out, ",\"unit\":%s", finding->unit);
    buf_put_text(out, finding->is_note ? ",\"note\":true" : "");
    json_printf(out, ",\"message\":%s}", finding->message);
}

/* Writes "findings":[..], from `first` on. */
static void put_findings(struct reply_context *context, const struct check_report *report, uint32_t first)
{
    struct buf *out = context->out;
    buf_put_text(out, "\"findings\":[");
    for (uint32_t i = first; i < report->count; i++) {
        json_comma(out, i > first);
        put_finding(context, &report->findings[i]);
    }
    buf_put_char(out, ']');
}

/* Writes a clip with the findings from `first` on. */
static void put_clip(struct reply_context *context, int32_t clip, const struct check_report *report, uint32_t first)
{
    struct buf *out = context->out;
    const bool must_loop = check_must_loop(context->model, clip, (enum check_loop)context->request->check.loop);
    json_printf(out, "{\"index\":%u,\"name\":%.*s,\"duration\":%g,", (uint32_t)clip,
                JSON_STR(context->model, context->model->clips[clip].name), context->model->clips[clip].duration_s);
    buf_put_text(out, must_loop ? "\"loop\":true," : "\"loop\":false,");
    put_findings(context, report, first);
    buf_put_char(out, '}');
}

/* Fills in the options of the request. False: the reply is an error. */
static bool take_options(struct reply_context *context, struct check_options *options)
{
    const struct request *request = context->request;
    uint32_t root = 0;
    *options = (struct check_options){.loop = (enum check_loop)request->check.loop,
                                      .ground = (enum check_ground)request->check.ground,
                                      .root = -1,
                                      .max_jump = request->check.max_jump,
                                      .max_drift = request->check.max_drift,
                                      .least_motion = request->check.least_motion,
                                      .steps = context->limits->value[LIMIT_EVALUATIONS],
                                      .vertices = context->limits->value[LIMIT_BOUNDS_VERTICES],
                                      .is_stopped = context->workspace->is_stopped};
    if (request->motion.root.kind == SELECT_NONE)
        return true;
    if (motion_find_root(context->workspace, context->model, request, &root, context->reply) < 0)
        return false;
    options->root = (int32_t)root;
    return true;
}

/* Ends the answer with an error about the model. */
static bool fail(struct reply_context *context, struct err *err)
{
    err_prefix(err, "'%s'", context->request->model);
    return context_fail(context, err);
}

/* Checks clips first .. end - 1, and writes each. False: the reply is an error. */
static bool put_clips(struct reply_context *context, uint32_t first, uint32_t end, const struct check_options *options,
                      struct check_report *report)
{
    struct err err;
    buf_put_text(context->out, "\"clips\":[");
    for (uint32_t clip = first; clip < end && !buf_failed(context->out); clip++) {
        const uint32_t before = report->count;
        if (check_clip(context->model, (int32_t)clip, options, report, &err) < 0)
            return fail(context, &err);
        json_comma(context->out, clip > first);
        put_clip(context, (int32_t)clip, report, before);
        report->count = 0; /* they are written */
    }
    buf_put_char(context->out, ']');
    return true;
}

/* Checks the clips, or without any the rest pose. False: the reply is an error. */
static bool put_all(struct reply_context *context, uint32_t first, uint32_t end, struct check_report *report)
{
    struct check_options options;
    struct err err;
    if (!take_options(context, &options))
        return false;
    put_name_and_hash(context->out, context->model, context->request);
    if (first == end && check_rest(context->model, &options, report, &err) < 0)
        return fail(context, &err);
    buf_put_char(context->out, ',');
    put_findings(context, report, 0);
    buf_put_char(context->out, ',');
    if (!put_clips(context, first, end, &options, report))
        return false;
    buf_put_text(context->out, ",\"size\":");
    if (report->size > 0)
        json_printf(context->out, "%g", report->size);
    else
        buf_put_text(context->out, "null");
    json_printf(context->out, ",\"poses\":%llu,\"left_out\":%u}\n", (unsigned long long)report->pose_count,
                report->left_out);
    return true;
}

void body_put_check(struct reply_context *context)
{
    const struct model *model = context->model;
    struct check_report report = {0};
    int32_t clip = POSE_REST;
    reply_describe(context->request, context->limit_bytes, context->reply);
    const bool has_clip = context->request->pose.clip.kind != SELECT_NONE;
    if (has_clip && select_clip(model, &context->request->pose, &clip, context->reply) < 0)
        return;
    const uint32_t first = has_clip && clip >= 0 ? (uint32_t)clip : 0;
    const uint32_t end = !has_clip ? model->clip_count : clip >= 0 ? first + 1 : 0;
    if (put_all(context, first, end, &report)) {
        context->workspace->cost = (struct reply_cost){
            .frames = report.pose_count, .evaluations = report.step_count, .vertices = report.vertex_count};
        context_end_body(context);
    }
    check_report_fini(&report);
}

double cost_of_check(const struct cost_input *input)
{
    enum { POSES = 200 }; /* of a clip of a second */
    const struct model *model = input->model;
    double seconds = 1 + (double)model->influence_count * COST_LOOK_NS * 1e-9;
    for (uint32_t c = 0; c < model->clip_count; c++)
        seconds += 1 + model->clips[c].duration_s;
    return seconds * POSES * (double)pose_step_count(model) * COST_NODE_NS;
}

/* body_flex.c - what the skin of a model does where its joints bend, as JSON. */
#include "anim/flex/flex.h"
#include "anim/pose/pose.h"
#include "anim/humanoid/humanoid.h"
#include "wire/models/model_bodies.h"
#include "wire/reply/reply_json.h"
#include "wire/reply/select.h"

#include <math.h>

static const char *const AXES[FLEX_AXES] = {"x", "y", "z"};

/* Writes ,"key":number, or null where there is none. */
static void put_number(struct buf *out, const char *key, double value)
{
    json_printf(out, ",%s:", key);
    if (isfinite(value))
        json_put_double(out, value);
    else
        buf_put_text(out, "null");
}

static void put_joint_name(struct reply_context *context, const char *key, uint32_t node)
{
    buf_put_text(context->out, key);
    put_node_head(context->out, context->model, node);
    buf_put_char(context->out, '}');
}

static void put_turn(struct buf *out, const struct flex_turn *turn)
{
    json_printf(out, "{\"axis\":%s,\"angle\":%g", AXES[turn->axis], turn->angle_deg);
    put_number(out, "volume_lost", turn->volume_lost);
    json_printf(out, ",\"flipped\":%u,\"flipped_share\":%g,\"collapsed\":%u,\"collapsed_share\":%g}", turn->flipped,
                turn->flipped_share, turn->collapsed, turn->collapsed_share);
}

/* Writes ,"key":{"min":..,"max":..}, or nothing for an empty box. */
static void put_box(struct buf *out, const char *key, const struct box *box)
{
    if (box_is_empty(box))
        return;
    json_printf(out, ",%s:", key);
    put_vec3(out, "{\"min\":", box->min);
    put_vec3(out, ",\"max\":", box->max);
    buf_put_char(out, '}');
}

static void put_joint(struct reply_context *context, const struct flex_report *report, const struct flex_joint *joint)
{
    struct buf *out = context->out;
    put_node_head(out, context->model, joint->node);
    if (joint->role >= 0)
        json_printf(out, ",\"role\":%s", ROLE_WORDS[joint->role]);
    if (joint->long_axis >= 0)
        json_printf(out, ",\"long_axis\":%s", AXES[joint->long_axis]);
    json_printf(out, ",\"triangles\":%u", joint->zone_triangles);
    put_number(out, "area", joint->zone_area);
    put_number(out, "volume", joint->zone_volume);
    put_box(out, "box", &joint->zone_box);
    put_box(out, "moved_box", &joint->moved_box);
    if (joint->zone_triangles > 0)
        json_printf(out, ",\"camera\":{\"yaw\":%g,\"pitch\":%g}", joint->side.yaw_deg, joint->side.pitch_deg);
    json_printf(out, ",\"left_behind\":%u,\"dragged\":%u,\"turns\":[", joint->left_behind, joint->dragged);
    for (uint32_t t = 0; t < joint->turn_count; t++) {
        json_comma(out, t > 0);
        put_turn(out, &report->turns[joint->turn_first + t]);
    }
    buf_put_text(out, "]}");
}

static void put_finding(struct reply_context *context, const struct flex_finding *finding)
{
    struct buf *out = context->out;
    json_printf(out, "{\"rule\":%s", flex_rule_name(finding->rule));
    put_joint_name(context, ",\"joint\":", finding->node);
    if (finding->axis >= 0)
        json_printf(out, ",\"axis\":%s,\"angle\":%g", AXES[finding->axis], finding->angle_deg);
    if (finding->mesh >= 0)
        json_printf(out, ",\"mesh\":{\"index\":%u,\"name\":%.*s},\"vertex\":%u,\"vertices\":%u",
                    (uint32_t)finding->mesh, JSON_STR(context->model, context->model->meshes[finding->mesh].name),
                    finding->vertex, finding->vertex_count);
    if (finding->other >= 0)
        put_joint_name(context, ",\"other\":", (uint32_t)finding->other);
    put_number(out, "value", finding->value);
    put_number(out, "limit", finding->limit);
    json_printf(out, ",\"message\":%s}", finding->message);
}

static void put_unmeasured(struct reply_context *context, const struct flex_unmeasured *unmeasured)
{
    static const char *const WHYS[] = {
        [FLEX_NO_VERTICES] = "no_vertices", [FLEX_SHEARED] = "sheared", [FLEX_NO_TRIANGLES] = "no_triangles"};
    put_node_head(context->out, context->model, unmeasured->node);
    json_printf(context->out, ",\"why\":%s}", WHYS[unmeasured->why]);
}

static void put_report(struct reply_context *context, const struct flex_report *report)
{
    struct buf *out = context->out;
    put_name_and_hash(out, context->model, context->request);
    put_number(out, "size", report->size > 0 ? report->size : (double)NAN);
    buf_put_text(out, ",\"joints\":[");
    for (uint32_t j = 0; j < report->joint_count && !buf_failed(out); j++) {
        buf_put_text(out, j == 0 ? "\n" : ",\n");
        put_joint(context, report, &report->joints[j]);
    }
    buf_put_text(out, "],\"findings\":[");
    for (uint32_t i = 0; i < report->finding_count && !buf_failed(out); i++) {
        buf_put_text(out, i == 0 ? "\n" : ",\n");
        put_finding(context, &report->findings[i]);
    }
    buf_put_text(out, "],\"not_measured\":[");
    for (uint32_t i = 0; i < report->unmeasured_count && !buf_failed(out); i++) {
        json_comma(out, i > 0);
        put_unmeasured(context, &report->unmeasured[i]);
    }
    json_printf(out, "],\"poses\":%llu,\"left_out\":%u}\n", (unsigned long long)report->pose_count, report->left_out);
}

/* Fills *report. False: the reply is an error. */
static bool measure(struct reply_context *context, struct flex_report *report)
{
    const struct request *request = context->request;
    const struct flex_options all = {.node = -1,
                                     .angles_deg = request->flex.angles_deg,
                                     .angle_count = request->flex.angle_count,
                                     .steps = context->limits->value[LIMIT_EVALUATIONS],
                                     .vertices = context->limits->value[LIMIT_BOUNDS_VERTICES],
                                     .is_stopped = context->workspace->is_stopped};
    struct flex_options options = all;
    struct err err;
    if (request->view.joint.kind != SELECT_NONE) {
        uint32_t node = 0;
        if (select_thing(context->model, request->model, THING_NODE, &request->view.joint, &node, context->reply) < 0)
            return false;
        options.node = (int32_t)node;
    }
    if (flex_measure(context->model, &options, report, &err) < 0) {
        err_prefix(&err, "'%s'", request->model);
        return context_fail(context, &err);
    }
    context->workspace->cost = (struct reply_cost){
        .frames = report->pose_count, .evaluations = report->step_count, .vertices = report->vertex_count};
    return true;
}

void body_put_flex(struct reply_context *context)
{
    struct flex_report report = {0};
    reply_describe(context->request, context->limit_bytes, context->reply);
    if (measure(context, &report)) {
        put_report(context, &report);
        context_end_body(context);
    }
    flex_report_fini(&report);
}

double cost_of_flex(const struct cost_input *input)
{
    enum { POSES = 12, LOOKS = 20 }; /* of a joint, and at each vertex and index for it */
    const struct model *model = input->model;
    const double joints = input->request->view.joint.kind != SELECT_NONE ? 1 : (double)model->joint_count;
    const double poses =
        POSES * ((double)model->node_count + model->joint_count + model->constraint_count) * COST_NODE_NS;
    return joints * (poses + LOOKS * ((double)model->position_count + model->index_count) * COST_LOOK_NS);
}

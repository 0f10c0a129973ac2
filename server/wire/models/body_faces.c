#include "wire/models/body_faces.h"

#include "anim/model/constraint_words.h"
#include "wire/reply/reply_json.h"

static void put_bind(struct buf *out, const struct expression_bind *bind)
{
    static const char *const COLORS[EXPRESSION_COLOR_COUNT] = {[EXPRESSION_COLOR] = "color",
                                                               [EXPRESSION_EMISSION_COLOR] = "emission_color",
                                                               [EXPRESSION_SHADE_COLOR] = "shade_color",
                                                               [EXPRESSION_MATCAP_COLOR] = "matcap_color",
                                                               [EXPRESSION_RIM_COLOR] = "rim_color",
                                                               [EXPRESSION_OUTLINE_COLOR] = "outline_color"};
    if (bind->kind == BIND_MORPH) {
        json_printf(out, "{\"kind\":\"morph\",\"node\":%u,\"index\":%u,\"weight\":%f}", bind->target, bind->index,
                    (double)bind->weight);
        return;
    }
    if (bind->kind == BIND_COLOR) {
        json_printf(out, "{\"kind\":\"color\",\"material\":%u,\"property\":%s,\"value\":", bind->target,
                    COLORS[bind->index]);
        json_put_floats(out, bind->values, 4);
    } else {
        json_printf(out, "{\"kind\":\"texture_transform\",\"material\":%u,\"scale\":", bind->target);
        json_put_floats(out, bind->values, 2);
        buf_put_text(out, ",\"offset\":");
        json_put_floats(out, bind->values + 2, 2);
    }
    buf_put_char(out, '}');
}

static void put_expression(struct buf *out, const struct model *model, const struct expression *at)
{
    static const char *const WORDS[EXPRESSION_OVERRIDE_COUNT] = {"none", "block", "blend"};
    json_printf(out, "{\"name\":%.*s", JSON_STR(model, at->name));
    buf_printf(
        out,
        ",\"preset\":%s,\"binary\":%s,\"override_mouth\":\"%s\",\"override_blink\":\"%s\",\"override_look_at\":\"%s\"",
        (at->flags & EXPRESSION_PRESET) != 0 ? "true" : "false",
        (at->flags & EXPRESSION_BINARY) != 0 ? "true" : "false", WORDS[at->override_mouth], WORDS[at->override_blink],
        WORDS[at->override_look_at]);
    if (at->node >= 0)
        json_printf(out, ",\"node\":%u", (uint32_t)at->node);
    buf_put_text(out, ",\"binds\":[");
    for (uint32_t b = 0; b < at->bind_count && !buf_failed(out); b++) {
        json_comma(out, b > 0);
        put_bind(out, &model->expression_binds[at->bind_first + b]);
    }
    buf_put_text(out, "]}");
}

static void put_gaze(struct buf *out, const struct gaze *gaze)
{
    static const char *const KINDS[GAZE_KIND_COUNT] = {[GAZE_BONE] = "bone", [GAZE_EXPRESSION] = "expression"};
    static const char *const RANGES[GAZE_RANGE_COUNT] = {
        [GAZE_INNER] = "inner", [GAZE_OUTER] = "outer", [GAZE_DOWN] = "down", [GAZE_UP] = "up"};
    json_printf(out, ",\"look_at\":{\"kind\":%s", KINDS[gaze->kind]);
    if (gaze->node >= 0)
        json_printf(out, ",\"node\":%u", (uint32_t)gaze->node);
    buf_put_text(out, ",\"offset\":");
    json_put_floats(out, gaze->offset, 3);
    for (int r = 0; r < GAZE_RANGE_COUNT; r++)
        json_printf(out, ",%s:{\"most_deg\":%f,\"output\":%f}", RANGES[r], (double)gaze->ranges[r].most_deg,
                    (double)gaze->ranges[r].output);
    buf_put_char(out, '}');
}

void body_put_faces(struct buf *out, const struct model *model)
{
    for (uint32_t i = 0; i < model->expression_count && !buf_failed(out); i++) {
        buf_put_text(out, i == 0 ? ",\"expressions\":[\n" : ",\n");
        put_expression(out, model, &model->expressions[i]);
    }
    if (model->expression_count > 0)
        buf_put_char(out, ']');
    if (model->gaze_count > 0)
        put_gaze(out, &model->gazes[0]);
}

static void put_constraint(struct buf *out, const struct node_constraint *at)
{
    static const char *const AXES[AXIS_COUNT] = {"x", "y", "z", "-x", "-y", "-z"};
    json_printf(out, "{\"node\":%u,\"kind\":%s,\"source\":%u", at->node, constraint_kind_word(at->kind), at->source);
    if (at->kind != CONSTRAINT_ROTATION)
        json_printf(out, ",\"axis\":%s", AXES[at->axis]);
    json_printf(out, ",\"weight\":%f}", (double)at->weight);
}

void body_put_constraints(struct buf *out, const struct model *model)
{
    for (uint32_t i = 0; i < model->constraint_count && !buf_failed(out); i++) {
        buf_put_text(out, i == 0 ? ",\"constraints\":[\n" : ",\n");
        put_constraint(out, &model->constraints[i]);
    }
    if (model->constraint_count > 0)
        buf_put_char(out, ']');
}

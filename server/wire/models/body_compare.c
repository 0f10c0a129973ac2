/* body_compare.c - writes the differences between two models as JSON. */
#include "anim/compare/compare.h"
#include "wire/models/model_bodies.h"
#include "wire/reply/clip_sources.h"
#include "wire/reply/reply_json.h"

#include <math.h>
#include <string.h>

struct compare_body {
    struct buf *out;
    const struct model *models[COMPARE_SIDES];
    const struct comparison *comparison;
};

/* Writes ,"key":number unless it does not apply. */
static void put_number(struct buf *out, const char *key, double value)
{
    if (isnan(value))
        return;
    buf_put_text(out, key);
    json_put_double(out, value);
}

/* Writes a distance, and the same as a share of the size. */
static void put_distance(const struct compare_body *body, const char *key, const char *share_key, double distance)
{
    put_number(body->out, key, distance);
    put_number(body->out, share_key, distance / body->comparison->size);
}

static void put_name(const struct compare_body *body, const char *key, enum compare_side side, struct str name)
{
    buf_put_text(body->out, key);
    json_printf(body->out, "%.*s", JSON_STR(body->models[side], name));
}

/* Returns the side that has the thing: the new model, or the old one for a removed thing. */
static enum compare_side side_of(const int32_t indices[COMPARE_SIDES])
{
    return indices[COMPARE_NEW] >= 0 ? COMPARE_NEW : COMPARE_OLD;
}

/* Writes ,"indices":[old,new], with null for a missing thing. */
static void put_indices(struct buf *out, const char *key, const int32_t indices[COMPARE_SIDES])
{
    put_index(out, key, indices[COMPARE_OLD]);
    put_index(out, ",", indices[COMPARE_NEW]);
    buf_put_char(out, ']');
}

/* Writes "subject":{"clip":..,"joint":..,"material":..,"mesh":..} with the things concerned. */
static void put_subject(const struct compare_body *body, const struct difference *difference)
{
    struct buf *out = body->out;
    const int32_t *const clips = difference->clips, *const nodes = difference->nodes;
    const int32_t *const materials = difference->materials, *const meshes = difference->meshes;
    const enum compare_side c = side_of(clips), n = side_of(nodes), m = side_of(materials), g = side_of(meshes);
    bool is_first = true;
    buf_put_text(out, "\"subject\":{");
    if (clips[c] >= 0) {
        put_name(body, "\"clip\":", c, body->models[c]->clips[clips[c]].name);
        put_indices(out, ",\"clips\":[", clips);
        is_first = false;
    }
    if (nodes[n] >= 0) {
        put_name(body, is_first ? "\"joint\":" : ",\"joint\":", n, body->models[n]->nodes[nodes[n]].name);
        put_indices(out, ",\"nodes\":[", nodes);
        is_first = false;
    }
    if (materials[m] >= 0) {
        put_name(body, is_first ? "\"material\":" : ",\"material\":", m, body->models[m]->materials[materials[m]].name);
        put_indices(out, ",\"materials\":[", materials);
        is_first = false;
    }
    if (meshes[g] >= 0) {
        put_name(body, is_first ? "\"mesh\":" : ",\"mesh\":", g, body->models[g]->meshes[meshes[g]].name);
        put_indices(out, ",\"meshes\":[", meshes);
    }
    buf_put_char(out, '}');
}

static void put_value(struct buf *out, const char *key, const struct difference_value *value)
{
    if (value->kind == VALUE_NONE)
        return;
    buf_put_text(out, key);
    if (value->kind == VALUE_NUMBER)
        json_put_double(out, value->number);
    else
        json_put_string(out, value->kind == VALUE_TEXT ? value->text : NULL, strlen(value->text));
}

static void put_difference(const struct compare_body *body, const struct difference *difference)
{
    struct buf *out = body->out;
    json_printf(out, "{\"kind\":%s,", difference_name(difference->kind));
    put_subject(body, difference);
    put_number(out, ",\"time_s\":", difference->time_s);
    put_distance(body, ",\"distance\":", ",\"share\":", difference->distance);
    put_distance(body, ",\"vertex_distance\":", ",\"vertex_share\":", difference->vertex_distance);
    put_number(out, ",\"angle_deg\":", difference->angle_deg);
    put_value(out, ",\"old\":", &difference->values[COMPARE_OLD]);
    put_value(out, ",\"new\":", &difference->values[COMPARE_NEW]);
    json_printf(out, ",\"message\":%s}", difference->message);
}

static void put_clip(const struct compare_body *body, const struct compared_clip *clip)
{
    struct buf *out = body->out;
    const struct model *old = body->models[COMPARE_OLD], *new = body->models[COMPARE_NEW];
    put_name(body, "{\"name\":", COMPARE_NEW, new->clips[clip->clips[COMPARE_NEW]].name);
    put_indices(out, ",\"clips\":[", clip->clips);
    json_printf(out, ",\"duration_s\":[%g,%g],\"compared\":%s,\"poses\":%u,\"left_out\":%u,\"worst\":",
                old->clips[clip->clips[COMPARE_OLD]].duration_s, new->clips[clip->clips[COMPARE_NEW]].duration_s,
                clip->is_by_phase ? "phase" : "time", clip->pose_count, clip->left_out);
    if (clip->nodes[COMPARE_NEW] < 0) {
        buf_put_text(out, "null}");
        return;
    }
    put_name(body, "{\"joint\":", COMPARE_NEW, new->nodes[clip->nodes[COMPARE_NEW]].name);
    put_indices(out, ",\"nodes\":[", clip->nodes);
    put_number(out, ",\"time_s\":", clip->time_s);
    put_distance(body, ",\"distance\":", ",\"share\":", clip->distance);
    put_distance(body, ",\"vertex_distance\":", ",\"vertex_share\":", clip->vertex_distance);
    put_number(out, ",\"angle_deg\":", clip->angle_deg);
    buf_put_text(out, "}}");
}

/* Writes the units and axes in which both models are measured. */
static void put_frame(const struct compare_body *body)
{
    const struct comparison *comparison = body->comparison;
    struct buf *out = body->out;
    buf_put_text(out, comparison->is_unit_converted ? ",\"unit_converted\":true" : ",\"unit_converted\":false");
    buf_put_text(out, comparison->is_up_converted ? ",\"up_converted\":true" : ",\"up_converted\":false");
}

/* Writes "left_out":{"pose":7,..}: differences that were not listed or not examined. */
static void put_left_out(const struct compare_body *body)
{
    const struct comparison *comparison = body->comparison;
    const char *before = "";
    buf_put_text(body->out, ",\"left_out\":{");
    for (int kind = 0; kind < DIFFERENCE_COUNT; kind++) {
        if (comparison->left_out[kind] == 0)
            continue;
        buf_put_text(body->out, before);
        json_printf(body->out, "%s:%u", difference_name((enum difference_kind)kind), comparison->left_out[kind]);
        before = ",";
    }
    if (comparison->clips_left_out > 0) {
        buf_put_text(body->out, before);
        json_printf(body->out, "\"clips\":%u", comparison->clips_left_out);
        before = ",";
    }
    if (comparison->vertices_left_out > 0) {
        buf_put_text(body->out, before);
        json_printf(body->out, "\"vertices\":%llu", (unsigned long long)comparison->vertices_left_out);
    }
    buf_put_char(body->out, '}');
}

static void put_body(const struct compare_body *body, const struct request *request)
{
    const struct comparison *comparison = body->comparison;
    struct buf *out = body->out;
    put_name_and_hash(out, body->models[COMPARE_NEW], request);
    char hash[HASH_DIGITS_SIZE];
    json_printf(out, ",\"with\":%s,\"with_hash\":%s,\"equal\":", request->compare.with,
                hash_digits(body->models[COMPARE_OLD], hash));
    buf_put_text(out, comparison->difference_count == 0 ? "true" : "false");
    json_printf(out, ",\"tolerance\":%g,\"size\":%g", comparison->tolerance, comparison->size);
    put_frame(body);
    buf_put_text(out, ",\"differences\":[");
    for (uint32_t i = 0; i < comparison->difference_count; i++) {
        buf_put_text(out, i == 0 ? "\n" : ",\n");
        put_difference(body, &comparison->differences[i]);
    }
    buf_put_text(out, "],\"clips\":[");
    for (uint32_t i = 0; i < comparison->clip_count; i++) {
        buf_put_text(out, i == 0 ? "\n" : ",\n");
        put_clip(body, &comparison->clips[i]);
    }
    buf_put_text(out, "],\"notes\":[");
    for (uint32_t i = 0; i < comparison->note_count; i++)
        json_printf(out, i == 0 ? "{\"kind\":%s,\"message\":%s}" : ",{\"kind\":%s,\"message\":%s}",
                    comparison->notes[i].kind, comparison->notes[i].message);
    buf_put_char(out, ']');
    put_left_out(body);
    buf_put_text(out, "}\n");
}

/* False: the reply is an error. */
static bool make(struct reply_context *context, const struct model *old, struct comparison *comparison)
{
    const struct request *request = context->request;
    struct compare_options options = {.tolerance = request->compare.has_tolerance ? request->compare.tolerance
                                                                                  : COMPARE_TOLERANCE,
                                      .has_clip = request->pose.clip.kind != SELECT_NONE,
                                      .clip = POSE_REST,
                                      .steps = context->limits->value[LIMIT_EVALUATIONS],
                                      .is_stopped = context->workspace->is_stopped};
    struct err err;
    if (options.has_clip && select_clip(context->model, &request->pose, &options.clip, context->reply) < 0)
        return false;
    if (compare_models(old, context->model, &options, comparison, &err) < 0) {
        err_prefix(&err, "'%s' with '%s'", request->model, request->compare.with);
        return context_fail(context, &err);
    }
    context->workspace->cost =
        (struct reply_cost){.frames = comparison->pose_count, .evaluations = comparison->step_count};
    return true;
}

void body_put_compare(struct reply_context *context)
{
    const struct model *old = context->clips->sources[0];
    struct comparison comparison = {0};
    reply_describe(context->request, context->limit_bytes, context->reply);
    if (make(context, old, &comparison)) {
        const struct compare_body body = {context->out, {old, context->model}, &comparison};
        put_body(&body, context->request);
        context_end_body(context);
    }
    comparison_fini(&comparison);
}

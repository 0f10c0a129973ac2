#include "wire/reply/reply_context.h"

#include "base/hex.h"
#include "wire/reply/clip_sources.h"
#include "wire/reply/frame_reply.h"
#include "wire/encode/json.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void *workspace_array(struct buf *buf, size_t count, size_t item_bytes)
{
    buf_clear(buf);
    if (item_bytes != 0 && count > SIZE_MAX / item_bytes)
        return NULL;
    return buf_reserve(buf, count * item_bytes + 1);
}

void context_fail(struct reply_context *context, const struct err *err) { reply_error(context->reply, err, NULL, 0); }

void context_fail_memory(struct reply_context *context)
{
    struct err err;
    err_set(&err, ERR_NO_MEMORY, "no memory to evaluate '%s'", context->request->model);
    context_fail(context, &err);
}

void context_fail_too_large(struct reply_context *context)
{
    struct err err;
    err_set(&err, ERR_TOO_MANY_FRAMES, "%u frames of '%s' need more than the %llu bytes that one answer may have",
            context->request->time_count, context->request->model, (unsigned long long)context->limit_bytes);
    context_fail(context, &err);
}

void context_fail_body(struct reply_context *context)
{
    struct err err;
    if (context->reply->body.failure != BUF_NOT_FINITE) {
        context_fail_too_large(context);
        return;
    }
    err_set(&err, ERR_NOT_FINITE, "the answer about '%s' has a number that is not finite", context->request->model);
    context_fail(context, &err);
}

void err_name_pose(const struct model *model, const struct request *request, int32_t clip, double time_s,
                   struct err *err)
{
    if (request->layer_count > 0) {
        err_prefix(err, "'%s' blended at %.9g s", request->model, time_s);
        return;
    }
    if (clip == POSE_REST) {
        err_prefix(err, "'%s' at rest", request->model);
        return;
    }
    const struct str name = model->clips[clip].name;
    const bool has_name = name.offset != STR_NONE && name.size_bytes > 0;
    char time[40] = "its telling moment"; /* which only who draws it knows */
    if ((request->picture.flags & PICTURE_AUTO_TIME) == 0)
        snprintf(time, sizeof time, "%.9g s", time_s);
    err_prefix(err, "'%s', clip %d '%.*s' at %s", request->model, clip,
               has_name ? (int)(name.size_bytes < 100 ? name.size_bytes : 100) : 0,
               has_name ? model->text + name.offset : "", time);
}

void context_fail_at(struct reply_context *context, struct err *err, double time_s)
{
    err_name_pose(context->model, context->request, context->clip, time_s, err);
    context_fail(context, err);
}

uint64_t pose_steps(const struct model *model, const struct request *request)
{
    const uint64_t poses = request->layer_count > 0 ? 2 * (uint64_t)request->layer_count : 1;
    return poses * ((uint64_t)model->node_count + model->weight_count);
}

bool context_is_affordable(struct reply_context *context, uint64_t steps_per_frame)
{
    const uint32_t frames = context->request->time_count;
    if (frames == 0 || steps_per_frame <= context->evaluations_max / frames) {
        context->answer->cost.evaluations = frames * steps_per_frame;
        return true;
    }
    struct err err;
    err_set(&err, ERR_TOO_MANY_FRAMES,
            "%u frames of '%s' take %llu steps each, more than one request may ask for (%llu)", frames,
            context->request->model, (unsigned long long)steps_per_frame, (unsigned long long)context->evaluations_max);
    context_fail(context, &err);
    return false;
}

enum { JSON_END_BYTES = sizeof "]}\n" - 1 };

uint64_t context_frame_least(const struct reply_context *context, uint64_t own_bytes)
{
    const uint32_t layers = context->request->layer_count;
    const uint64_t times_bytes =
        sizeof "{\"time\":0,\"clip_time\":0" - 1 +
        (layers > 0 ? sizeof ",\"clip_times\":" - 1 + json_list_least(layers, JSON_NUMBER_LEAST) : 0);
    return times_bytes + motion_bytes_least(context) + own_bytes + sizeof "}," - 1;
}

/* Whether so many frames, with their commas and the end, may follow so many bytes; both are within 2^60. */
static bool may_follow(const struct reply_context *context, uint64_t before_bytes, uint32_t frames,
                       uint64_t frame_bytes)
{
    const uint64_t needed_bytes = before_bytes + JSON_END_BYTES - (frames > 0); /* the last has no comma */
    return needed_bytes <= context->limit_bytes &&
           (frames == 0 || frame_bytes <= (context->limit_bytes - needed_bytes) / frames);
}

bool context_may_fit_json(struct reply_context *context, uint64_t head_bytes, uint64_t frame_bytes)
{
    if (may_follow(context, head_bytes, context->request->time_count, frame_bytes))
        return true;
    context_fail_too_large(context);
    return false;
}

void context_end_early(struct reply_context *context, uint32_t done, uint64_t frame_bytes)
{
    const uint32_t left = context->request->time_count - done;
    const uint64_t comma = left > 0 && done > 0;
    if (!may_follow(context, context->out->size_bytes + comma, left, frame_bytes))
        buf_fail(context->out, BUF_FULL);
}

bool context_end_body(struct reply_context *context)
{
    struct buf *body = &context->reply->body;
    if (context->reply->code != 0)
        return false;
    if (!buf_failed(body) && body->size_bytes > context->limit_bytes)
        buf_fail(body, BUF_FULL);
    if (buf_failed(body))
        context_fail_body(context);
    return context->reply->code == 0;
}

void context_check_stop(struct reply_context *context)
{
    if (context->answer->is_stopped != NULL && *context->answer->is_stopped)
        buf_fail(context->out, BUF_STOPPED);
}

void context_evaluate_at(struct reply_context *context, double clip_time_s)
{
    struct pose *pose = &context->answer->pose;
    pose_evaluate(pose, context->model, context->clip, clip_time_s);
    if (context->motion.is_on)
        root_motion_remove(&context->motion.motion, pose, context->model, &context->motion.step);
}

bool context_is_compiled(const struct reply_context *context)
{
    return context->form == &PALETTE_WRITER && context->work.palette.is_compiled;
}

void context_evaluate(struct reply_context *context, uint32_t frame)
{
    struct workspace *answer = context->answer;
    const struct request *request = context->request;
    if (context_is_compiled(context)) {
        context->work.palette.clip_time_s = clip_time_in_span(&context->span, request->times_s[frame]);
        context->work.palette.has_pose = false;
    } else if (request->layer_count > 0) {
        layers_set_times(&answer->layers, request, frame);
        blend_evaluate(&answer->blend, &answer->pose, context->model, answer->layers.layers, answer->layers.count);
    } else {
        context_evaluate_at(context, clip_time_in_span(&context->span, request->times_s[frame]));
    }
    context_check_stop(context);
}

void put_hash(struct buf *out, const struct model *model)
{
    const size_t size_bytes = sizeof model->infos[0].content_hash;
    char *to = buf_reserve(out, 2 * size_bytes);
    if (to == NULL)
        return;
    hex_put(to, model->infos[0].content_hash, size_bytes);
    buf_advance(out, 2 * size_bytes);
}

void put_name_and_hash(struct buf *out, const struct model *model, const struct request *request)
{
    buf_put_text(out, "{\"model\":");
    json_put_string(out, request->model, strlen(request->model));
    buf_put_text(out, ",\"hash\":\"");
    put_hash(out, model);
    buf_put_char(out, '"');
}

/* ,"from":..,"to":..,"speed":..,"phase":.. */
static void put_span(struct buf *out, const struct clip_span *span)
{
    buf_put_text(out, ",\"from\":");
    json_put_double(out, span->from_s);
    buf_put_text(out, ",\"to\":");
    json_put_double(out, span->to_s);
    buf_put_text(out, ",\"speed\":");
    json_put_double(out, span->speed);
    buf_put_text(out, ",\"phase\":");
    json_put_double(out, span->phase);
}

void put_clip_name(struct buf *out, const struct model *model, int32_t index)
{
    if (index == POSE_REST) {
        buf_put_text(out, "\"clip\":null");
        return;
    }
    const struct clip *clip = &model->clips[index];
    buf_put_text(out, "\"clip\":{\"index\":");
    json_put_uint(out, (unsigned)index);
    buf_put_text(out, ",\"name\":");
    json_put_str(out, model, clip->name);
    buf_put_text(out, ",\"duration\":");
    json_put_double(out, clip->duration_s);
    buf_put_char(out, '}');
}

/* "clip":..,"wrap":.. and what else is said of the time; `request` may be a layer, whose clips `model` has. */
static void put_clip(struct buf *out, const struct model *model, const struct request *request, int32_t index,
                     const struct clip_span *span)
{
    static const char *const WRAPS[] = {[WRAP_LOOP] = "loop", [WRAP_CLAMP] = "clamp", [WRAP_MIRROR] = "mirror"};
    put_clip_name(out, model, index);
    buf_put_text(out, ",\"wrap\":\"");
    buf_put_text(out, WRAPS[request->wrap]);
    buf_put_char(out, '"');
    if (span_is_given(request))
        put_span(out, span);
}

static void put_layers(struct reply_context *context)
{
    const struct resolved_layers *layers = &context->answer->layers;
    buf_put_text(context->out, ",\"layers\":[");
    for (uint32_t i = 0; i < layers->count; i++) {
        buf_put_text(context->out, i == 0 ? "{" : ",{");
        const struct blend_layer *layer = &layers->layers[i];
        put_clip(context->out, layer->source != NULL ? layer->source : context->model, &context->request->layers[i],
                 layer->clip, &layers->spans[i]);
        buf_put_text(context->out, layers->layers[i].is_additive ? ",\"mode\":\"additive\"" : ",\"mode\":\"override\"");
        buf_put_text(context->out, ",\"weight\":");
        json_put_double(context->out, layers->layers[i].weight);
        clip_sources_put_layer(context, i);
        buf_put_char(context->out, '}');
    }
    buf_put_char(context->out, ']');
}

void context_put_head(struct reply_context *context)
{
    put_name_and_hash(context->out, context->model, context->request);
    buf_put_char(context->out, ',');
    put_clip(context->out, context->model, context->request, context->clip, &context->span);
    if (context->request->layer_count > 0)
        put_layers(context);
    motion_put_head(context);
    clip_sources_put(context);
}

void context_put_frame_head(struct reply_context *context, uint32_t frame)
{
    const double time_s = context->request->times_s[frame];
    buf_put_text(context->out, "{\"time\":");
    json_put_double(context->out, time_s);
    buf_put_text(context->out, ",\"clip_time\":");
    json_put_double(context->out, clip_time_in_span(&context->span, time_s));
    if (context->request->layer_count == 0)
        return;
    struct resolved_layers *layers = &context->answer->layers;
    layers_set_times(layers, context->request, frame);
    for (uint32_t i = 0; i < layers->count; i++) {
        buf_put_text(context->out, i == 0 ? ",\"clip_times\":[" : ",");
        json_put_double(context->out, layers->layers[i].clip_time_s);
    }
    buf_put_char(context->out, ']');
}

const char *const TEXTURE_SLOT_NAMES[TEXTURE_SLOT_COUNT] = {
    [TEXTURE_BASE_COLOR] = "base_color", [TEXTURE_METALLIC_ROUGHNESS] = "metallic_roughness",
    [TEXTURE_NORMAL] = "normal",         [TEXTURE_OCCLUSION] = "occlusion",
    [TEXTURE_EMISSIVE] = "emissive",
};

void json_put_index(struct buf *out, int32_t index)
{
    if (index < 0)
        buf_put_text(out, "null");
    else
        json_put_uint(out, (unsigned)index);
}

void put_node_head(struct buf *out, const struct model *model, uint32_t node)
{
    buf_put_text(out, "{\"node\":");
    json_put_uint(out, node);
    buf_put_text(out, ",\"name\":");
    json_put_str(out, model, model->nodes[node].name);
}

/* They were checked to be JSON when the model was decoded. */
void put_extras(struct buf *out, const struct model *model, enum extra_owner owner, uint32_t index)
{
    uint32_t low = 0, high = model->extra_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct extra *extra = &model->extras[middle];
        if (extra->owner < owner || (extra->owner == owner && extra->index < index))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == model->extra_count || model->extras[low].owner != owner || model->extras[low].index != index)
        return;
    buf_put_text(out, ",\"extras\":");
    buf_put(out, model->text + model->extras[low].json.offset, model->extras[low].json.size_bytes);
}

size_t layout_store_matrix(const struct mat4 *matrix, enum layout layout, float out[MATRIX_FLOATS_MAX])
{
    if (layout == LAYOUT_MAT4) {
        memcpy(out, matrix->m, sizeof matrix->m);
        return 16;
    }
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++)
            out[4 * row + column] = matrix->m[4 * column + row];
    return 12;
}

uint32_t layout_floats(enum layout layout)
{
    static const uint32_t FLOATS[] = {[LAYOUT_MAT4] = 16, [LAYOUT_MAT3X4] = 12, [LAYOUT_DUALQUAT] = 8};
    return FLOATS[layout];
}

const char *layout_name(enum layout layout)
{
    static const char *const NAMES[] = {
        [LAYOUT_MAT4] = "mat4", [LAYOUT_MAT3X4] = "mat3x4", [LAYOUT_DUALQUAT] = "dualquat"};
    return NAMES[layout];
}

bool floats_are_finite(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

#include "wire/reply/frame_reply.h"

#include "wire/reply/clip_sources.h"
#include "wire/reply/reply_json.h"

/* --- heads --- */

/* Writes "clip":..,"wrap":.. and the other values of the time; `model` has the clip. */
static void put_clip(struct buf *out, const struct model *model, const struct request_pose *pose, int32_t index,
                     const struct clip_span *span)
{
    static const char *const WRAPS[] = {[WRAP_LOOP] = "loop", [WRAP_CLAMP] = "clamp", [WRAP_MIRROR] = "mirror"};
    put_clip_name(out, model, index);
    json_printf(out, ",\"wrap\":%s", WRAPS[pose->wrap]);
    if (span_is_given(pose))
        json_printf(out, ",\"from\":%g,\"to\":%g,\"speed\":%g,\"phase\":%g", span->from_s, span->to_s, span->speed,
                    span->phase);
}

/* Writes one number, or the numbers of all frames. */
static void put_weights(struct buf *out, const struct request_pose *layer)
{
    for (uint32_t i = 0; i < layer->weight_count && !buf_failed(out); i++) {
        if (layer->weight_count > 1)
            buf_put_char(out, i == 0 ? '[' : ',');
        json_put_double(out, layer->weights[i]);
    }
    if (layer->weight_count > 1)
        buf_put_char(out, ']');
}

static void put_given(struct buf *out, const struct given_pose *given)
{
    json_printf(out, "\"pose\":{\"nodes\":%u,\"weights\":%u,\"frames\":%u,\"duration\":%g},", given->node_count,
                given->weight_count, given->frame_count, given_pose_duration_s(given));
}

static void put_layers(struct reply_context *context)
{
    static const char *const MODES[] = {
        [LAYER_OVERRIDE] = "override", [LAYER_ADDITIVE] = "additive", [LAYER_REPLACE] = "replace"};
    const struct resolved_layers *layers = &context->workspace->layers;
    struct buf *out = context->out;
    for (uint32_t i = 0; i < layers->count; i++) {
        const struct blend_layer *layer = &layers->layers[i];
        buf_put_text(out, i == 0 ? ",\"layers\":[{" : ",{");
        if (layer->given != NULL)
            put_given(out, layer->given);
        put_clip(out, layer->source != NULL ? layer->source : context->model, &context->request->pose.layers[i],
                 layer->clip, &layers->spans[i]);
        json_printf(out, ",\"mode\":%s,\"weight\":", MODES[context->request->pose.layers[i].mode]);
        put_weights(out, &context->request->pose.layers[i]);
        clip_sources_put_layer(context, i);
        buf_put_char(out, '}');
    }
    buf_put_char(out, ']');
}

void context_put_head(struct reply_context *context)
{
    put_name_and_hash(context->out, context->model, context->request);
    buf_put_char(context->out, ',');
    put_clip(context->out, context->model, &context->request->pose, context->clip, &context->span);
    if (context->request->pose.layer_count > 0)
        put_layers(context);
    motion_put_head(context);
    clip_sources_put(context);
}

void context_put_frame_head(struct reply_context *context, uint32_t frame)
{
    const double time_s = context->request->pose.times_s[frame];
    struct resolved_layers *layers = &context->workspace->layers;
    json_printf(context->out, "{\"time\":%g,\"clip_time\":%g", time_s, clip_time_in_span(&context->span, time_s));
    if (context->request->pose.layer_count == 0)
        return;
    layers_set_times(layers, &context->request->pose, frame);
    for (uint32_t i = 0; i < layers->count; i++) {
        buf_put_text(context->out, i == 0 ? ",\"clip_times\":[" : ",");
        json_put_double(context->out, layers->layers[i].clip_time_s);
    }
    buf_put_char(context->out, ']');
}

/* --- sizes --- */

enum { JSON_END_BYTES = sizeof "]}\n" - 1 };

uint64_t context_frame_least(const struct reply_context *context, uint64_t own_bytes)
{
    const uint32_t layers = context->request->pose.layer_count;
    const uint64_t times_bytes =
        sizeof "{\"time\":0,\"clip_time\":0" - 1 +
        (layers > 0 ? sizeof ",\"clip_times\":" - 1 + json_list_least(layers, JSON_NUMBER_LEAST) : 0);
    return times_bytes + motion_bytes_least(context) + own_bytes + sizeof "}," - 1;
}

/* Whether `frames` frames, with commas and the end, fit after `before_bytes` bytes; both are below 2^60. */
static bool may_follow(const struct reply_context *context, uint64_t before_bytes, uint32_t frames,
                       uint64_t frame_bytes)
{
    const uint64_t needed_bytes = before_bytes + JSON_END_BYTES - (frames > 0); /* the last has no comma */
    return needed_bytes <= context->limit_bytes &&
           (frames == 0 || frame_bytes <= (context->limit_bytes - needed_bytes) / frames);
}

bool context_may_fit_json(struct reply_context *context, uint64_t head_bytes, uint64_t frame_bytes)
{
    if (may_follow(context, head_bytes, context->request->pose.time_count, frame_bytes))
        return true;
    return context_fail_too_large(context);
}

void context_end_early(struct reply_context *context, uint32_t done, uint64_t frame_bytes)
{
    const uint32_t left = context->request->pose.time_count - done;
    const uint64_t comma = left > 0 && done > 0;
    if (!may_follow(context, context->out->size_bytes + comma, left, frame_bytes))
        buf_fail(context->out, BUF_FULL);
}

/* --- frames --- */

/* Sizes in a JSON frame besides its own numbers: its times, the times of all layers, and root motion. */
enum { JSON_FRAME_MOST = 1024, JSON_NUMBER_ABOUT = 11 };

static bool is_json(const struct reply_context *context) { return context->request->format == FORMAT_JSON; }

/* Plans the blocks of the writer and their positions. */
static bool plan(struct reply_context *context, uint64_t limit_bytes)
{
    const uint32_t block_count = context->writer->plan(context);
    if (block_count == FRAMES_NO_PLAN)
        return false;
    context->frames = (struct frames){
        .kind = context->writer->kind,
        .layout = context->request->layout,
        .space = context->writer->kind == FRAMES_PALETTE ? context->request->space : SPACE_SCENE,
        .clip = context->clip,
        .duration_s = context->duration_s,
        .content_hash = context->model->infos[0].content_hash,
        .times_s = context->request->pose.times_s,
        .span = context->span,
        .has_span = span_is_given(&context->request->pose),
        .has_motion = context->motion.is_on,
        .frame_count = context->request->pose.time_count,
        .blocks = (struct frames_block *)(void *)context->workspace->blocks.data,
        .block_count = block_count,
    };
    if (frames_plan(&context->frames, limit_bytes))
        return true;
    return context_fail_too_large(context);
}

bool frame_reply_start(struct reply_context *context, const struct frame_writer *writer)
{
    context->writer = writer;
    if (!writer->start(context))
        return false;
    if (!is_json(context))
        return plan(context, context->limit_bytes);
    context->json.frame_bytes_least = context_frame_least(context, context->json.frame_bytes_least);
    return context_may_fit_json(context, context->json.head_numbers * (JSON_NUMBER_LEAST + 1),
                                context->json.frame_bytes_least);
}

uint64_t frame_reply_bytes(const struct reply_context *context)
{
    const uint64_t numbers =
        context->json.head_numbers + context->json.frame_numbers * context->request->pose.time_count;
    return is_json(context) ? numbers * JSON_NUMBER_ABOUT : context->frames.size_bytes;
}

static void put_blocks_head(struct reply_context *context)
{
    const struct frames *frames = &context->frames;
    frames_put_header(context->out, frames);
    for (uint32_t b = 0; b < frames->block_count && frames_is_static(frames->blocks[b].kind); b++) {
        frames_start_block(context->out, frames, &frames->blocks[b], 0);
        context->writer->put_static(context, &frames->blocks[b]);
    }
    buf_align(context->out, FRAMES_ALIGNMENT);
}

void frame_reply_put_head(struct reply_context *context)
{
    if (!is_json(context)) {
        put_blocks_head(context);
        return;
    }
    context_put_head(context);
    context->writer->put_head(context);
    buf_put_text(context->out, ",\"frames\":[");
}

static bool put_json(struct reply_context *context, uint32_t frame)
{
    const double time_s = context->request->pose.times_s[frame];
    json_comma(context->out, frame > 0);
    context_put_frame_head(context, frame);
    context_evaluate(context, frame);
    if (!motion_put(context, time_s) || !context->writer->put_frame(context, time_s))
        return false;
    buf_put_char(context->out, '}');
    return true;
}

static bool put_blocks(struct reply_context *context, uint32_t frame)
{
    const struct frames *frames = &context->frames;
    context_evaluate(context, frame);
    if (context->motion.is_on && !motion_put_block(context, frame))
        return false;
    for (uint32_t b = 0; b < frames->block_count && !buf_failed(context->out); b++) {
        if (frames_is_static(frames->blocks[b].kind))
            continue;
        frames_start_block(context->out, frames, &frames->blocks[b], frame);
        if (!context->writer->put_block(context, &frames->blocks[b], frames->times_s[frame]))
            return false;
    }
    buf_align(context->out, FRAMES_ALIGNMENT);
    return true;
}

bool frame_reply_put(struct reply_context *context, uint32_t frame)
{
    return is_json(context) ? put_json(context, frame) : put_blocks(context, frame);
}

void frame_reply_put_end(struct reply_context *context)
{
    if (is_json(context))
        buf_put_text(context->out, "]}\n");
    else
        frames_finish(context->out, &context->frames);
}

void frame_reply_put_frames(struct reply_context *context)
{
    for (uint32_t f = 0; f < context->request->pose.time_count; f++) {
        if (is_json(context))
            context_end_early(context, f, context->json.frame_bytes_least);
        if (buf_failed(context->out) || !frame_reply_put(context, f))
            return;
    }
    frame_reply_put_end(context);
}

void frame_reply_make(struct reply_context *context)
{
    if (!frame_reply_reserve(context))
        return;
    frame_reply_put_head(context);
    frame_reply_put_frames(context);
}

/* --- checking --- */

/* Values that are finite in binary are also finite in JSON. */
static bool check_blocks(struct reply_context *context, uint32_t frame)
{
    const struct frames *frames = &context->frames;
    const double time_s = context->request->pose.times_s[frame];
    context_evaluate(context, frame);
    if (!motion_check(context, time_s))
        return false;
    for (uint32_t b = 0; b < frames->block_count && !buf_failed(context->out); b++) {
        if (frames_is_static(frames->blocks[b].kind))
            continue;
        buf_clear(context->out);
        if (!context->writer->put_block(context, &frames->blocks[b], time_s))
            return false;
    }
    return true;
}

/* Measures the JSON. */
static bool check_json(struct reply_context *context, uint64_t head_bytes)
{
    uint64_t size_bytes = head_bytes + JSON_END_BYTES;
    const uint32_t count = context->request->pose.time_count;
    for (uint32_t f = 0; f < count && !buf_failed(context->out); f++) {
        buf_clear(context->out);
        if (!put_json(context, f))
            return false;
        size_bytes += context->out->size_bytes;
        if (size_bytes + (count - 1 - f) * context->json.frame_bytes_least > context->limit_bytes)
            buf_fail(context->out, BUF_FULL);
    }
    return !buf_failed(context->out);
}

bool frame_reply_check(struct reply_context *context, uint64_t head_bytes)
{
    const uint64_t frame_most = context->json.frame_bytes_most + JSON_FRAME_MOST;
    const uint64_t capacity = context->limit_bytes > head_bytes ? context->limit_bytes - head_bytes : 0;
    const bool may_be_too_large =
        is_json(context) && ((context->request->what & WHAT_MATERIALS) != 0 || /* no binary block has these */
                             frame_most > capacity / context->request->pose.time_count);
    if (may_be_too_large)
        return context_may_fit_json(context, head_bytes, context->json.frame_bytes_least) &&
               check_json(context, head_bytes);
    if (is_json(context) && !plan(context, UINT64_MAX))
        return false;
    for (uint32_t f = 0; f < context->request->pose.time_count && !buf_failed(context->out) && !context->is_certain;
         f++)
        if (!check_blocks(context, f))
            return false;
    return !buf_failed(context->out);
}

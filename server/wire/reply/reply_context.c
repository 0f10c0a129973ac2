#include "wire/reply/reply_context.h"

#include "anim/posed_file/posed_file.h"

#include <stdio.h>

/* --- kinds of replies --- */

void reply_describe(const struct request *request, uint64_t limit_bytes, struct reply *reply)
{
    static const char *const TYPES[] = {[FORMAT_JSON] = "application/json",
                                        [FORMAT_BIN] = FRAMES_CONTENT_TYPE,
                                        [FORMAT_GLB] = GLB_CONTENT_TYPE,
                                        [FORMAT_PNG] = "image/png",
                                        [FORMAT_POSED] = POSED_FILE_CONTENT_TYPE};
    const enum format format = reply_format(request);
    buf_clear(&reply->body);
    reply->body.limit_bytes = limit_bytes + (format == FORMAT_JSON ? JSON_SLACK_BYTES : 0);
    reply->status = 200;
    reply->code = 0;
    reply->content_type = TYPES[format];
    reply->is_vary_accept = op_has_binary(request->op);
    reply->file_of = format == FORMAT_GLB || format == FORMAT_POSED ? request->model : NULL;
    reply->file_word = OP_INFO[request->op].form == FORM_FILE ? NULL : "posed";
    reply->file_extension = format == FORMAT_POSED ? "posed" : "glb";
}

/* --- errors --- */

bool context_fail(struct reply_context *context, const struct err *err)
{
    reply_error(context->reply, err, NULL, 0);
    return false;
}

bool context_fail_memory(struct reply_context *context)
{
    struct err err;
    err_set(&err, ERR_NO_MEMORY, "no memory to evaluate '%s'", context->request->model);
    return context_fail(context, &err);
}

void *context_array(struct reply_context *context, struct buf *buf, size_t count, size_t item_bytes)
{
    void *array = workspace_array(buf, count, item_bytes);
    if (array == NULL)
        context_fail_memory(context);
    return array;
}

bool context_fail_too_large(struct reply_context *context)
{
    struct err err;
    if (context->request->pose.time_count == 0) {
        err_set(&err, ERR_TOO_MANY_FRAMES, "the answer about '%s' needs more than the %llu bytes that one may have",
                context->request->model, (unsigned long long)context->limit_bytes);
        return context_fail(context, &err);
    }
    err_set(&err, ERR_TOO_MANY_FRAMES, "%u frames of '%s' need more than the %llu bytes that one answer may have",
            context->request->pose.time_count, context->request->model, (unsigned long long)context->limit_bytes);
    return context_fail(context, &err);
}

void err_name_pose(const struct model *model, const struct request *request, int32_t clip, double time_s,
                   struct err *err)
{
    if (request->pose.layer_count > 0) {
        err_prefix(err, "'%s' blended at %.9g s", request->model, time_s);
        return;
    }
    if (clip == POSE_REST) {
        err_prefix(err, "'%s' at rest", request->model);
        return;
    }
    char name[SHORT_NAME_SIZE], time[40] = "its telling moment"; /* only the renderer knows it */
    if ((request->picture.flags & PICTURE_AUTO_TIME) == 0)
        snprintf(time, sizeof time, "%.9g s", time_s);
    err_prefix(err, "'%s', clip %d '%s' at %s", request->model, clip, short_name(model, model->clips[clip].name, name),
               time);
}

bool context_fail_at(struct reply_context *context, struct err *err, double time_s)
{
    err_name_pose(context->model, context->request, context->clip, time_s, err);
    return context_fail(context, err);
}

/* --- cost and size --- */

uint64_t pose_steps(const struct model *model, const struct request_pose *pose)
{
    const uint64_t poses = pose->layer_count > 0 ? 2 * (uint64_t)pose->layer_count : 1;
    return poses * pose_step_count(model);
}

bool context_is_affordable(struct reply_context *context, uint64_t steps_per_frame)
{
    const uint32_t frames = context->request->pose.time_count;
    if (frames == 0 || steps_per_frame <= context->limits->value[LIMIT_EVALUATIONS] / frames) {
        context->workspace->cost.evaluations = frames * steps_per_frame;
        return true;
    }
    struct err err;
    err_set(&err, ERR_TOO_MANY_FRAMES,
            "%u frames of '%s' take %llu steps each, more than one request may ask for (%llu)", frames,
            context->request->model, (unsigned long long)steps_per_frame,
            (unsigned long long)context->limits->value[LIMIT_EVALUATIONS]);
    return context_fail(context, &err);
}

bool context_end_body(struct reply_context *context)
{
    struct buf *body = &context->reply->body;
    if (context->reply->code != 0)
        return false;
    if (!buf_failed(body) && body->size_bytes > context->limit_bytes)
        buf_fail(body, BUF_FULL);
    if (!buf_failed(body))
        return true;
    struct err err;
    err_set(&err, ERR_NOT_FINITE, "the answer about '%s' has a number that is not finite", context->request->model);
    return body->failure == BUF_NOT_FINITE ? context_fail(context, &err) : context_fail_too_large(context);
}

/* --- poses --- */

void context_check_stop(struct reply_context *context)
{
    if (context->workspace->is_stopped != NULL && *context->workspace->is_stopped)
        buf_fail(context->out, BUF_STOPPED);
}

/* Returns the entity of the clip at a time. */
static struct entity entity_at(struct reply_context *context, double clip_time_s)
{
    const struct resolved_layers *layers = &context->workspace->layers;
    const bool has_on_top = context->request->on_top != NULL;
    context->played[0] = (struct blend_layer){.clip = context->clip, .clip_time_s = clip_time_s, .weight = 1};
    if (has_on_top)
        context->played[1] = layers->layers[0];
    return (struct entity){.model = context->model,
                           .layers = context->played,
                           .layer_count = 1 + has_on_top,
                           .motion = context->motion.is_on ? &context->motion.motion : NULL};
}

struct entity context_entity(struct reply_context *context, uint32_t frame)
{
    struct resolved_layers *layers = &context->workspace->layers;
    const struct request *request = context->request;
    if (request->pose.layer_count == 0)
        return entity_at(context, clip_time_in_span(&context->span, request->pose.times_s[frame]));
    layers_set_times(layers, &request->pose, frame);
    return (struct entity){.model = context->model, .layers = layers->layers, .layer_count = layers_all(layers)};
}

void context_evaluate_at(struct reply_context *context, double clip_time_s)
{
    const struct entity entity = entity_at(context, clip_time_s);
    entity_evaluate_exact(&context->workspace->entity, &entity);
    context->motion.step = context->workspace->entity.step;
}

void context_evaluate(struct reply_context *context, uint32_t frame)
{
    struct entity_work *work = &context->workspace->entity;
    const struct entity entity = context_entity(context, frame);
    context->frame = frame;
    if (context->may_compile)
        entity_evaluate(work, &entity);
    else
        entity_evaluate_exact(work, &entity);
    context->motion.step = work->step;
    context_check_stop(context);
}

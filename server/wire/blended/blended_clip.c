#include "wire/blended/blended_clip.h"

#include "anim/pose/appearance.h"
#include "anim/pose/clip_time.h"
#include "anim/pose/visibility.h"
#include "wire/blended/blended_model.h"
#include "wire/reply/select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what is played --- */

/* Poses of the layers at rising times. */
struct blending {
    struct reply_context *context;
    int32_t clip;                /* without layers: what lies below the pose on top */
    double end_s;                /* the longest layer's */
    struct request_pose pose;    /* the request's, with the times of the clip */
    struct blend_layer below[2]; /* without layers: the clip and what lies on top */
    double *times_s;             /* [time_count] */
    uint32_t time_count;
};

static bool has_layers(const struct blending *blending) { return blending->context->request->pose.layer_count > 0; }

/* A layer that loops begins anew at the end of its part. The clip ends there, so it shows that end; and played
 * backwards, it begins there. */
static void hold_end(struct blending *blending, struct resolved_layers *layers, uint32_t time)
{
    const bool is_first = time == 0, is_last = time > 0 && time + 1 == blending->time_count;
    for (uint32_t i = 0; i < layers->count && (is_first || is_last); i++) {
        const struct clip_span *span = &layers->spans[i];
        double *clip_time_s = &layers->layers[i].clip_time_s;
        if (blending->pose.layers[i].time_count > 0 || span->wrap != WRAP_LOOP)
            continue;
        if (is_last)
            *clip_time_s = clip_time_in_span(span, blending->end_s);
        if ((is_last ? span->speed > 0 : span->speed < 0) &&
            *clip_time_s - span->from_s <= 1e-9 * (span->to_s - span->from_s))
            *clip_time_s = span->to_s;
    }
}

static void set_time(void *user, uint32_t time)
{
    struct blending *blending = user;
    struct resolved_layers *layers = &blending->context->workspace->layers;
    if (!has_layers(blending)) {
        blending->below[0].clip_time_s = blending->times_s[time];
        return;
    }
    layers_set_times(layers, &blending->pose, time);
    hold_end(blending, layers, time);
}

static struct entity entity_of(struct blending *blending)
{
    struct resolved_layers *layers = &blending->context->workspace->layers;
    const struct model *model = blending->context->model;
    if (has_layers(blending))
        return (struct entity){.model = model, .layers = layers->layers, .layer_count = layers_all(layers)};
    blending->below[0] = (struct blend_layer){.clip = blending->clip, .weight = 1};
    blending->below[1] = layers->layers[0];
    return (struct entity){.model = model, .layers = blending->below, .layer_count = 2};
}

/* --- the clip below a pose on top --- */

/* Finds the clip that clips= names, or the only one, or the rest pose. False: the reply is an error. */
static bool find_clip(struct blending *blending)
{
    struct reply_context *context = blending->context;
    const struct request *request = context->request;
    const struct model *model = context->model;
    struct err err;
    uint32_t clip = 0;
    blending->clip = POSE_REST;
    if (has_layers(blending) || request->export.has_no_clips)
        return true;
    if (request->export.clip_count == 1 &&
        select_thing(model, request->model, THING_CLIP, &request->export.clips[0], &clip, context->reply) < 0)
        return false;
    if (request->export.clip_count == 0 && model->clip_count > 1) {
        err_set(&err, ERR_BAD_PARAMETER, "a pose on top needs one clip, and '%s' has %u: %sgive it as a layer",
                request->model, model->clip_count,
                request->format == FORMAT_POSED ? "" : "name it by 'clips', or - for the rest pose, or ");
        return context_fail(context, &err);
    }
    if (model->clip_count == 0)
        return true;
    blending->clip = (int32_t)clip;
    blending->end_s = model->clips[clip].duration_s;
    return true;
}

/* --- times --- */

/* A pose so near to the end is that at the end. Durations are floats of files: 1.2 s may be 1.2000000477. */
static const double NEAR = 1e-3; /* of the time between two poses */

static uint32_t count_times(double end_s, double rate)
{
    const uint32_t count = clip_time_count(end_s, rate);
    const bool is_near = count > 2 && count < UINT32_MAX && end_s - clip_time_of(count - 2, end_s, rate) < NEAR / rate;
    return count - is_near + (count == 1 && end_s > 0);
}

/* Lists of times and weights have an item for each pose. */
static bool check_lists(const struct blending *blending)
{
    const struct request *request = blending->context->request;
    const struct request_pose *pose = &request->pose;
    const uint32_t count = blending->time_count;
    struct err err;
    for (uint32_t i = 0; i < pose->layer_count; i++) {
        const uint32_t times = pose->layers[i].time_count, weights = pose->layers[i].weight_count;
        const bool has_times = times > 1 && times != count;
        if (!has_times && (weights <= 1 || weights == count))
            continue;
        err_set(
            &err, ERR_BAD_PARAMETER,
            "layers[%u]: parameter '%s' has %u numbers for %u poses, which are those from 0 to %.9g s at fps=%g: it "
            "takes one, or as many",
            i, has_times ? "t" : "weight", has_times ? times : weights, count, blending->end_s, blended_rate(request));
        return context_fail(blending->context, &err);
    }
    return true;
}

static bool list_times(struct blending *blending)
{
    const struct request *request = blending->context->request;
    const double rate = blended_rate(request);
    blending->times_s = malloc(blending->time_count * sizeof *blending->times_s);
    if (blending->times_s == NULL)
        return context_fail_memory(blending->context);
    for (uint32_t k = 0; k < blending->time_count; k++) {
        const bool is_last = k > 0 && k + 1 == blending->time_count;
        const double time_s = is_last ? blending->end_s : clip_time_of(k, blending->end_s, rate);
        blending->times_s[k] = request->format == FORMAT_POSED ? time_s : (double)(float)time_s;
    }
    blending->pose = request->pose;
    blending->pose.times_s = blending->times_s;
    blending->pose.time_count = blending->time_count;
    return true;
}

static bool is_affordable(const struct blending *blending, uint64_t steps)
{
    const struct reply_context *context = blending->context;
    struct reply_cost *cost = &context->workspace->cost;
    const uint64_t limit = context->limits->value[LIMIT_EVALUATIONS];
    struct err err;
    if (steps <= limit && cost->evaluations <= limit - steps) {
        cost->evaluations += steps;
        return true;
    }
    err_set(&err, ERR_TOO_MANY_FRAMES,
            "%u poses of '%s', those from 0 to %.9g s at fps=%g, take %llu steps, more than one request may ask for "
            "(%llu)",
            blending->time_count, context->request->model, blending->end_s, blended_rate(context->request),
            (unsigned long long)steps, (unsigned long long)limit);
    return context_fail(blending->context, &err);
}

/* --- the whole --- */

/* Whether a clip of a layer moves what layers do not: visibility, materials, lights and cameras. */
static bool lacks_tracks(const struct model *model, const struct blend_layer *layer)
{
    uint32_t count = 0;
    if (layer->given != NULL || layer->clip == POSE_REST)
        return false;
    if (layer->source == NULL)
        appearance_channels(model, (uint32_t)layer->clip, &count);
    return count > 0 || visibility_is_animated(layer->source != NULL ? layer->source : model, layer->clip);
}

static bool start(struct blending *blending)
{
    const struct request *request = blending->context->request;
    if (!find_clip(blending))
        return false;
    if (has_layers(blending))
        blending->end_s = blended_end_s(&blending->context->workspace->layers, &request->pose);
    blending->time_count = count_times(blending->end_s, blended_rate(request));
    return true;
}

static bool make(struct blended_clip *blended, struct blending *blending)
{
    struct reply_context *context = blending->context;
    struct err err;
    if (!start(blending))
        return false;
    struct entity_motion motion = {.entity = entity_of(blending),
                                   .shown = blending->clip,
                                   .time_count = blending->time_count,
                                   .set_time = set_time,
                                   .context = blending,
                                   .max_values = context->limit_bytes / sizeof(float),
                                   .is_stopped = context->workspace->is_stopped};
    if (!is_affordable(blending, entity_clip_steps(&motion)) || !check_lists(blending) || !list_times(blending))
        return false;
    motion.times_s = blending->times_s;
    if (entity_clip_init(&blended->made, &context->workspace->entity, &motion, &err) < 0) {
        err_prefix(&err, "'%s'", context->request->model);
        return context_fail(context, &err);
    }
    for (uint32_t i = 0; i < motion.entity.layer_count && has_layers(blending); i++)
        blended->lacks_tracks = blended->lacks_tracks || lacks_tracks(context->model, &motion.entity.layers[i]);
    return blended_model_make(blended, context->model, blending->clip, blending->end_s) || context_fail_memory(context);
}

bool blended_clip_init(struct blended_clip *blended, struct reply_context *context)
{
    struct blending blending = {.context = context};
    *blended = (struct blended_clip){.clip = 0};
    const bool is_made = make(blended, &blending);
    free(blending.times_s);
    return is_made;
}

void blended_clip_fini(struct blended_clip *blended)
{
    entity_clip_fini(&blended->made);
    free(blended->clips);
    free(blended->channels);
    free(blended->properties);
    free(blended->key_times);
    free(blended->key_values);
    free(blended->text);
}

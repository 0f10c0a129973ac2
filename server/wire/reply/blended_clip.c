#include "wire/reply/blended_clip.h"

#include "anim/pose/appearance.h"
#include "anim/pose/clip_time.h"
#include "anim/pose/visibility.h"
#include "wire/reply/select.h"
#include "wire/request/request_given.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char NAME[] = "blend";

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

static double rate_of(const struct request *request)
{
    return request->export.sample_rate > 0 ? request->export.sample_rate : BLENDED_RATE;
}

static double length_of(const struct clip_span *span)
{
    const double part_s = span->to_s - span->from_s;
    if (!(part_s > 0) || span->speed == 0)
        return 0;
    return (span->wrap == WRAP_MIRROR ? 2 : 1) * part_s / fabs(span->speed);
}

static double end_of_layers(const struct resolved_layers *layers, const struct request_pose *pose)
{
    double end_s = 0;
    for (uint32_t i = 0; i < layers->count; i++)
        if (pose->layers[i].time_count == 0)
            end_s = fmax(end_s, length_of(&layers->spans[i]));
    return end_s;
}

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
        err_set(&err, ERR_BAD_PARAMETER,
                "a pose on top needs one clip, and '%s' has %u: name it by 'clips', or - for the rest pose",
                request->model, model->clip_count);
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
    return count - is_near;
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
            i, has_times ? "t" : "weight", has_times ? times : weights, count, blending->end_s, rate_of(request));
        return context_fail(blending->context, &err);
    }
    return true;
}

static bool list_times(struct blending *blending)
{
    const struct request *request = blending->context->request;
    const double rate = rate_of(request);
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
            blending->time_count, context->request->model, blending->end_s, rate_of(context->request),
            (unsigned long long)steps, (unsigned long long)limit);
    return context_fail(blending->context, &err);
}

/* --- the model with the clip --- */

/* Extras of clips come last. */
static uint32_t count_other_extras(const struct model *model)
{
    uint32_t count = model->extra_count;
    while (count > 0 && model->extras[count - 1].owner == EXTRA_CLIP)
        count--;
    return count;
}

/* Makes it the only clip, without what belongs to others. */
static bool put_alone(struct blended_clip *blended, const struct model *model)
{
    blended->text = malloc((size_t)model->text_byte_count + sizeof NAME);
    blended->clips = calloc(1, sizeof *blended->clips);
    if (blended->text == NULL || blended->clips == NULL || model->text_byte_count > UINT32_MAX - sizeof NAME)
        return false;
    memcpy(blended->text, model->text, model->text_byte_count);
    memcpy(blended->text + model->text_byte_count, NAME, sizeof NAME);
    blended->clips[0].name = (struct str){(uint32_t)model->text_byte_count, (uint32_t)sizeof NAME - 1};
    blended->model.text = blended->text;
    blended->model.text_byte_count = model->text_byte_count + (uint32_t)sizeof NAME;
    blended->model.clip_count = 1;
    blended->model.extra_count = count_other_extras(model);
    blended->model.marker_count = blended->model.property_channel_count = 0;
    return true;
}

/* Adds the clip's keys of visibility to those of nodes, in the order of nodes and paths. */
static void put_channels(struct blended_clip *blended, const struct model *model, int32_t clip)
{
    const struct entity_clip *made = &blended->made;
    const struct clip *from = clip == POSE_REST ? NULL : &model->clips[clip];
    const uint32_t count = from == NULL ? 0 : from->channel_count;
    uint32_t next = 0;
    for (uint32_t c = 0, own = 0; own < count || c < made->channel_count;) {
        const struct channel *visible = own < count ? &model->channels[from->channel_first + own] : NULL;
        if (visible != NULL && visible->path != PATH_VISIBILITY)
            own++;
        else if (visible != NULL && (c == made->channel_count || made->channels[c].node > visible->node))
            blended->channels[next++] = model->channels[from->channel_first + own++];
        else
            blended->channels[next++] = made->channels[c++];
    }
    blended->model.channels = blended->channels;
    blended->model.channel_count = next;
}

/* Takes the clip's place among those of the model, which lose their channels. */
static bool put_below(struct blended_clip *blended, const struct model *model, int32_t clip)
{
    blended->clips = malloc(model->clip_count * sizeof *blended->clips);
    if (blended->clips == NULL)
        return false;
    memcpy(blended->clips, model->clips, model->clip_count * sizeof *blended->clips);
    for (uint32_t i = 0; i < model->clip_count; i++)
        blended->clips[i].channel_count = 0;
    blended->clip = (uint32_t)clip;
    return true;
}

/* Keys of the model that stay, then those of the clip. NULL: no memory. */
static void *join(const void *own, uint64_t own_count, const void *made, uint64_t made_count, size_t item_bytes)
{
    char *joined = malloc((own_count + made_count + 1) * item_bytes);
    if (joined == NULL)
        return NULL;
    if (own_count > 0)
        memcpy(joined, own, own_count * item_bytes);
    memcpy(joined + own_count * item_bytes, made, made_count * item_bytes);
    return joined;
}

/* False: no memory, or too many keys. */
static bool put_keys(struct blended_clip *blended, const struct model *model, bool keeps_own)
{
    struct entity_clip *made = &blended->made;
    const uint64_t own_times = keeps_own ? model->key_time_count : 0,
                   own_values = keeps_own ? model->key_value_count : 0;
    if (own_times + made->time_count > UINT32_MAX || own_values + made->value_count > UINT32_MAX)
        return false;
    for (uint32_t c = 0; c < made->channel_count; c++) {
        made->channels[c].key_time_first += (uint32_t)own_times;
        made->channels[c].value_first += (uint32_t)own_values;
    }
    blended->key_times = join(model->key_times, own_times, made->times_s, made->time_count, sizeof(double));
    blended->key_values = join(model->key_values, own_values, made->values, made->value_count, sizeof(float));
    blended->model.key_times = blended->key_times;
    blended->model.key_time_count = (uint32_t)own_times + made->time_count;
    blended->model.key_values = blended->key_values;
    blended->model.key_value_count = (uint32_t)(own_values + made->value_count);
    return blended->key_times != NULL && blended->key_values != NULL;
}

static bool make_model(struct blended_clip *blended, const struct blending *blending)
{
    const struct model *model = blending->context->model;
    const bool is_below = blending->clip != POSE_REST;
    const uint32_t own_channels = is_below ? model->clips[blending->clip].channel_count : 0;
    blended->model = *model;
    blended->model.compiled_clip_count = blended->model.lane_value_count = 0;
    blended->channels = calloc((size_t)blended->made.channel_count + own_channels + 1, sizeof *blended->channels);
    if (blended->channels == NULL || !put_keys(blended, model, is_below) ||
        !(is_below ? put_below(blended, model, blending->clip) : put_alone(blended, model)))
        return context_fail_memory(blending->context);
    put_channels(blended, model, blending->clip);
    struct clip *clip = &blended->clips[blended->clip];
    clip->channel_first = 0;
    clip->channel_count = blended->model.channel_count;
    clip->start_s = 0;
    clip->duration_s = blending->end_s;
    blended->model.clips = blended->clips;
    return true;
}

/* --- what the clip lacks --- */

static unsigned lacks_of_layer(const struct model *model, const struct blend_layer *layer)
{
    uint32_t count = 0;
    if (layer->given != NULL) {
        bool has_materials = layer->given->material_count > 0;
        for (uint32_t b = 0; b < layer->given->look.bind_count && layer->given->look.kind != LOOK_NONE; b++)
            has_materials = has_materials || layer->given->look.binds[b].material != LOOK_NO_MATERIAL;
        return has_materials ? BLENDED_LACKS_MATERIALS : 0;
    }
    if (layer->clip == POSE_REST)
        return 0;
    if (layer->source == NULL)
        appearance_channels(model, (uint32_t)layer->clip, &count);
    const bool hides = visibility_is_animated(layer->source != NULL ? layer->source : model, layer->clip);
    return count > 0 || hides ? BLENDED_LACKS_TRACKS : 0;
}

static unsigned lacks_of(const struct blending *blending, const struct entity *entity)
{
    unsigned lacks = 0;
    for (uint32_t i = 0; i < entity->layer_count; i++)
        lacks |= lacks_of_layer(entity->model, &entity->layers[i]);
    return has_layers(blending) ? lacks : lacks & ~(unsigned)BLENDED_LACKS_TRACKS;
}

/* --- the whole --- */

static bool start(struct blending *blending)
{
    const struct request *request = blending->context->request;
    if (!find_clip(blending))
        return false;
    if (has_layers(blending))
        blending->end_s = end_of_layers(&blending->context->workspace->layers, &request->pose);
    blending->time_count = count_times(blending->end_s, rate_of(request));
    return true;
}

static bool make(struct blended_clip *blended, struct blending *blending)
{
    struct reply_context *context = blending->context;
    struct err err;
    if (!start(blending))
        return false;
    struct entity_motion motion = {.entity = entity_of(blending),
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
    blended->lacks = lacks_of(blending, &motion.entity);
    return make_model(blended, blending);
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
    free(blended->key_times);
    free(blended->key_values);
    free(blended->text);
}

/* --- estimates --- */

/* The numbers of a key of everything that the clip moves. */
static double key_numbers(const struct model *model, int32_t index)
{
    double numbers = 0;
    const struct clip *clip = index == POSE_REST ? NULL : &model->clips[index];
    for (uint32_t c = 0; clip != NULL && c < clip->channel_count; c++)
        numbers += model->channels[clip->channel_first + c].component_count;
    return numbers;
}

static double longest_clip_s(const struct model *model)
{
    double longest_s = 0;
    for (uint32_t i = 0; i < model->clip_count; i++)
        longest_s = fmax(longest_s, model->clips[i].duration_s);
    return longest_s;
}

double blended_clip_numbers(const struct reply_context *context)
{
    const struct resolved_layers *layers = &context->workspace->layers;
    const struct request *request = context->request;
    const bool is_on_top_only = request->pose.layer_count == 0;
    const double end_s = is_on_top_only ? longest_clip_s(context->model) : end_of_layers(layers, &request->pose);
    double numbers = 1; /* the times */
    if (is_on_top_only && context->model->clip_count > 0)
        numbers += key_numbers(context->model, 0);
    for (uint32_t i = 0; i < layers_all(layers); i++) {
        const struct blend_layer *layer = &layers->layers[i];
        numbers += layer->given != NULL
                       ? layer->given->frame_values
                       : key_numbers(layer->source != NULL ? layer->source : context->model, layer->clip);
    }
    return numbers * (end_s * rate_of(request) + 1);
}

/* The length of the clip that a layer names; names are not looked up, the longest clip counts. */
static double length_of_layer(const struct cost_input *input, const struct request_pose *layer)
{
    const struct request_given *given = layer->given;
    const struct request_span *span = &layer->span;
    const struct model *model = layer->clip_source == 0 ? input->model : input->sources[layer->clip_source - 1];
    double length_s = longest_clip_s(model);
    if (layer->time_count > 0)
        return 0;
    if (given != NULL)
        length_s = given->frame_count == 0 ? 0 : given->times_s[given->frame_count - 1];
    else if (layer->clip.kind == SELECT_INDEX && layer->clip.index < model->clip_count)
        length_s = model->clips[layer->clip.index].duration_s;
    if (span->has_speed)
        length_s = span->speed == 0 ? 0 : length_s / fabs(span->speed);
    return layer->wrap == WRAP_MIRROR ? 2 * length_s : length_s;
}

double cost_of_blended_clip(const struct cost_input *input)
{
    const struct request_pose *pose = &input->request->pose;
    const struct entity entity = {.model = input->model, .layer_count = pose->layer_count == 0 ? 2 : pose->layer_count};
    const struct entity_motion motion = {.entity = entity, .time_count = 1};
    double end_s = pose->layer_count == 0 ? longest_clip_s(input->model) : 0;
    for (uint32_t i = 0; i < pose->layer_count; i++)
        end_s = fmax(end_s, length_of_layer(input, &pose->layers[i]));
    return (double)entity_clip_steps(&motion) * (end_s * rate_of(input->request) + 1) * COST_NODE_NS;
}

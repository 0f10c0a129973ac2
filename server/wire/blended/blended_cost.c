/* blended_cost.c - how long the clip of layers is, and what it costs. */
#include "wire/blended/blended_model.h"
#include "wire/request/request_given.h"

#include <math.h>

double blended_rate(const struct request *request)
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

double blended_end_s(const struct resolved_layers *layers, const struct request_pose *pose)
{
    double end_s = 0;
    for (uint32_t i = 0; i < layers->count; i++)
        if (pose->layers[i].time_count == 0)
            end_s = fmax(end_s, length_of(&layers->spans[i]));
    return end_s;
}

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
    const double end_s = is_on_top_only ? longest_clip_s(context->model) : blended_end_s(layers, &request->pose);
    double numbers = 1; /* the times */
    if (is_on_top_only && context->model->clip_count > 0)
        numbers += key_numbers(context->model, 0);
    for (uint32_t i = 0; i < layers_all(layers); i++) {
        const struct blend_layer *layer = &layers->layers[i];
        numbers += layer->given != NULL
                       ? layer->given->frame_values
                       : key_numbers(layer->source != NULL ? layer->source : context->model, layer->clip);
    }
    return numbers * (end_s * blended_rate(request) + 1);
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
    return (double)entity_clip_steps(&motion) * (end_s * blended_rate(input->request) + 1) * COST_NODE_NS;
}

#include "wire/glb/glb_size.h"

#include "wire/picture/picture_plan.h"
#include "wire/blended/blended_clip.h"

#include <math.h>

/* Estimates the JSON of everything that the file lists. */
static uint64_t things_bytes(const struct model *model)
{
    enum { THING_BYTES = 200 };
    return THING_BYTES * ((uint64_t)model->node_count + model->primitive_count + model->material_count +
                          model->channel_count + model->skin_count);
}

/* Estimates a vertex by position, normal and texture coordinates, and an influence by joint and weight. */
static uint64_t mesh_bytes(const struct model *model)
{
    enum { VERTEX_BYTES = 32, INFLUENCE_BYTES = 8, INDEX_BYTES = 4 };
    return (uint64_t)model->position_count * VERTEX_BYTES + (uint64_t)model->influence_count * INFLUENCE_BYTES +
           (uint64_t)model->index_count * INDEX_BYTES;
}

/* Likewise with optimize=1: integers, filtered and compressed, and keys of which half fall away. */
static uint64_t optimized_bytes(const struct model *model, double key_numbers)
{
    enum { THING_BYTES = 140, VERTEX_BYTES = 8, INFLUENCE_BYTES = 1, INDICES_A_BYTE = 2 };
    static const double NUMBERS_A_BYTE = 1.5;
    return THING_BYTES * ((uint64_t)model->node_count + model->primitive_count + model->material_count +
                          model->channel_count + model->skin_count) +
           (uint64_t)model->position_count * VERTEX_BYTES + (uint64_t)model->influence_count * INFLUENCE_BYTES +
           model->index_count / INDICES_A_BYTE + (uint64_t)(key_numbers / NUMBERS_A_BYTE);
}

double glb_key_numbers(const struct model *model, double sample_rate)
{
    if (!(sample_rate > 0))
        return (double)model->key_value_count + model->key_time_count;
    double numbers = 0;
    for (uint32_t i = 0; i < model->clip_count; i++) {
        const struct clip *clip = &model->clips[i];
        const double samples = clip->duration_s * sample_rate + 1;
        for (uint32_t c = clip->channel_first; c < clip->channel_first + clip->channel_count; c++) {
            const struct channel *channel = &model->channels[c];
            numbers += (channel->key_count > 1 ? samples : 1) * (1.0 + channel->component_count);
        }
    }
    return numbers;
}

uint64_t glb_bytes(const struct reply_context *context)
{
    static const double BYTES_MOST = 1e15; /* a number that is exact in a double and in JSON */
    const struct model *model = context->model;
    uint64_t textures = 0;
    for (uint32_t t = 0; t < model->texture_count && request_has_textures(context->request); t++)
        if (model->textures[t].state == TEXTURE_FOUND)
            textures += picture_answer_bytes(model, t, &context->request->textures);
    const struct request *request = context->request;
    const double keys = request->op == OP_EXPORT && request_is_blended(request) ? blended_clip_numbers(context)
                        : context->has_all_clips ? glb_key_numbers(model, request->export.sample_rate)
                                                 : 0;
    if (context->request->export.is_optimized)
        return optimized_bytes(model, fmin(keys, BYTES_MOST)) + textures;
    return things_bytes(model) + mesh_bytes(model) + textures + (uint64_t)fmin(keys * sizeof(float), BYTES_MOST);
}

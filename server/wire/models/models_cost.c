/* models_cost.c - cost and size of answers about the content of a model. */
#include "wire/picture/picture_plan.h"
#include "wire/models/model_bodies.h"

/* Estimates all keys of the clips' file; one clip has fewer. Stops at COST_ENOUGH_NS. */
static double key_cost_ns(const struct model *clips)
{
    double ns = 0;
    for (uint32_t c = 0; c < clips->channel_count && ns <= COST_ENOUGH_NS; c++)
        ns += (double)clips->channels[c].key_count * (1 + 3 * clips->channels[c].component_count) * COST_KEY_NS;
    return ns;
}

double cost_of_model(const struct cost_input *input) { return cost_of_list(input->model); }

double cost_of_keys(const struct cost_input *input)
{
    const uint32_t source = input->request->pose.clip_source;
    return cost_of_lookup(input) + cost_of_list(input->model) +
           key_cost_ns(source > 0 ? input->sources[source - 1] : input->model);
}

uint64_t keys_bytes(const struct reply_context *context)
{
    enum { NUMBER_BYTES = 11 };
    return (uint64_t)context->model->key_value_count * NUMBER_BYTES;
}

double cost_of_texture(const struct cost_input *input)
{
    const struct model *model = input->model;
    const uint32_t index = input->request->texture;
    if (index >= model->texture_count || model->textures[index].state != TEXTURE_FOUND)
        return 0;
    const struct request_textures *textures = &input->request->textures;
    return (double)picture_encoded_bytes(model, index, textures) * COST_PIXEL_BYTE_NS +
           (double)picture_answer_bytes(model, index, textures) / COPIED_BYTES_PER_NS;
}

static double compared_cost_ns(const struct model *model)
{
    return (double)model->position_count * COST_VERTEX_NS + (double)model->key_value_count * COST_KEY_NS +
           ((double)model->node_count + model->joint_count) * COST_NODE_NS * COST_COMPARED_POSES;
}

double cost_of_compare(const struct cost_input *input)
{
    return compared_cost_ns(input->model) + compared_cost_ns(input->sources[0]);
}

double cost_of_opened(const struct cost_input *input __attribute__((unused))) { return 0; }

double cost_of_found(const struct cost_input *input)
{
    const struct model *model = input->model;
    return ((double)model->node_count + model->joint_count) * COST_LOOK_NS +
           (double)model->text_byte_count / COMPARED_BYTES_PER_NS;
}

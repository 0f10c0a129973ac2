/* crowd_cost.c - the cost of the answer to a crowd. */
#include "wire/crowd/body_crowd.h"

#include "wire/crowd/crowd_entity.h"

#include <math.h>

/* Estimates the cost of making each given pose for each model. */
static double crowd_pose_cost_ns(const struct crowd_request *crowd)
{
    double nodes = 0;
    for (uint32_t p = 0; p < crowd->pose_count; p++)
        nodes += crowd->poses[p].node_count;
    return nodes * crowd->model_count * COST_GIVEN_NODE_NS;
}

/* Estimates the cost besides the poses: checking an entity and reporting its errors, its masks, and looking up the
 * clips of other files that it plays. */
static double crowd_entity_cost_ns(const struct cost_input *input)
{
    const struct crowd_request *crowd = input->request->crowd;
    const struct crowd_files files = {.crowd = crowd, .model = input->model, .sources = input->sources};
    double ns = (double)crowd->entity_count * COST_ENTITY_NS + crowd_pose_cost_ns(crowd), others = 0, clips = 0;
    if (crowd->mask_count == 0 && crowd->item_count == 0 && crowd->model_count <= 1) /* the usual case */
        return ns + (double)crowd->layer_count * COST_LAYER_NS;
    for (uint32_t m = 0; m < crowd->model_count; m++)
        clips += crowd_files_model(&files, m) == NULL ? 0 : crowd_files_model(&files, m)->clip_count;
    for (uint32_t i = 0; i < crowd->entity_count && ns <= COST_ENOUGH_NS; i++) {
        const struct crowd_entity *entity = &crowd->entities[i];
        const struct crowd_wanted *wanted = &crowd->wanted[entity->wanted];
        const struct model *model = crowd_files_model(&files, entity->model);
        for (uint32_t l = 0; l < entity->layer_count; l++) {
            const struct crowd_layer *layer = &crowd->layers[entity->first_layer + l];
            ns += COST_LAYER_NS + (layer->mask < 0 ? 0 : crowd->masks[layer->mask].count * COST_MASK_NODE_NS);
            others += layer->clip_model != 0;
        }
        if (model != NULL && wanted->what == CROWD_PALETTE && wanted->item_count > 0 &&
            (uint32_t)wanted->skin < model->skin_count) /* evaluation makes all joints of the skin */
            ns += (double)model->skins[wanted->skin].joint_count * COST_CROWD_JOINT_NS;
    }
    return ns + others * fmin(others, clips) * COST_FOUND_NS;
}

double cost_of_crowd(const struct cost_input *input)
{
    enum { BYTES_PER_NS = 2, JSON_FACTOR = 100 };
    const struct request *request = input->request;
    if ((double)request->crowd->entity_count * COST_ENTITY_NS >
        COST_ENOUGH_NS) /* the exact estimate takes time as well */
        return HUGE_VAL;
    const struct crowd_size size = crowd_size_of(request, input->model, input->sources);
    return fmax((double)size.steps * COST_CROWD_STEP_NS, crowd_entity_cost_ns(input)) +
           (double)size.bytes / BYTES_PER_NS * (request->format == FORMAT_JSON ? JSON_FACTOR : 1);
}

uint64_t crowd_least_bytes(const struct cost_input *input)
{
    enum { JSON_FLOAT_BYTES = 2 }; /* a digit and a comma */
    const uint64_t bytes = crowd_size_of(input->request, input->model, input->sources).bytes;
    return input->request->format == FORMAT_JSON ? bytes / sizeof(float) * JSON_FLOAT_BYTES : bytes;
}

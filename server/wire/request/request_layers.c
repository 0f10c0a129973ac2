/* request_layers.c - what the layers of a blend must be, each and together. */
#include "wire/request/request_parser.h"

int request_check_layer(const struct request *layer, const struct param_set *seen, struct err *err)
{
    if (layer->op != OP_LAYER)
        return 0;
    if (layer->is_additive && layer->weight > 1)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'weight' is %.15g; of an additive layer it is at most 1",
                       layer->weight);
    if (!layer->is_additive && seen->has[PARAM_REFERENCE])
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'reference' needs mode additive");
    return 0;
}

/* What the layers say themselves cannot be said of all of them. */
static int check_shared(const struct param_set *seen, struct err *err)
{
    static const int OF_LAYERS[] = {PARAM_CLIP, PARAM_CLIP_NAME, PARAM_FROM, PARAM_TO,
                                    PARAM_FPS,  PARAM_SPEED,     PARAM_PHASE};
    for (size_t i = 0; i < sizeof OF_LAYERS / sizeof *OF_LAYERS; i++)
        if (seen->has[OF_LAYERS[i]])
            return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' stands in the layers when there are layers",
                           REQUEST_PARAMS[OF_LAYERS[i]].name);
    return 0;
}

int request_check_layers(struct request *request, const struct param_set *seen, const struct limits *limits,
                         struct err *err)
{
    uint64_t joints = 0;
    if (request->layer_count == 0)
        return 0;
    if (check_shared(seen, err) < 0)
        return err->code;
    for (uint32_t i = 0; i < request->layer_count; i++) {
        struct request *layer = &request->layers[i];
        layer->model = request->model;
        if (!layer->has_wrap)
            layer->wrap = request->wrap;
        if (layer->time_count > 1 && layer->time_count != request->time_count)
            return err_set(err, ERR_BAD_PARAMETER,
                           "layers[%u]: parameter 't' has %u times for %u frames; it takes none, one, or as many", i,
                           layer->time_count, request->time_count);
        joints += layer->joint_count;
        if (layer->reference != NULL) {
            layer->reference->model = request->model;
            if (layer->reference->time_count > 1)
                return err_set(err, ERR_BAD_PARAMETER, "layers[%u]: reference: parameter 't' takes one time", i);
        }
    }
    if (joints > limits->value[LIMIT_LAYER_JOINTS])
        return err_set(err, ERR_BAD_PARAMETER, "the layers name %llu joints, more than %llu",
                       (unsigned long long)joints, (unsigned long long)limits->value[LIMIT_LAYER_JOINTS]);
    return 0;
}

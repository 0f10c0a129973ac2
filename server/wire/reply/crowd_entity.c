/* crowd_entity.c - checks what the records of an entity say against its model. */
#include "wire/reply/crowd_entity.h"

#include "wire/reply/clip_select.h"

#include <math.h>

#define WEIGHT_MAX 1000.0 /* as that of a layer in JSON */

static int find_clip(const struct model *model, int32_t clip, struct err *err)
{
    if (clip == POSE_REST || (clip >= 0 && (uint32_t)clip < model->clip_count))
        return 0;
    return err_set(err, ERR_CLIP_NOT_FOUND, "there is no clip %d; there are %u", clip, model->clip_count);
}

static int set_time(const struct model *model, int32_t clip, double time_s, enum wrap wrap, double *out,
                    struct err *err)
{
    const double duration_s = clip_duration_s(model, clip);
    const struct clip_span whole = {.to_s = duration_s, .speed = 1, .wrap = wrap};
    if (!isfinite(time_s))
        return err_set(err, ERR_BAD_PARAMETER, "its time is not finite");
    *out = clip_time_in_span(&whole, time_s + 0); /* not -0 */
    return 0;
}

static int set_mask(const struct crowd_request *crowd, const struct model *model, const struct crowd_layer *asked,
                    struct blend_layer *layer, struct err *err)
{
    if (asked->mask < 0)
        return 0;
    const struct crowd_mask *mask = &crowd->masks[asked->mask];
    if (mask->most_node >= model->node_count)
        return err_set(err, ERR_JOINT_NOT_FOUND, "mask %d: there is no node %u; there are %u", asked->mask,
                       mask->most_node, model->node_count);
    layer->masks = mask->nodes;
    layer->mask_count = mask->count;
    return 0;
}

static int set_layer(const struct crowd_request *crowd, const struct model *model, const struct crowd_layer *asked,
                     struct blend_layer *layer, struct err *err)
{
    *layer = (struct blend_layer){.clip = asked->clip, .weight = asked->weight + 0, .is_additive = asked->is_additive};
    if (!(asked->weight >= 0 && asked->weight <= (asked->is_additive ? 1 : WEIGHT_MAX)))
        return err_set(err, ERR_BAD_PARAMETER, "its weight must be a number from 0 to %s",
                       asked->is_additive ? "1" : "1000");
    if (find_clip(model, asked->clip, err) < 0 ||
        set_time(model, asked->clip, asked->time_s, asked->wrap, &layer->clip_time_s, err) < 0 ||
        set_mask(crowd, model, asked, layer, err) < 0)
        return err->code;
    if (!asked->is_additive)
        return 0;
    layer->reference_clip = asked->reference_clip;
    if (find_clip(model, asked->reference_clip, err) < 0 ||
        set_time(model, asked->reference_clip, asked->reference_time_s, WRAP_LOOP, &layer->reference_time_s, err) < 0)
        return err_prefix(err, "its reference");
    return 0;
}

static int set_layers(const struct crowd_request *crowd, const struct crowd_entity *asked, struct blend_layer *layers,
                      struct entity *out, struct err *err)
{
    uint32_t mask_nodes = 0;
    out->layers = layers;
    out->layer_count = asked->layer_count;
    for (uint32_t i = 0; i < asked->layer_count; i++) {
        if (set_layer(crowd, out->model, &crowd->layers[asked->first_layer + i], &layers[i], err) < 0)
            return err_prefix(err, "layer %u", i);
        mask_nodes += layers[i].mask_count;
    }
    return mask_nodes <= BLEND_MASKS_MAX
               ? 0
               : err_set(err, ERR_BAD_PARAMETER, "the masks of its layers have %u nodes, more than %d", mask_nodes,
                         BLEND_MASKS_MAX);
}

static int set_world(const struct crowd_request *crowd, const struct crowd_entity *asked, struct entity *out,
                     struct err *err)
{
    if (asked->world < 0)
        return 0;
    out->world_from_scene = &crowd->worlds[asked->world];
    for (int e = 0; e < 16; e++)
        if (!isfinite((float)out->world_from_scene->m[e]))
            return err_set(err, ERR_BAD_PARAMETER, "its place %d has a number that is not finite as a float",
                           asked->world);
    return 0;
}

int crowd_entity_resolve(const struct crowd_request *crowd, const struct crowd_entity *asked, const struct model *model,
                         struct blend_layer *layers, struct entity *out, struct err *err)
{
    *out = (struct entity){.model = model};
    return set_layers(crowd, asked, layers, out, err) < 0 ? err->code : set_world(crowd, asked, out, err);
}

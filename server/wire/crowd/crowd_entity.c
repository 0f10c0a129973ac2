/* crowd_entity.c - checks the records of an entity against its model. */
#include "wire/crowd/crowd_entity.h"

#include "wire/reply/clip_select.h"

#include <math.h>

#define WEIGHT_MAX 1000.0 /* like a layer's in JSON */

const struct model *crowd_files_model(const struct crowd_files *files, uint32_t place)
{
    const struct crowd_model *asked = &files->crowd->models[place];
    return asked->err.code != 0 ? NULL : asked->slot == 0 ? files->model : files->sources[asked->slot - 1];
}

/* --- clips --- */

/* The model that supplies the clips of a layer. */
struct clip_place {
    const struct model *model; /* the entity's */
    const struct model *clips; /* the same model, or another file */
    const char *path;          /* of the other file; NULL: the entity's own model */
};

static int find_place(const struct crowd_files *files, const struct model *model, const struct crowd_layer *asked,
                      struct clip_place *place, struct err *err)
{
    *place = (struct clip_place){.model = model, .clips = model};
    if (asked->clip_model == 0)
        return 0;
    const struct crowd_model *of = &files->crowd->models[asked->clip_model - 1];
    place->path = of->path != NULL ? of->path : "";
    place->clips = crowd_files_model(files, asked->clip_model - 1);
    return place->clips != NULL ? 0 : err_set(err, of->err.code, "the file of its clip: %s", of->err.message);
}

/* *source: the model that plays the clip, NULL for the entity's model. */
static int find_clip(const struct crowd_files *files, const struct clip_place *place, int32_t clip,
                     const struct model **source, struct err *err)
{
    const bool is_own = place->path == NULL;
    *source = NULL;
    if (clip != POSE_REST && (clip < 0 || (uint32_t)clip >= place->clips->clip_count)) {
        err_set(err, ERR_CLIP_NOT_FOUND, "there is no clip %d; there are %u", clip, place->clips->clip_count);
        return is_own ? err->code : err_prefix(err, "'%.200s'", place->path);
    }
    if (is_own || clip == POSE_REST)
        return 0;
    *source = crowd_clips_find(files->retargeted_clips, place->model, place->clips, (uint32_t)clip, err);
    return *source != NULL ? 0 : err_prefix(err, "'%.200s'", place->path);
}

static int set_time(const struct model *model, int32_t clip, double time_s, enum wrap wrap, double *out,
                    struct err *err)
{
    const double duration_s = clip_duration_s(model, clip);
    const struct clip_span whole = {.to_s = duration_s, .speed = 1, .wrap = wrap};
    if (!isfinite(time_s))
        return err_set(err, ERR_BAD_PARAMETER, "its time is not finite");
    *out = clip_time_in_span(&whole, time_s + 0); /* avoids -0 */
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

static int set_pose(const struct crowd_files *files, const struct model *model, const struct crowd_layer *asked,
                    struct blend_layer *layer, struct err *err)
{
    layer->given = crowd_poses_find(files->poses, model, (uint32_t)asked->pose, err);
    layer->clip = layer->reference_clip = POSE_REST;
    return layer->given == NULL ? err->code : set_mask(files->crowd, model, asked, layer, err);
}

static int set_layer(const struct crowd_files *files, const struct model *model, const struct crowd_layer *asked,
                     struct blend_layer *layer, struct err *err)
{
    struct clip_place place;
    const bool is_share = asked->is_additive || asked->pose >= 0;
    *layer = (struct blend_layer){.clip = asked->clip, .weight = asked->weight + 0, .is_additive = asked->is_additive};
    if (!(asked->weight >= 0 && asked->weight <= (is_share ? 1 : WEIGHT_MAX)))
        return err_set(err, ERR_BAD_PARAMETER, "its weight must be a number from 0 to %s", is_share ? "1" : "1000");
    if (asked->pose >= 0)
        return set_pose(files, model, asked, layer, err);
    if (find_place(files, model, asked, &place, err) < 0 ||
        find_clip(files, &place, asked->clip, &layer->source, err) < 0 ||
        set_time(place.clips, asked->clip, asked->time_s, asked->wrap, &layer->clip_time_s, err) < 0 ||
        set_mask(files->crowd, model, asked, layer, err) < 0)
        return err->code;
    if (!asked->is_additive)
        return 0;
    layer->reference_clip = asked->reference_clip;
    if (find_clip(files, &place, asked->reference_clip, &layer->reference_source, err) < 0 ||
        set_time(place.clips, asked->reference_clip, asked->reference_time_s, WRAP_LOOP, &layer->reference_time_s,
                 err) < 0)
        return err_prefix(err, "its reference");
    return 0;
}

static int set_layers(const struct crowd_files *files, const struct crowd_entity *asked, struct blend_layer *layers,
                      struct entity *out, struct err *err)
{
    uint32_t mask_nodes = 0;
    out->layers = layers;
    out->layer_count = asked->layer_count;
    for (uint32_t i = 0; i < asked->layer_count; i++) {
        if (set_layer(files, out->model, &files->crowd->layers[asked->first_layer + i], &layers[i], err) < 0)
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

int crowd_entity_resolve(const struct crowd_files *files, const struct crowd_entity *asked, const struct model *model,
                         struct blend_layer *layers, struct entity *out, struct err *err)
{
    *out = (struct entity){.model = model};
    return set_layers(files, asked, layers, out, err) < 0 ? err->code : set_world(files->crowd, asked, out, err);
}

/* service_picture.c - finds in the models what the request for a picture names: layers, joints, nodes, camera, variant,
 * lights. */
#include "daemon/service/job.h"

#include "anim/given/given_store.h"
#include "base/mem.h"
#include "wire/reply/select.h"

/* Adds a given pose to those of the job. Returns its number, from 1 on; 0 for NULL. */
static uint32_t put_given(struct picture_job *picture, const struct given_pose *given)
{
    if (given == NULL)
        return 0;
    given_store_put(&picture->given, given);
    return ++picture->given_count;
}

/* Converts the layers of the request, except for their times, to the workers' form. */
static void put_blend(struct picture_job *picture, const struct resolved_layers *layers)
{
    const struct request *request = &picture->job->call->request;
    struct render_blend *blend = &picture->drawing.blend;
    blend->layer_count = layers->count;
    blend->mask_count = layers->mask_count;
    for (uint32_t i = 0; i < layers->count; i++) {
        const struct blend_layer *layer = &layers->layers[i];
        const struct request_pose *reference =
            request->pose.layers[i].reference != NULL ? request->pose.layers[i].reference : &request->pose.layers[i];
        blend->layers[i] = (struct render_layer){
            .clip_source = request->pose.layers[i].clip_source,
            .reference_source = reference->clip_source,
            .clip = layer->clip,
            .reference_clip = layer->reference_clip,
            .reference_time_s = layer->reference_time_s,
            .is_additive = layer->is_additive,
            .mask_first = (uint32_t)(layer->masks - layers->masks),
            .mask_count = layer->mask_count,
            .given = put_given(picture, layer->given),
        };
    }
    for (uint32_t i = 0; i < layers->mask_count; i++)
        blend->masks[i] = layers->masks[i].node * 4 + (uint32_t)layers->masks[i].scope;
}

bool service_picture_blend(struct picture_job *picture, struct reply *reply)
{
    const struct job *job = picture->job;
    const struct request *request = &job->call->request;
    if (picture->layers != NULL || (request->pose.layer_count == 0 && request->on_top == NULL))
        return true;
    struct resolved_layers *layers = picture->layers = mem_zalloc(1, sizeof *layers);
    const int rc = layers_resolve(layers, &job->models[0]->model, job->sources, &request->pose, request->on_top,
                                  &job->service->config->limits, reply);
    if (rc == 0 && layers->count > 0) {
        layers_set_times(layers, &request->pose, 0);
        put_blend(picture, layers);
    }
    if (rc == 0 && layers->has_on_top)
        picture->drawing.on_top = put_given(picture, layers->layers[layers->count].given);
    picture->drawing.given_bytes = picture->given.size_bytes;
    layers_free_given(layers); /* the drawing has them */
    return rc == 0;
}

/* Writes 0, or 1 + the index of the selected thing. False: *reply is the error. */
static bool find_thing(const struct job *job, enum thing thing, const struct selector *selector, uint32_t *out,
                       struct reply *reply)
{
    *out = 0;
    if (selector->kind == SELECT_NONE)
        return true;
    if (select_thing(&job->models[0]->model, job->call->request.model, thing, selector, out, reply) < 0)
        return false;
    ++*out;
    return true;
}

static bool has_lights(const struct model *model)
{
    for (uint32_t i = 0; i < model->light_count; i++)
        if ((model->nodes[model->lights[i].node].flags & NODE_IN_SCENE) != 0)
            return true;
    return false;
}

/* Checks that the picture has a light source. False: *reply is the error. */
static bool check_lights(const struct job *job, struct reply *reply)
{
    const struct request *request = &job->call->request;
    struct err err = {0};
    if ((request->picture.flags & PICTURE_OWN_LIGHTS) == 0 || request->environment != NULL ||
        has_lights(&job->models[0]->model))
        return true;
    err_set(
        &err, ERR_LIGHT_NOT_FOUND,
        "'%s' has no lights that light=file could show it by; studio, outdoor, flat and environment=FILE are lights "
        "for every model",
        request->model);
    reply_error(reply, &err, NULL, 0);
    return false;
}

/* Resolves the nodes and the camera of the picture. False: *reply is the error. */
static bool find_things(struct picture_job *picture, struct reply *reply)
{
    const struct job *job = picture->job;
    const struct request *request = &job->call->request;
    struct render_job *drawing = &picture->drawing;
    uint32_t target;
    if (request->motion.is_extracted) {
        if (motion_find_root(&job->service->evaluator.workspace, &job->models[0]->model, request, &drawing->root,
                             reply) < 0)
            return false;
        drawing->root++;
    }
    if (!check_lights(job, reply) || !find_thing(job, THING_NODE, &request->view.joint, &drawing->joint, reply) ||
        !find_thing(job, THING_NODE, &request->view.target, &target, reply) ||
        !find_thing(job, THING_CAMERA, &request->view.camera, &picture->drawing.picture.camera, reply) ||
        !find_thing(job, THING_VARIANT, &request->variant, &picture->drawing.picture.variant, reply))
        return false;
    if (target > 0) {
        picture->drawing.picture.target_kind = PICTURE_TARGET_NODE;
        picture->drawing.picture.target_node = target - 1;
    }
    return true;
}

bool service_picture_find(struct picture_job *picture, struct reply *reply)
{
    return service_picture_blend(picture, reply) && find_things(picture, reply);
}

/* service_render.c - a picture: which pose of which clip, then the render pool. */
#include "daemon/service/job.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "base/view.h"
#include "wire/bodies/body_picture.h"
#include "wire/reply/select.h"
#include "wire/http/http_response.h"

#include <stddef.h>
#include <string.h>

_Static_assert((int)SHEET_CELLS_MAX <= (int)RENDER_CELLS_MAX, "what can be planned can be drawn");
_Static_assert((int)BLEND_LAYERS_MAX == (int)RENDER_LAYERS_MAX && (int)BLEND_MASKS_MAX == (int)RENDER_MASKS_MAX &&
                   (int)REQUEST_SOURCES_MAX == (int)RENDER_SOURCES_MAX,
               "what can be blended can be drawn");

/* The model that has the clip of a request without layers. */
static const struct model *clips_model(const struct job *job)
{
    const uint32_t source = job->call->request.clip_source;
    return source == 0 ? &job->imported->model : job->sources[source - 1];
}

/* Says which picture failed, unless it never came to it. */
static void fail_picture(struct job *job, const struct err *why)
{
    const struct request *request = &job->call->request;
    struct err err = *why;
    const bool is_about_model =
        err.code != ERR_OVERLOADED && err.code != ERR_UNAVAILABLE && err.code != ERR_SHUTTING_DOWN;
    const bool has_moments = job->plan != NULL ? job->plan->cell_count > 1 : request->picture.view == VIEW_ONION;
    if (is_about_model && has_moments)
        err_prefix(&err, "'%s'", request->model); /* the worker says which moment it is */
    else if (is_about_model)
        err_name_pose(clips_model(job), request, job->render_clip, request->time_count > 0 ? request->times_s[0] : 0,
                      &err);
    job_fail(job, &err);
}

/* The time that t= would be for what is shown. */
static double time_of(const struct job *job, const struct render_shown *shown)
{
    const struct request *request = &job->call->request;
    const bool is_picked = (request->picture.flags & PICTURE_AUTO_TIME) != 0;
    return is_picked ? shown->clip_time_s - job->render_begin_s : request->times_s[request->time_count - 1];
}

static void put_picture(const struct job *job, struct blob *png, const struct render_shown *shown, struct reply *reply)
{
    const struct request *request = &job->call->request;
    const struct picture_shown told = {.time_s = time_of(job, shown),
                                       .clip_time_s = shown->clip_time_s,
                                       .view_from_scene = shown->view_from_scene,
                                       .clip_from_view = shown->clip_from_view};
    reply_put_shown(&told, reply);
    reply->content_type = "image/png";
    if (request->format == FORMAT_JSON)
        body_put_picture(request, &told, reply);
    else
        reply->blob = blob_ref(png);
}

/* The renderer's numbers are finite; what is made of them may be too large. */
static void check_told(struct reply *reply)
{
    struct err err;
    if (reply->code != 0 || (!buf_failed(&reply->body) && !buf_failed(&reply->picture_lines)))
        return;
    err_set(&err, ERR_RENDER_FAILED, "the picture's camera is beyond numbers");
    reply_error(reply, &err, NULL, 0);
}

static void on_done(struct render_waiter *wait, struct blob *png, const struct render_notes *notes,
                    const struct err *err)
{
    struct job *job = container_of(wait, struct job, render);
    if (png == NULL) {
        fail_picture(job, err);
        return;
    }
    struct reply reply;
    reply_init(&reply);
    if (!job_is_not_modified(job, &reply)) {
        if (job->plan != NULL)
            service_sheet_reply(job, png, &reply);
        else
            put_picture(job, png, &notes->shown, &reply);
        check_told(&reply);
        buf_put_text(&reply.unmatched, notes->unmatched);
        job_put_notes(job, &reply);
    }
    job_finish(job, &reply);
}

/* Nodes that a picture is about. */
struct nodes {
    uint32_t root;  /* 0, or 1 + the node whose movement is taken out */
    uint32_t joint; /* 0, or 1 + the node that the view is about */
};

/* What is drawn when. */
struct picture_times {
    uint32_t count;
    struct render_cell cells[VIEW_ONION_MAX];
    double layer_times_s[VIEW_ONION_MAX * RENDER_LAYERS_MAX];
};

/* One moment, or those of an onion: without times some that are spread evenly over the clip. */
static void fill_moments(struct job *job, int32_t clip, const struct clip_span *span, struct picture_times *moments)
{
    const struct request *request = &job->call->request;
    struct resolved_layers *layers = &job->service->evaluator.answer.layers; /* as find_blend() left them */
    const bool is_onion = request->picture.view == VIEW_ONION;
    const bool is_spread = is_onion && (request->picture.flags & PICTURE_AUTO_TIME) != 0 && span->to_s > span->from_s;
    double *layer_times_s = moments->layer_times_s;
    if (is_onion)
        job->picture.flags &= ~(uint32_t)PICTURE_AUTO_TIME;
    moments->count = is_spread ? VIEW_ONION_TIMES : is_onion ? request->time_count : 1;
    for (uint32_t c = 0; c < moments->count; c++) {
        moments->cells[c] = (struct render_cell){
            .clip = clip,
            .clip_source = request->layer_count == 0 ? request->clip_source : 0,
            .clip_time_s = is_spread ? span->from_s + (span->to_s - span->from_s) * c / moments->count
                                     : clip_time_in_span(span, request->times_s[c]),
            .begin_s = span->from_s,
            .end_s = span->to_s,
        };
        if (job->blend == NULL)
            continue;
        layers_set_times(layers, request, c);
        for (uint32_t i = 0; i < layers->count; i++)
            *layer_times_s++ = layers->layers[i].clip_time_s;
    }
}

static void fill_query(const struct job *job, const struct nodes *nodes, const struct picture_times *moments,
                       struct render_spec *query)
{
    const struct request *request = &job->call->request;
    *query = (struct render_spec){
        .imported = job->imported,
        .clips = job->clips,
        .clip_count = job->clip_count,
        .root = nodes->root,
        .has_turn = request->has_turn,
        .joint = nodes->joint,
        .picture = &job->picture,
        .width = request->picture.width,
        .height = request->picture.height,
        .cells = moments->cells,
        .cell_count = moments->count,
        .layer_times_s = moments->layer_times_s,
        .blend = job->blend,
    };
}

/* The layers of the request as the workers take them, but for their times. False: *reply is the error. */
static bool find_blend(struct job *job, struct reply *reply)
{
    const struct request *request = &job->call->request;
    struct resolved_layers *layers = &job->service->evaluator.answer.layers; /* scratch of the loop thread */
    if (request->layer_count == 0)
        return true;
    if (layers_resolve(layers, &job->imported->model, job->sources, request, reply) < 0)
        return false;
    layers_set_times(layers, request, 0);
    struct render_blend *blend = mem_zalloc(1, sizeof *blend);
    blend->layer_count = layers->count;
    blend->mask_count = layers->mask_count;
    for (uint32_t i = 0; i < layers->count; i++) {
        const struct blend_layer *layer = &layers->layers[i];
        const struct request *reference =
            request->layers[i].reference != NULL ? request->layers[i].reference : &request->layers[i];
        blend->layers[i] = (struct render_layer){
            .clip_source = request->layers[i].clip_source,
            .reference_source = reference->clip_source,
            .clip = layer->clip,
            .reference_clip = layer->reference_clip,
            .reference_time_s = layer->reference_time_s,
            .weight = layer->weight,
            .is_additive = layer->is_additive,
            .mask_first = (uint32_t)(layer->masks - layers->masks),
            .mask_count = layer->mask_count,
        };
    }
    for (uint32_t i = 0; i < layers->mask_count; i++)
        blend->masks[i] = layers->masks[i].node * 4 + (uint32_t)layers->masks[i].scope;
    job->blend = blend;
    return true;
}

/* False: *reply is the error. */
static bool find_nodes(struct job *job, struct nodes *nodes, struct reply *reply)
{
    const struct request *request = &job->call->request;
    const struct model *model = &job->imported->model;
    uint32_t node = 0;
    if (request->has_root_motion) {
        if (motion_find_root(&job->service->evaluator.answer, model, request, &node, reply) < 0)
            return false;
        nodes->root = 1 + node;
    }
    if (request->joint.kind != SELECT_NONE) {
        if (select_thing(model, request, THING_NODE, &request->joint, &node, reply) < 0)
            return false;
        nodes->joint = 1 + node;
    }
    return true;
}

/* What of the look is named by what the model calls it. False: *reply is the error. */
static bool find_look(struct job *job, struct reply *reply)
{
    const struct request *request = &job->call->request;
    job->picture = request->picture;
    if (request->target.kind != SELECT_NONE) {
        job->picture.target_kind = PICTURE_TARGET_NODE;
        if (select_thing(&job->imported->model, request, THING_NODE, &request->target, &job->picture.target_node,
                         reply) < 0)
            return false;
    }
    uint32_t camera;
    if (request->camera.kind != SELECT_NONE) {
        if (select_thing(&job->imported->model, request, THING_CAMERA, &request->camera, &camera, reply) < 0)
            return false;
        job->picture.camera = 1 + camera;
    }
    return true;
}

void service_render(struct job *job)
{
    const struct request *request = &job->call->request;
    struct err err;
    struct reply reply;
    struct clip_span span;
    int32_t clip;
    struct nodes nodes = {0};
    reply_init(&reply);
    const struct model *clips = clips_model(job);
    if (select_clip(clips, request, &clip, &reply) < 0 || !find_blend(job, &reply) ||
        !find_nodes(job, &nodes, &reply) || !find_look(job, &reply)) {
        job_finish(job, &reply);
        return;
    }
    const double duration_s = clip == POSE_REST ? 0 : clips->clips[clip].duration_s;
    if (request->op == OP_RENDER ? span_resolve(request, duration_s, &span, &err) < 0
                                 : service_sheet_plan(job, clips, clip, &span, &err) < 0) {
        job_fail(job, &err);
        return;
    }
    /* pixels are only the same where the renderer is, so without one no copy is known to be good */
    const bool is_renderer_known = render_pool_renderer(job->service->renders)[0] != '\0';
    if (is_renderer_known && job_is_not_modified(job, &reply)) {
        job_finish(job, &reply);
        return;
    }
    reply_fini(&reply);
    struct render_spec query;
    struct picture_times moments = {.count = 0};
    struct sheet_cells cells = {0};
    if (job->plan == NULL)
        fill_moments(job, clip, &span, &moments);
    fill_query(job, &nodes, &moments, &query);
    if (job->plan != NULL)
        service_sheet_fill(job, &cells, &query);
    job->stage = JOB_DRAWS;
    job->render_clip = clip;
    job->render_begin_s = span.from_s;
    job->render.done = on_done;
    const int rc = render_pool_submit(job->service->renders, &query, &job->render, &err);
    service_sheet_free(&cells);
    if (rc < 0)
        job_fail(job, &err);
}

#include "wire/bodies/reply_make.h"

#include "wire/bodies/bodies.h"
#include "wire/bodies/body_crowd.h"
#include "wire/data/keys.h"
#include "wire/data/texture.h"
#include "wire/export/export.h"
#include "wire/hits/raycast.h"
#include "wire/reply/clip_sources.h"

bool context_start(struct reply_context *context, struct workspace *workspace, const struct model *model,
                   struct clip_sources *clips, const struct request *request, const struct limits *limits,
                   struct reply *reply)
{
    const bool has_view = request->layer_count == 0 && request->clip_source > 0,
               is_posed = request->op != OP_MODEL && request->op != OP_EXPORT && request->op != OP_TEXTURE &&
                          request->op != OP_HITBOXES;
    *context = (struct reply_context){
        .workspace = workspace,
        .model = has_view ? clips->sources[request->clip_source - 1] : model, /* until a view has its clips */
        .own_model = model,
        .clips = clips,
        .request = request,
        .reply = reply,
        .out = &reply->body,
        .limits = limits,
        .limit_bytes = limits->value[LIMIT_ANSWER_BYTES],
        .clip = POSE_REST,
    };
    struct err err;
    context->has_all_clips = request_has_all_clips(request);
    if (is_posed && !context->has_all_clips && select_clip(context->model, request, &context->clip, reply) < 0)
        return false;
    context->duration_s = clip_duration_s(context->model, context->clip);
    if (span_resolve(request, context->duration_s, &context->span, &err) < 0)
        return context_fail(context, &err);
    if ((is_posed && !context_is_affordable(context, pose_steps(model, request))) ||
        layers_resolve(&workspace->layers, model, clips->sources, request, reply) < 0 ||
        (clips->count > 0 && !clip_sources_play(context)) || (request->has_root_motion && !motion_start(context)))
        return false;
    reply_describe(request, context->limit_bytes, reply);
    return true;
}

const struct frame_writer *frame_writer_of(const struct request *request)
{
    switch (request->op) {
    case OP_PALETTE:
        return &PALETTE_WRITER;
    case OP_POSE:
        return &POSE_WRITER;
    case OP_MESH:
        return request->format == FORMAT_GLB ? NULL : &MESH_WRITER;
    default:
        return NULL;
    }
}

static void put_body(struct reply_context *context)
{
    const struct frame_writer *writer = frame_writer_of(context->request);
    if (writer != NULL) {
        if (frame_reply_start(context, writer))
            frame_reply_make(context);
    } else if (context->request->op == OP_MODEL) {
        body_put_model(context);
    } else if (context->request->op == OP_TEXTURE) {
        body_put_texture(context);
    } else if (context->request->op == OP_HITBOXES) {
        body_put_hitboxes(context);
    } else if (context->request->op == OP_BOUNDS) {
        body_put_bounds(context);
    } else if (context->request->op == OP_KEYS) {
        uint32_t count;
        const uint32_t *nodes = select_nodes(context, &count);
        if (nodes != NULL)
            body_put_keys(context, nodes, count);
    } else if (context->request->op == OP_EXPORT) {
        body_put_export(context);
    } else {
        body_put_glb(context);
    }
}

void reply_make(struct workspace *workspace, const struct model *model, const struct model *const *sources,
                const struct request *request, const struct limits *limits, struct reply *reply)
{
    struct reply_context context;
    struct clip_sources clips;
    workspace->cost = (struct reply_cost){.frames = request->time_count};
    if (request->op == OP_OPEN) {
        body_put_opened(model, reply);
        return;
    }
    if (request->op == OP_FIND) {
        body_put_found(model, request, reply);
        return;
    }
    if (request->op == OP_COMPARE) {
        body_put_compare(workspace, model, sources[0], request, limits, reply);
        return;
    }
    if (request->op == OP_RAYCAST) {
        body_put_raycast(workspace, model, sources, request, limits, reply);
        return;
    }
    if (request->op == OP_CROWD) {
        body_put_crowd(workspace, model, sources, request, limits, reply);
        return;
    }
    clip_sources_init(&clips, sources, request);
    if (context_start(&context, workspace, model, &clips, request, limits, reply)) {
        put_body(&context);
        if (context_end_body(&context) && clips.count > 0)
            clip_sources_put_unmatched(&context);
        workspace_trim(workspace);
    }
    clip_sources_fini(&clips);
}

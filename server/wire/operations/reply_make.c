#include "wire/operations/reply_make.h"

#include "wire/operations/answers.h"
#include "wire/reply/clip_sources.h"

/* Sets what every body needs. */
static void context_init(struct reply_context *context, struct workspace *workspace, const struct model *model,
                         struct clip_sources *clips, const struct request *request, const struct limits *limits,
                         struct reply *reply)
{
    const bool has_view = request->pose.layer_count == 0 && request->pose.clip_source > 0;
    *context = (struct reply_context){
        .workspace = workspace,
        .model = has_view ? clips->sources[request->pose.clip_source - 1] : model, /* until a retargeted clip has it */
        .own_model = model,
        .clips = clips,
        .request = request,
        .reply = reply,
        .out = &reply->body,
        .limits = limits,
        .limit_bytes = limits->value[LIMIT_ANSWER_BYTES],
        .clip = POSE_REST,
    };
}

bool context_start(struct reply_context *context, struct workspace *workspace, const struct model *model,
                   struct clip_sources *clips, const struct request *request, const struct limits *limits,
                   struct reply *reply)
{
    const bool is_posed = op_has(request->op, OP_POSED);
    context_init(context, workspace, model, clips, request, limits, reply);
    struct err err;
    context->has_all_clips = request_has_all_clips(request);
    if (is_posed && !context->has_all_clips && select_clip(context->model, &request->pose, &context->clip, reply) < 0)
        return false;
    context->duration_s = clip_duration_s(context->model, context->clip);
    if (span_resolve(&request->pose, context->duration_s, &context->span, &err) < 0)
        return context_fail(context, &err);
    if ((is_posed && !context_is_affordable(context, pose_steps(model, &request->pose))) ||
        layers_resolve(&workspace->layers, model, clips->sources, &request->pose, request->on_top, limits, reply) < 0 ||
        (clips->count > 0 && !clip_sources_play(context)) || (request->motion.is_extracted && !motion_start(context)))
        return false;
    reply_describe(request, context->limit_bytes, reply);
    return true;
}

void reply_make(struct workspace *workspace, const struct model *model, const struct model *const *sources,
                const struct request *request, const struct limits *limits, struct reply *reply)
{
    const struct operation *operation = &OPERATIONS[request->op];
    struct reply_context context;
    struct clip_sources clips;
    workspace->cost = (struct reply_cost){.frames = request->pose.time_count};
    if (!op_has(request->op, OP_SELECTS)) {
        clips = (struct clip_sources){.sources = sources};
        context_init(&context, workspace, model, &clips, request, limits, reply);
        operation->body(&context);
        workspace_trim(workspace);
        return;
    }
    clip_sources_init(&clips, sources, request);
    if (context_start(&context, workspace, model, &clips, request, limits, reply)) {
        operation->body(&context);
        if (context_end_body(&context) && clips.count > 0)
            clip_sources_put_unmatched(&context);
        workspace_trim(workspace);
    }
    clip_sources_fini(&clips);
}

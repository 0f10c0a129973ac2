#include "wire/reply/clip_sources.h"
#include "wire/reply/frame_reply.h"
#include "wire/bodies/body_glb.h"
#include "wire/reply/select.h"
#include "wire/packet/packet_reply.h"

#include <string.h>

void workspace_init(struct workspace *answer)
{
    /* any limit: running out of memory then fails the request instead of the process */
    const size_t limit_bytes = SIZE_MAX / 4;
    answer->is_stopped = NULL;
    pose_init(&answer->pose);
    clip_palette_init(&answer->clip_palette, kernel_best());
    blend_init(&answer->blend);
    buf_init(&answer->selection, limit_bytes);
    buf_init(&answer->blocks, limit_bytes);
    buf_init(&answer->palette, limit_bytes);
    buf_init(&answer->vertices, limit_bytes);
    buf_init(&answer->laid, limit_bytes);
    buf_init(&answer->signs, limit_bytes);
    buf_init(&answer->moved, limit_bytes);
    buf_init(&answer->places, limit_bytes);
    glb_init(&answer->glb, limit_bytes);
}

void workspace_fini(struct workspace *answer)
{
    pose_fini(&answer->pose);
    clip_palette_fini(&answer->clip_palette);
    blend_fini(&answer->blend);
    buf_fini(&answer->selection);
    buf_fini(&answer->blocks);
    buf_fini(&answer->palette);
    buf_fini(&answer->vertices);
    buf_fini(&answer->laid);
    buf_fini(&answer->signs);
    buf_fini(&answer->moved);
    buf_fini(&answer->places);
    glb_fini(&answer->glb);
}

enum { BUF_COUNT = 11 };

static void list_bufs(struct workspace *answer, struct buf *bufs[BUF_COUNT])
{
    struct buf *const all[BUF_COUNT] = {&answer->selection, &answer->blocks,       &answer->palette,
                                        &answer->vertices,  &answer->laid,         &answer->signs,
                                        &answer->moved,     &answer->places,       &answer->glb.bin,
                                        &answer->glb.views, &answer->glb.accessors};
    memcpy(bufs, all, sizeof all);
}

size_t workspace_held_bytes(const struct workspace *answer)
{
    const size_t node_bytes = sizeof *answer->pose.local + sizeof *answer->pose.scene_from_node;
    struct buf *bufs[BUF_COUNT];
    size_t held_bytes = answer->pose.node_capacity * node_bytes +
                        answer->pose.weight_capacity * sizeof *answer->pose.weights +
                        (size_t)answer->blend.node_capacity * (answer->layers.count + 1) * node_bytes;
    list_bufs((struct workspace *)(uintptr_t)answer, bufs);
    for (size_t i = 0; i < BUF_COUNT; i++)
        held_bytes += bufs[i]->capacity_bytes;
    return held_bytes;
}

/* One huge model should not hold memory for ever. */
static void trim(struct workspace *answer)
{
    enum { KEPT_BYTES = 1 << 20 };
    struct buf *bufs[BUF_COUNT];
    list_bufs(answer, bufs);
    for (size_t i = 0; i < BUF_COUNT; i++)
        if (bufs[i]->capacity_bytes > KEPT_BYTES)
            buf_fini(bufs[i]);
    if ((uint64_t)answer->blend.node_capacity * BLEND_LAYERS_MAX * sizeof(struct trs) > KEPT_BYTES)
        blend_fini(&answer->blend);
}

static int no_clips(const struct request *request, struct reply *reply)
{
    struct err err;
    err_set(&err, ERR_CLIP_NOT_FOUND, "the clip file '%s' has no clips", request->clip_file);
    reply_error(reply, &err, NULL, 0);
    return err.code;
}

int select_clip(const struct model *model, const struct request *request, int32_t *clip, struct reply *reply)
{
    struct request named = *request; /* whose messages name the file that was searched */
    uint32_t index = 0;
    int rc = 0;
    if (request->layer_count > 0) {
        *clip = POSE_REST;
        return 0;
    }
    switch (request->clip.kind) {
    case SELECT_REST:
        *clip = POSE_REST;
        return 0;
    case SELECT_NONE:
        *clip = model->clip_count > 0 ? 0 : POSE_REST;
        return request->clip_file != NULL && model->clip_count == 0 ? no_clips(request, reply) : 0;
    default:
        break;
    }
    if (request->clip_file != NULL)
        named.model = request->clip_file;
    rc = select_thing(model, &named, THING_CLIP, &request->clip, &index, reply);
    *clip = rc < 0 ? POSE_REST : (int32_t)index;
    return rc;
}

bool op_has_binary(enum op op) { return op == OP_PALETTE || op == OP_POSE || op == OP_MESH; }

enum format reply_format(const struct request *request)
{
    return op_has_binary(request->op) ? request->format : FORMAT_JSON;
}

const char *reply_content_type(const struct request *request)
{
    static const char *const TYPES[] = {
        [FORMAT_JSON] = "application/json", [FORMAT_BIN] = FRAMES_CONTENT_TYPE, [FORMAT_GLB] = GLB_CONTENT_TYPE};
    return TYPES[reply_format(request)];
}

void reply_describe(const struct request *request, uint64_t limit_bytes, struct reply *reply)
{
    buf_clear(&reply->body);
    reply->body.limit_bytes = limit_bytes + (reply_format(request) == FORMAT_JSON ? JSON_SLACK_BYTES : 0);
    reply->status = 200;
    reply->code = 0;
    reply->content_type = reply_content_type(request);
    reply->is_vary_accept = op_has_binary(request->op);
    reply->file_of = reply_format(request) == FORMAT_GLB ? request->model : NULL;
    reply->file_word = "posed";
    reply->file_ending = "glb";
}

bool context_start(struct reply_context *context, struct workspace *answer, const struct model *model,
                   struct clip_sources *clips, const struct request *request, const struct limits *limits,
                   struct reply *reply)
{
    *context = (struct reply_context){
        .answer = answer,
        .model =
            request->layer_count == 0 && request->clip_source > 0 ? clips->models[request->clip_source - 1] : model,
        .clips = clips,
        .request = request,
        .reply = reply,
        .out = &reply->body,
        .limits = limits,
        .limit_bytes = limits->value[LIMIT_ANSWER_BYTES],
        .evaluations_max = limits->value[LIMIT_EVALUATIONS],
        .clip = POSE_REST,
    };
    struct err err;
    if (request->op != OP_MODEL && select_clip(context->model, request, &context->clip, reply) < 0)
        return false;
    if (context->clip != POSE_REST)
        context->duration_s = context->model->clips[context->clip].duration_s;
    if (span_resolve(request, context->duration_s, &context->span, &err) < 0) {
        context_fail(context, &err);
        return false;
    }
    if ((request->op != OP_MODEL && !context_is_affordable(context, pose_steps(model, request))) ||
        layers_resolve(&answer->layers, model, clips->models, request, reply) < 0 || !clip_sources_play(context) ||
        !motion_start(context))
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
    const struct frame_writer *form = frame_writer_of(context->request);
    if (form != NULL) {
        if (frame_reply_start(context, form))
            frame_reply_make(context);
    } else if (context->request->op == OP_MODEL) {
        body_put_model(context);
    } else if (context->request->op == OP_BOUNDS) {
        body_put_bounds(context);
    } else if (deform_start(context, &context->work.mesh)) {
        body_put_glb(context, &context->work.mesh);
    }
}

static void make(struct workspace *answer, const struct model *model, struct clip_sources *clips,
                 const struct request *request, const struct limits *limits, struct reply *reply)
{
    struct reply_context context;
    answer->cost = (struct reply_cost){.frames = request->time_count};
    if (request->op == OP_OPEN || request->op == OP_FIND) {
        (request->op == OP_OPEN ? packet_put_opened(model, reply) : packet_put_found(model, request, reply));
        return;
    }
    if (!context_start(&context, answer, model, clips, request, limits, reply))
        return;
    put_body(&context);
    if (context_end_body(&context))
        clip_sources_put_unmatched(&context);
    trim(answer);
}

void reply_make_with(struct workspace *answer, const struct model *model, const struct model *const *sources,
                     const struct request *request, const struct limits *limits, struct reply *reply)
{
    struct clip_sources clips;
    clip_sources_init(&clips, model, sources, request->source_count);
    make(answer, model, &clips, request, limits, reply);
    clip_sources_fini(&clips);
}

void reply_make(struct workspace *answer, const struct model *model, const struct request *request,
                const struct limits *limits, struct reply *reply)
{
    reply_make_with(answer, model, NULL, request, limits, reply);
}

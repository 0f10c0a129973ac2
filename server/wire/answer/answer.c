#include "wire/answer/answer_clips.h"
#include "wire/answer/answer_frames.h"
#include "wire/bodies/answer_glb.h"
#include "wire/answer/answer_select.h"
#include "wire/packet/packet_answer.h"

#include <string.h>

void answer_init(struct answer *answer)
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

void answer_fini(struct answer *answer)
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

static void list_bufs(struct answer *answer, struct buf *bufs[BUF_COUNT])
{
    struct buf *const all[BUF_COUNT] = {&answer->selection, &answer->blocks,       &answer->palette,
                                        &answer->vertices,  &answer->laid,         &answer->signs,
                                        &answer->moved,     &answer->places,       &answer->glb.bin,
                                        &answer->glb.views, &answer->glb.accessors};
    memcpy(bufs, all, sizeof all);
}

size_t answer_held_bytes(const struct answer *answer)
{
    const size_t node_bytes = sizeof *answer->pose.local + sizeof *answer->pose.scene_from_node;
    struct buf *bufs[BUF_COUNT];
    size_t held_bytes = answer->pose.node_capacity * node_bytes +
                        answer->pose.weight_capacity * sizeof *answer->pose.weights +
                        (size_t)answer->blend.node_capacity * (answer->layers.count + 1) * node_bytes;
    list_bufs((struct answer *)(uintptr_t)answer, bufs);
    for (size_t i = 0; i < BUF_COUNT; i++)
        held_bytes += bufs[i]->capacity_bytes;
    return held_bytes;
}

/* One huge model should not hold memory for ever. */
static void trim(struct answer *answer)
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

int answer_find_clip(const struct model *model, const struct request *request, int32_t *clip, struct reply *reply)
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
    case SELECT_ABSENT:
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

bool answer_has_binary(enum op op) { return op == OP_PALETTE || op == OP_POSE || op == OP_MESH; }

enum format answer_format(const struct request *request)
{
    return answer_has_binary(request->op) ? request->format : FORMAT_JSON;
}

const char *answer_content_type(const struct request *request)
{
    static const char *const TYPES[] = {
        [FORMAT_JSON] = "application/json", [FORMAT_BIN] = FRAMES_CONTENT_TYPE, [FORMAT_GLB] = GLB_CONTENT_TYPE};
    return TYPES[answer_format(request)];
}

void answer_describe(const struct request *request, uint64_t limit_bytes, struct reply *reply)
{
    buf_clear(&reply->body);
    reply->body.limit_bytes = limit_bytes + (answer_format(request) == FORMAT_JSON ? JSON_SLACK_BYTES : 0);
    reply->status = 200;
    reply->code = 0;
    reply->content_type = answer_content_type(request);
    reply->is_vary_accept = answer_has_binary(request->op);
    reply->file_of = answer_format(request) == FORMAT_GLB ? request->model : NULL;
    reply->file_word = "posed";
    reply->file_ending = "glb";
}

bool answer_start(struct task *task, struct answer *answer, const struct model *model, struct answer_clips *clips,
                  const struct request *request, const struct limits *limits, struct reply *reply)
{
    *task = (struct task){
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
    if (request->op != OP_MODEL && answer_find_clip(task->model, request, &task->clip, reply) < 0)
        return false;
    if (task->clip != POSE_REST)
        task->duration_s = task->model->clips[task->clip].duration_s;
    if (answer_find_span(request, task->duration_s, &task->span, &err) < 0) {
        parts_fail(task, &err);
        return false;
    }
    if ((request->op != OP_MODEL && !parts_is_affordable(task, parts_pose_steps(model, request))) ||
        answer_find_layers(&answer->layers, model, clips->models, request, reply) < 0 || !answer_play_clips(task) ||
        !motion_start(task))
        return false;
    answer_describe(request, task->limit_bytes, reply);
    return true;
}

const struct answer_form *answer_form_of(const struct request *request)
{
    switch (request->op) {
    case OP_PALETTE:
        return &ANSWER_PALETTE;
    case OP_POSE:
        return &ANSWER_POSE;
    case OP_MESH:
        return request->format == FORMAT_GLB ? NULL : &ANSWER_MESH;
    default:
        return NULL;
    }
}

static void put_body(struct task *task)
{
    const struct answer_form *form = answer_form_of(task->request);
    if (form != NULL) {
        if (answer_frames_start(task, form))
            answer_frames(task);
    } else if (task->request->op == OP_MODEL) {
        answer_model(task);
    } else if (task->request->op == OP_BOUNDS) {
        answer_bounds(task);
    } else if (deform_start(task, &task->work.mesh)) {
        answer_glb(task, &task->work.mesh);
    }
}

static void make(struct answer *answer, const struct model *model, struct answer_clips *clips,
                 const struct request *request, const struct limits *limits, struct reply *reply)
{
    struct task task;
    answer->cost = (struct answer_cost){.frames = request->time_count};
    if (request->op == OP_OPEN || request->op == OP_FIND) {
        (request->op == OP_OPEN ? packet_answer_open(model, reply) : packet_answer_find(model, request, reply));
        return;
    }
    if (!answer_start(&task, answer, model, clips, request, limits, reply))
        return;
    put_body(&task);
    if (parts_end_body(&task))
        answer_put_unmatched(&task);
    trim(answer);
}

void answer_make_with(struct answer *answer, const struct model *model, const struct model *const *sources,
                      const struct request *request, const struct limits *limits, struct reply *reply)
{
    struct answer_clips clips;
    answer_clips_init(&clips, model, sources, request->source_count);
    make(answer, model, &clips, request, limits, reply);
    answer_clips_fini(&clips);
}

void answer_make(struct answer *answer, const struct model *model, const struct request *request,
                 const struct limits *limits, struct reply *reply)
{
    answer_make_with(answer, model, NULL, request, limits, reply);
}

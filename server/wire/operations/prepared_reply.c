#include "wire/operations/prepared_reply.h"

#include "base/mem.h"
#include "wire/operations/answers.h"
#include "wire/operations/reply_make.h"
#include "wire/reply/clip_sources.h"
#include "wire/reply/frame_reply.h"

#include <stdlib.h>

/* A body whose floats are still missing. */
struct row_part {
    size_t at; /* offset in the buffer */
    double clip_time_s;
};

struct prepared_reply {
    struct reply_context context; /* started; each answer sets its own model, reply and workspace */
    struct buf selection, blocks; /* its results, which other replies must not overwrite */
    struct buf head;              /* the part before the first frame, from the first reply */
    struct reply kind;            /* what reply_describe() says of each */
    struct row_part row[PREPARED_ROW_MAX];
    uint32_t row_count;
};

/* Excluded are dual quaternions, whose signs depend on the previous frame, and layers, other files and root motion,
 * which have state of their own. */
bool prepared_reply_is_possible(const struct request *request, bool is_timed)
{
    enum { TIMES_MAX = 256 }; /* these stay in memory with the request */
    return op_has(request->op, OP_PREPARED) && !request->is_estimate &&
           request->pose.time_count <= (is_timed ? 1 : TIMES_MAX) && request->pose.layer_count == 0 &&
           request->source_count == 0 && request->on_top == NULL && !request->motion.is_extracted &&
           request->layout != LAYOUT_DUALQUAT;
}

static struct buf take(struct buf *buf)
{
    const struct buf taken = *buf;
    buf_init(buf, taken.limit_bytes);
    return taken;
}

struct prepared_reply *prepared_reply_new(struct workspace *workspace, const struct model *model,
                                          const struct request *request, bool is_timed, const struct limits *limits)
{
    struct clip_sources clips;
    struct reply reply;
    struct reply_context context;
    struct prepared_reply *prepared = NULL;
    if (!prepared_reply_is_possible(request, is_timed))
        return NULL;
    reply_init(&reply);
    clip_sources_init(&clips, NULL, request); /* it has no sources */
    if (context_start(&context, workspace, model, &clips, request, limits, &reply) &&
        frame_reply_start(&context, frame_writer_of(request))) {
        prepared = mem_zalloc(1, sizeof *prepared);
        prepared->context = context;
        prepared->context.clips = NULL;
        reply_init(&prepared->kind);
        reply_describe(request, context.limit_bytes, &prepared->kind);
        prepared->selection = take(&workspace->selection);
        prepared->blocks = take(&workspace->blocks);
    }
    clip_sources_fini(&clips);
    reply_fini(&reply);
    return prepared;
}

void prepared_reply_free(struct prepared_reply *prepared)
{
    if (prepared == NULL)
        return;
    buf_fini(&prepared->selection);
    buf_fini(&prepared->blocks);
    buf_fini(&prepared->head);
    free(prepared);
}

uint64_t prepared_reply_bytes(const struct prepared_reply *prepared) { return frame_reply_bytes(&prepared->context); }

/* Only the two times in the binary head of a one-frame reply change. */
static void put_head(struct prepared_reply *prepared)
{
    const struct frames *frames = &prepared->context.frames;
    struct buf *out = prepared->context.out;
    if (prepared->head.size_bytes == 0) {
        frame_reply_put_head(&prepared->context);
        buf_put(&prepared->head, out->data, buf_failed(out) ? 0 : out->size_bytes);
        return;
    }
    buf_put(out, prepared->head.data, prepared->head.size_bytes);
    if (prepared->context.request->format == FORMAT_BIN && frames->frame_count == 1)
        frames_put_time_again(out, frames);
}

bool prepared_reply_is_steady(const struct prepared_reply *prepared)
{
    const struct reply_context *context = &prepared->context;
    return prepared->head.size_bytes > 0 && context->is_certain && context->request->format == FORMAT_BIN &&
           context->frames.frame_count == 1;
}

/* Appends one palette without its floats. */
static void put_capacity(struct prepared_reply *prepared)
{
    struct reply_context *context = &prepared->context;
    const struct frames_block *block = &context->frames.blocks[0];
    struct buf *out = context->out;
    frames_start_block(out, &context->frames, block, 0);
    prepared->row[prepared->row_count++] = (struct row_part){
        .at = out->size_bytes, .clip_time_s = clip_time_in_span(&context->span, context->request->pose.times_s[0])};
    if (buf_reserve(out, (size_t)block->count * block->item_bytes) != NULL)
        buf_advance(out, (size_t)block->count * block->item_bytes);
    buf_align(out, FRAMES_ALIGNMENT);
    frame_reply_put_end(context);
}

void prepared_reply_append(struct prepared_reply *prepared, struct workspace *workspace, const struct model *model,
                           struct buf *out)
{
    struct reply_context *context = &prepared->context;
    context->workspace = workspace;
    context->model = model;
    context->frames.content_hash = model->infos[0].content_hash;
    context->frames.left_bytes = 0 - (uint64_t)out->size_bytes; /* the reply begins after the existing content */
    context->out = out;
    put_head(prepared);
    if (context->frames.block_count == 1 && prepared->row_count < PREPARED_ROW_MAX)
        put_capacity(prepared);
    else
        frame_reply_put_frames(context);
    context->frames.left_bytes = 0;
    context->out = NULL;
}

/* Never called: such a reply cannot fail. */
static void on_failed(struct crowd_listener *listener, uint32_t member, const struct err *err)
{
    (void)listener, (void)member, (void)err;
}

void prepared_reply_finish(struct prepared_reply *prepared, struct workspace *workspace, struct buf *out)
{
    struct crowd_listener listener = {on_failed};
    struct crowd_member members[PREPARED_ROW_MAX];
    struct blend_layer layers[PREPARED_ROW_MAX];
    const struct reply_context *context = &prepared->context;
    const uint32_t count = buf_failed(out) ? 0 : prepared->row_count;
    const struct crowd_wanted wanted = {.what = CROWD_PALETTE, .skin = (int32_t)context->frames.blocks[0].index};
    for (uint32_t i = 0; i < count; i++) {
        layers[i] =
            (struct blend_layer){.clip = context->clip, .clip_time_s = prepared->row[i].clip_time_s, .weight = 1};
        members[i] = (struct crowd_member){
            .entity = {.model = context->model, .layers = &layers[i], .layer_count = 1},
            .wanted = &wanted,
            .layout = context->request->layout,
            .out = (float *)(void *)(out->data + prepared->row[i].at),
        };
    }
    crowd_run(&workspace->crowd, &workspace->entity, members, count, NULL, &listener);
    prepared->row_count = 0;
}

/* Does reply_describe(). */
static void describe(const struct reply *kind, struct reply *reply)
{
    buf_clear(&reply->body);
    reply->body.limit_bytes = kind->body.limit_bytes;
    reply->status = kind->status;
    reply->code = kind->code;
    reply->content_type = kind->content_type;
    reply->is_vary_accept = kind->is_vary_accept;
    reply->file_of = kind->file_of;
    reply->file_word = kind->file_word;
    reply->file_extension = kind->file_extension;
}

bool prepared_reply_make(struct prepared_reply *prepared, struct workspace *workspace, const struct model *model,
                         struct reply *reply)
{
    struct reply_context *context = &prepared->context;
    context->workspace = workspace;
    context->model = model;
    context->frames.content_hash = model->infos[0].content_hash;
    context->reply = reply;
    context->out = &reply->body;
    describe(&prepared->kind, reply);
    if (frame_reply_reserve(context)) {
        put_head(prepared);
        frame_reply_put_frames(context);
    }
    return context_end_body(context);
}

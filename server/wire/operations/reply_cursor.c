#include "wire/operations/reply_cursor.h"

#include "base/mem.h"
#include "wire/operations/answers.h"
#include "wire/operations/reply_make.h"
#include "wire/reply/clip_sources.h"
#include "wire/reply/frame_reply.h"

#include <stdlib.h>

struct reply_cursor {
    struct workspace workspace;
    struct clip_sources clips;
    struct reply_context context; /* of a reply in pieces */
    struct reply failure;
    bool has_clips;
    uint32_t frame; /* the next one */
};

struct reply_cursor *reply_cursor_new(const struct kernel *kernel, struct retargeted_clip_store *retargeted_clips,
                                      const _Atomic bool *is_stopped)
{
    struct reply_cursor *cursor = mem_zalloc(1, sizeof *cursor);
    workspace_init(&cursor->workspace);
    cursor->workspace.entity.compiled.kernel = kernel;
    cursor->workspace.is_stopped = is_stopped;
    cursor->workspace.retargeted_clips.store = retargeted_clips;
    reply_init(&cursor->failure);
    return cursor;
}

void reply_cursor_use_pictures(struct reply_cursor *cursor, const struct own_pictures *pictures)
{
    cursor->workspace.pictures = pictures;
}

void reply_cursor_free(struct reply_cursor *cursor)
{
    if (cursor == NULL)
        return;
    if (cursor->has_clips)
        clip_sources_fini(&cursor->clips);
    workspace_fini(&cursor->workspace);
    reply_fini(&cursor->failure);
    free(cursor);
}

const struct reply_cost *reply_cursor_cost(const struct reply_cursor *cursor) { return &cursor->workspace.cost; }

const struct entity_work *reply_cursor_entities(const struct reply_cursor *cursor) { return &cursor->workspace.entity; }

size_t reply_cursor_held_bytes(const struct reply_cursor *cursor)
{
    return sizeof *cursor + workspace_held_bytes(&cursor->workspace);
}

/* Makes the first piece in reply->body and checks all frames. False: the reply is an error. */
static bool begin(struct reply_cursor *cursor, struct reply *reply)
{
    struct reply_context *context = &cursor->context;
    struct buf scratch;
    frame_reply_put_head(context);
    const uint64_t head_bytes = reply->body.size_bytes;
    if (!context_end_body(context))
        return false;
    buf_init(&scratch, context->limit_bytes + JSON_SLACK_BYTES);
    context->out = &scratch;
    const bool is_good = frame_reply_check(context, head_bytes);
    if (!is_good && reply->code == 0)
        context_fail_too_large(context);
    buf_fini(&scratch);
    context->out = NULL;
    context->frames.left_bytes = head_bytes;
    return is_good;
}

bool reply_cursor_start(struct reply_cursor *cursor, const struct model *model, const struct model *const *sources,
                        const struct request *request, const struct limits *limits, enum reply_pieces pieces,
                        struct reply *reply)
{
    struct reply_context *context = &cursor->context;
    const struct frame_writer *form = frame_writer_of(request);
    if (pieces == REPLY_WHOLE || (pieces == REPLY_SIZED && request->format == FORMAT_JSON) || form == NULL ||
        request->pose.time_count < 2) {
        reply_make(&cursor->workspace, model, sources, request, limits, reply);
        return false;
    }
    clip_sources_init(&cursor->clips, sources, request);
    cursor->has_clips = true;
    cursor->workspace.cost = (struct reply_cost){.frames = request->pose.time_count};
    if (!context_start(context, &cursor->workspace, model, &cursor->clips, request, limits, reply) ||
        !frame_reply_start(context, form))
        return false;
    if (frame_reply_bytes(context) <= REPLY_WHOLE_BYTES) {
        frame_reply_make(context);
        if (context_end_body(context))
            clip_sources_put_unmatched(context);
        return false;
    }
    if (!begin(cursor, reply))
        return false;
    clip_sources_put_unmatched(context);
    reply->rest_bytes =
        request->format == FORMAT_JSON ? REPLY_REST_UNKNOWN : context->frames.size_bytes - reply->body.size_bytes;
    context->reply = &cursor->failure;
    return true;
}

int reply_cursor_next(struct reply_cursor *cursor, struct buf *out, struct err *err)
{
    struct reply_context *context = &cursor->context;
    const uint32_t count = context->request->pose.time_count;
    context->out = out;
    const uint64_t frame_steps = pose_steps(context->model, &context->request->pose);
    uint64_t steps = 0;
    bool is_good = true;
    while (is_good && cursor->frame < count && out->size_bytes < REPLY_PIECE_BYTES && steps < REPLY_PIECE_STEPS &&
           !buf_failed(out)) {
        is_good = frame_reply_put(context, cursor->frame++);
        steps += frame_steps;
    }
    if (is_good && cursor->frame == count)
        frame_reply_put_end(context);
    context->frames.left_bytes += out->size_bytes;
    if (!is_good)
        return err_set(err, ERR_INTERNAL, "%.*s", (int)context->reply->message.size_bytes,
                       context->reply->message.data);
    if (buf_failed(out))
        return err_set(err, ERR_NO_MEMORY,
                       "the answer was stopped, there is no memory for it, or a number of it is not finite");
    return cursor->frame < count;
}

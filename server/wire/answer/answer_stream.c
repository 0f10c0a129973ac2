#include "wire/answer/answer_stream.h"

#include "base/mem.h"
#include "wire/answer/answer_clips.h"
#include "wire/answer/answer_frames.h"

#include <stdlib.h>

struct answer_stream {
    struct answer answer;
    struct answer_clips clips;
    struct task task; /* of what comes in pieces */
    struct reply failure;
    bool has_clips;
    uint32_t frame; /* the next */
};

struct answer_stream *answer_stream_new(const struct kernel *kernel, const _Atomic bool *is_stopped)
{
    struct answer_stream *stream = mem_zalloc(1, sizeof *stream);
    answer_init(&stream->answer);
    stream->answer.clip_palette.kernel = kernel;
    stream->answer.is_stopped = is_stopped;
    reply_init(&stream->failure);
    return stream;
}

void answer_stream_free(struct answer_stream *stream)
{
    if (stream == NULL)
        return;
    if (stream->has_clips)
        answer_clips_fini(&stream->clips);
    answer_fini(&stream->answer);
    reply_fini(&stream->failure);
    free(stream);
}

const struct answer_cost *answer_stream_cost(const struct answer_stream *stream) { return &stream->answer.cost; }

size_t answer_stream_held_bytes(const struct answer_stream *stream)
{
    return sizeof *stream + answer_held_bytes(&stream->answer);
}

/* The first piece to reply->body, and a look at all frames. False: the reply is an error. */
static bool begin(struct answer_stream *stream, struct reply *reply)
{
    struct task *task = &stream->task;
    struct buf scratch;
    answer_frames_put_head(task);
    const uint64_t head_bytes = reply->body.size_bytes;
    if (!parts_end_body(task))
        return false;
    buf_init(&scratch, task->limit_bytes + JSON_SLACK_BYTES);
    task->out = &scratch;
    const bool is_good = answer_frames_check(task, head_bytes);
    if (!is_good && reply->code == 0)
        parts_fail_too_large(task);
    buf_fini(&scratch);
    task->out = NULL;
    task->frames.left_bytes = head_bytes;
    return is_good;
}

bool answer_stream_start(struct answer_stream *stream, const struct model *model, const struct model *const *sources,
                         const struct request *request, const struct limits *limits, enum reply_pieces pieces,
                         struct reply *reply)
{
    struct task *task = &stream->task;
    const struct answer_form *form = answer_form_of(request);
    if (pieces == REPLY_WHOLE || (pieces == REPLY_SIZED && request->format == FORMAT_JSON) || form == NULL ||
        request->time_count < 2) {
        answer_make_with(&stream->answer, model, sources, request, limits, reply);
        return false;
    }
    answer_clips_init(&stream->clips, model, sources, request->source_count);
    stream->has_clips = true;
    stream->answer.cost = (struct answer_cost){.frames = request->time_count};
    if (!answer_start(task, &stream->answer, model, &stream->clips, request, limits, reply) ||
        !answer_frames_start(task, form))
        return false;
    if (answer_frames_bytes(task) <= ANSWER_WHOLE_BYTES) {
        answer_frames(task);
        if (parts_end_body(task))
            answer_put_unmatched(task);
        return false;
    }
    if (!begin(stream, reply))
        return false;
    answer_put_unmatched(task);
    reply->rest_bytes =
        request->format == FORMAT_JSON ? REPLY_REST_UNKNOWN : task->frames.size_bytes - reply->body.size_bytes;
    task->reply = &stream->failure;
    return true;
}

int answer_stream_next(struct answer_stream *stream, struct buf *out, struct err *err)
{
    struct task *task = &stream->task;
    const uint32_t count = task->request->time_count;
    task->out = out;
    bool is_good = true;
    while (is_good && stream->frame < count && out->size_bytes < ANSWER_PIECE_BYTES && !buf_failed(out))
        is_good = answer_frames_put(task, stream->frame++);
    if (is_good && stream->frame == count)
        answer_frames_put_end(task);
    task->frames.left_bytes += out->size_bytes;
    if (!is_good)
        return err_set(err, ERR_INTERNAL, "%.*s", (int)task->reply->message.size_bytes, task->reply->message.data);
    if (buf_failed(out))
        return err_set(err, ERR_NO_MEMORY,
                       "the answer was stopped, there is no memory for it, or a number of it is not finite");
    return stream->frame < count;
}

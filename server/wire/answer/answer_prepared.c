#include "wire/answer/answer_prepared.h"

#include "base/mem.h"
#include "wire/answer/answer_clips.h"
#include "wire/answer/answer_frames.h"

#include <stdlib.h>

struct answer_prepared {
    struct task task;             /* started: its model, reply and working memory are those of each answer */
    struct buf selection, blocks; /* what it found, which others may not write over */
    struct buf head;              /* binary: what stands before the first frame, of the first answer */
};

/* Signs of dual quaternions go from frame to frame, and layers, other files and root motion have state of their own. */
bool answer_is_preparable(const struct request *request)
{
    return request->op == OP_PALETTE && request->time_count == 1 && request->layer_count == 0 &&
           request->source_count == 0 && !request->has_root_motion && request->layout != LAYOUT_DUALQUAT;
}

static struct buf take(struct buf *buf)
{
    const struct buf taken = *buf;
    buf_init(buf, taken.limit_bytes);
    return taken;
}

struct answer_prepared *answer_prepare(struct answer *answer, const struct model *model, const struct request *request,
                                       const struct limits *limits)
{
    struct answer_clips clips;
    struct reply reply;
    struct task task;
    struct answer_prepared *prepared = NULL;
    if (!answer_is_preparable(request))
        return NULL;
    reply_init(&reply);
    answer_clips_init(&clips, model, NULL, 0);
    if (answer_start(&task, answer, model, &clips, request, limits, &reply) &&
        answer_frames_start(&task, answer_form_of(request))) {
        prepared = mem_zalloc(1, sizeof *prepared);
        prepared->task = task;
        prepared->task.clips = NULL;
        prepared->selection = take(&answer->selection);
        prepared->blocks = take(&answer->blocks);
    }
    answer_clips_fini(&clips);
    reply_fini(&reply);
    return prepared;
}

void answer_prepared_free(struct answer_prepared *prepared)
{
    if (prepared == NULL)
        return;
    buf_fini(&prepared->selection);
    buf_fini(&prepared->blocks);
    buf_fini(&prepared->head);
    free(prepared);
}

uint64_t answer_prepared_bytes(const struct answer_prepared *prepared) { return answer_frames_bytes(&prepared->task); }

/* Only the two times in it are others than before. */
static void put_head(struct answer_prepared *prepared)
{
    const struct frames *frames = &prepared->task.frames;
    struct buf *out = prepared->task.out;
    const size_t at = out->size_bytes + frames_times_at(frames);
    buf_put(out, prepared->head.data, prepared->head.size_bytes);
    if (!buf_failed(out))
        frames_write_times(out->data + at, frames, 0);
}

static void put_body(struct answer_prepared *prepared)
{
    struct task *task = &prepared->task;
    const bool is_binary = task->request->format == FORMAT_BIN;
    if (prepared->head.size_bytes > 0 && buf_reserve(task->out, task->frames.size_bytes) != NULL) {
        put_head(prepared);
        answer_frames_put(task, 0);
        return;
    }
    answer_frames(task);
    if (is_binary && task->reply->code == 0 && !buf_failed(task->out))
        buf_put(&prepared->head, task->out->data, task->frames.frames_offset);
}

bool answer_make_prepared(struct answer_prepared *prepared, struct answer *answer, const struct model *model,
                          struct reply *reply)
{
    struct task *task = &prepared->task;
    task->answer = answer;
    task->model = model;
    task->frames.content_hash = model->infos[0].content_hash;
    task->reply = reply;
    task->out = &reply->body;
    answer_describe(task->request, task->limit_bytes, reply);
    put_body(prepared);
    return parts_end_body(task);
}

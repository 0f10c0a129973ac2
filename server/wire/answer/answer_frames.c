#include "wire/answer/answer_frames.h"

/* A frame of JSON besides its numbers: its times, those of all layers, its root motion. */
enum { JSON_FRAME_MOST = 1024, JSON_NUMBER_ABOUT = 11 };

static bool is_json(const struct task *task) { return task->request->format == FORMAT_JSON; }

/* With the form's blocks, whose places it finds. */
static bool plan(struct task *task, uint64_t limit_bytes)
{
    const uint32_t block_count = task->form->plan(task);
    if (block_count == FRAMES_NO_PLAN)
        return false;
    task->frames = (struct frames){
        .kind = task->form->kind,
        .layout = task->request->layout,
        .space = task->form->kind == FRAMES_PALETTE ? task->request->space : SPACE_SCENE,
        .clip = task->clip,
        .duration_s = task->duration_s,
        .content_hash = task->model->infos[0].content_hash,
        .times_s = task->request->times_s,
        .span = task->span,
        .has_span = answer_has_span(task->request),
        .has_motion = task->motion.is_on,
        .frame_count = task->request->time_count,
        .blocks = (struct frames_block *)(void *)task->answer->blocks.data,
        .block_count = block_count,
    };
    if (frames_plan(&task->frames, limit_bytes))
        return true;
    parts_fail_too_large(task);
    return false;
}

bool answer_frames_start(struct task *task, const struct answer_form *form)
{
    task->form = form;
    if (!form->start(task))
        return false;
    if (!is_json(task))
        return plan(task, task->limit_bytes);
    task->json.frame_bytes_least = parts_frame_least(task, task->json.frame_bytes_least);
    return parts_may_fit_json(task, task->json.head_numbers * (JSON_NUMBER_LEAST + 1), task->json.frame_bytes_least);
}

uint64_t answer_frames_bytes(const struct task *task)
{
    const uint64_t numbers = task->json.head_numbers + task->json.frame_numbers * task->request->time_count;
    return is_json(task) ? numbers * JSON_NUMBER_ABOUT : task->frames.size_bytes;
}

static void put_blocks_head(struct task *task)
{
    const struct frames *frames = &task->frames;
    frames_put_header(task->out, frames);
    for (uint32_t b = 0; b < frames->block_count && frames_is_static(frames->blocks[b].kind); b++) {
        frames_start_block(task->out, frames, &frames->blocks[b], 0);
        task->form->put_static(task, &frames->blocks[b]);
    }
    buf_align(task->out, FRAMES_ALIGNMENT);
}

void answer_frames_put_head(struct task *task)
{
    if (!is_json(task)) {
        put_blocks_head(task);
        return;
    }
    parts_put_head(task);
    task->form->put_head(task);
    buf_put_text(task->out, ",\"frames\":[");
}

static bool put_json(struct task *task, uint32_t frame)
{
    const double time_s = task->request->times_s[frame];
    if (frame > 0)
        buf_put_char(task->out, ',');
    parts_put_frame_head(task, frame);
    parts_evaluate(task, frame);
    if (!motion_put(task, time_s) || !task->form->put_frame(task, time_s))
        return false;
    buf_put_char(task->out, '}');
    return true;
}

static bool put_blocks(struct task *task, uint32_t frame)
{
    const struct frames *frames = &task->frames;
    parts_evaluate(task, frame);
    if (!motion_put_block(task, frames, frame))
        return false;
    for (uint32_t b = 0; b < frames->block_count && !buf_failed(task->out); b++) {
        if (frames_is_static(frames->blocks[b].kind))
            continue;
        frames_start_block(task->out, frames, &frames->blocks[b], frame);
        if (!task->form->put_block(task, &frames->blocks[b], frames->times_s[frame]))
            return false;
    }
    buf_align(task->out, FRAMES_ALIGNMENT);
    return true;
}

bool answer_frames_put(struct task *task, uint32_t frame)
{
    return is_json(task) ? put_json(task, frame) : put_blocks(task, frame);
}

void answer_frames_put_end(struct task *task)
{
    if (is_json(task))
        buf_put_text(task->out, "]}\n");
    else
        frames_finish(task->out, &task->frames);
}

void answer_frames(struct task *task)
{
    if (!is_json(task) && buf_reserve(task->out, task->frames.size_bytes) == NULL) {
        parts_fail_memory(task);
        return;
    }
    answer_frames_put_head(task);
    for (uint32_t f = 0; f < task->request->time_count; f++) {
        if (is_json(task))
            parts_end_early(task, f, task->json.frame_bytes_least);
        if (buf_failed(task->out) || !answer_frames_put(task, f))
            return;
    }
    answer_frames_put_end(task);
}

/* --- checking --- */

/* What is finite in binary is so in JSON. */
static bool check_blocks(struct task *task, uint32_t frame)
{
    const struct frames *frames = &task->frames;
    const double time_s = task->request->times_s[frame];
    parts_evaluate(task, frame);
    if (!motion_check(task, time_s))
        return false;
    for (uint32_t b = 0; b < frames->block_count && !buf_failed(task->out); b++) {
        if (frames_is_static(frames->blocks[b].kind))
            continue;
        buf_clear(task->out);
        if (!task->form->put_block(task, &frames->blocks[b], time_s))
            return false;
    }
    return true;
}

/* Counts what JSON takes. */
static bool check_json(struct task *task, uint64_t head_bytes)
{
    static const char END[] = "]}\n";
    uint64_t size_bytes = head_bytes + sizeof END - 1;
    const uint32_t count = task->request->time_count;
    for (uint32_t f = 0; f < count && !buf_failed(task->out); f++) {
        buf_clear(task->out);
        if (!put_json(task, f))
            return false;
        size_bytes += task->out->size_bytes;
        if (size_bytes + (count - 1 - f) * task->json.frame_bytes_least > task->limit_bytes)
            buf_fail(task->out, BUF_FULL);
    }
    return !buf_failed(task->out);
}

bool answer_frames_check(struct task *task, uint64_t head_bytes)
{
    const uint64_t frame_most = task->json.frame_bytes_most + JSON_FRAME_MOST;
    const uint64_t room = task->limit_bytes > head_bytes ? task->limit_bytes - head_bytes : 0;
    const bool may_be_too_large = is_json(task) && frame_most > room / task->request->time_count;
    if (may_be_too_large)
        return parts_may_fit_json(task, head_bytes, task->json.frame_bytes_least) && check_json(task, head_bytes);
    if (is_json(task) && !plan(task, UINT64_MAX))
        return false;
    for (uint32_t f = 0; f < task->request->time_count && !buf_failed(task->out) && !parts_is_compiled(task); f++)
        if (!check_blocks(task, f))
            return false;
    return !buf_failed(task->out);
}

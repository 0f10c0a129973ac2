/* render_task.c - builds the job of a picture, compares jobs, and answers the waiters of one. */
#include "daemon/renderer/render_task.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

static void put_tail(struct render_task *picture, const struct render_spec *query)
{
    const size_t cells = render_cells_bytes(&picture->job), times = render_layer_moments_bytes(&picture->job);
    const size_t renames = picture->job.rename_bytes;
    picture->tail_bytes = cells + times + renames;
    picture->tail = mem_zalloc(1, picture->tail_bytes);
    memcpy(picture->tail, query->cells, cells);
    if (times > 0)
        memcpy(picture->tail + cells, query->layer_moments, times);
    if (renames > 0)
        memcpy(picture->tail + cells + times, query->renames, renames);
}

struct render_task *render_task_new(const struct render_spec *query)
{
    struct render_task *picture = mem_zalloc(1, sizeof *picture); /* zeros between the fields too: jobs are compared */
    struct render_job *job = &picture->job;
    memcpy(job, query->job, sizeof *job);
    job->magic = RENDER_JOB_MAGIC;
    job->model_key = query->imported->key;
    job->model_bytes = query->imported->model.size_bytes;
    job->source_count = query->clip_count;
    put_tail(picture, query);
    const size_t given_bytes = (size_t)render_job_given_size(job);
    if (given_bytes > 0) {
        picture->given = mem_alloc(given_bytes);
        memcpy(picture->given, query->given, given_bytes);
        picture->given_hash = hash64(0, picture->given, given_bytes);
    }
    picture->imported = imported_model_ref(query->imported);
    for (uint32_t i = 0; i < query->clip_count; i++) {
        picture->clips[i] = imported_model_ref(query->clips[i]);
        job->sources[i].key = query->clips[i]->key;
        job->sources[i].size_bytes = query->clips[i]->model.size_bytes;
    }
    if (query->environment != NULL) {
        picture->environment = imported_model_ref(query->environment);
        job->environment_key = query->environment->key;
        job->environment_bytes = query->environment->model.size_bytes;
    }
    return picture;
}

void render_task_add_waiter(struct render_task *picture, struct render_waiter *wait)
{
    wait->picture = picture;
    DL_APPEND(picture->waits, wait);
}

bool render_task_equals(const struct render_task *picture, const struct render_task *other)
{
    return memcmp(&picture->job, &other->job, sizeof picture->job) == 0 && picture->tail_bytes == other->tail_bytes &&
           memcmp(picture->tail, other->tail, picture->tail_bytes) == 0 && picture->given_hash == other->given_hash &&
           (picture->given == NULL ||
            memcmp(picture->given, other->given, (size_t)render_job_given_size(&picture->job)) == 0);
}

void render_task_finish(struct render_task *picture, struct blob *png, const struct render_notes *notes,
                        const struct err *err)
{
    for (struct render_waiter *wait; (wait = picture->waits) != NULL;) {
        DL_DELETE(picture->waits, wait); /* the others can still be cancelled meanwhile */
        wait->picture = NULL;
        wait->started_ns = picture->started_ns;
        wait->done(wait, png, notes, err);
    }
    render_task_free(picture);
}

void render_task_free(struct render_task *picture)
{
    if (picture == NULL)
        return;
    imported_model_unref(picture->imported);
    for (uint32_t i = 0; i < RENDER_SOURCES_MAX; i++)
        imported_model_unref(picture->clips[i]);
    imported_model_unref(picture->environment);
    free(picture->tail);
    free(picture->given);
    free(picture);
}

#include "daemon/renderer/render_picture.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

static void put_tail(struct picture *picture, const struct render_query *query)
{
    const size_t cells = render_cells_bytes(&picture->job), times = render_layer_times_bytes(&picture->job);
    picture->tail_bytes = cells + times;
    picture->tail = mem_zalloc(1, picture->tail_bytes);
    memcpy(picture->tail, query->cells, cells);
    if (times > 0)
        memcpy(picture->tail + cells, query->layer_times_s, times);
}

struct picture *picture_new(const struct render_query *query)
{
    struct picture *picture = mem_zalloc(1, sizeof *picture); /* zeros between the fields too: jobs are compared */
    struct render_job *job = &picture->job;
    job->magic = RENDER_JOB_MAGIC;
    job->look = *query->look;
    job->model_key = query->baked->key;
    job->model_bytes = query->baked->model.size_bytes;
    job->source_count = query->clip_count;
    job->width = query->width;
    job->height = query->height;
    job->cell_count = query->cell_count;
    job->format = query->format;
    job->loops = query->loops;
    job->captions = query->captions;
    job->caption_height = query->caption_height;
    job->root = query->root;
    job->has_turn = query->has_turn;
    job->joint = query->joint;
    if (query->blend != NULL)
        memcpy(&job->blend, query->blend, sizeof job->blend);
    put_tail(picture, query);
    picture->baked = baked_ref(query->baked);
    for (uint32_t i = 0; i < query->clip_count; i++) {
        picture->clips[i] = baked_ref(query->clips[i]);
        job->sources[i].key = query->clips[i]->key;
        job->sources[i].size_bytes = query->clips[i]->model.size_bytes;
    }
    return picture;
}

void picture_add(struct picture *picture, struct render_wait *wait)
{
    wait->picture = picture;
    DL_APPEND(picture->waits, wait);
}

bool picture_is(const struct picture *picture, const struct picture *other)
{
    return memcmp(&picture->job, &other->job, sizeof picture->job) == 0 && picture->tail_bytes == other->tail_bytes &&
           memcmp(picture->tail, other->tail, picture->tail_bytes) == 0;
}

void picture_end(struct picture *picture, struct blob *png, const struct render_notes *notes, const struct err *err)
{
    for (struct render_wait *wait; (wait = picture->waits) != NULL;) {
        DL_DELETE(picture->waits, wait); /* the others can still be cancelled meanwhile */
        wait->picture = NULL;
        wait->done(wait, png, notes, err);
    }
    picture_free(picture);
}

void picture_free(struct picture *picture)
{
    if (picture == NULL)
        return;
    baked_unref(picture->baked);
    for (uint32_t i = 0; i < RENDER_SOURCES_MAX; i++)
        baked_unref(picture->clips[i]);
    free(picture->tail);
    free(picture);
}

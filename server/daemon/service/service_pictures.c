/* service_pictures.c - reads the own files of textures for an answer, before it waits for a work thread: so files that
 * cannot be read for long delay only other answers with textures. A few jobs at a time hold such bytes. */
#include "base/container_of.h"
#include "base/mem.h"
#include "daemon/model/picture_files.h"
#include "daemon/model/source_access.h"
#include "daemon/service/job.h"
#include "wire/picture/picture_plan.h"

#include <stdlib.h>
#include <string.h>

enum { JOBS_MAX = 2 };

struct picture_reading {
    struct own_pictures own;
    struct own_picture *items; /* [texture_count], as in `own` */
    struct buf bytes;          /* of all of them */
    int source_error;          /* of err_is_source(), or 0 */
    char *source_path;
    struct err err;
};

static bool is_wanted(const struct job *job, uint32_t texture)
{
    const struct request *request = &job->call->request;
    const struct model *model = &job->models[0]->model;
    return (request->op != OP_TEXTURE || request->texture == texture) &&
           model->textures[texture].state == TEXTURE_FOUND && picture_plan(model, texture, &request->textures).is_own;
}

static bool needs_pictures(const struct job *job)
{
    if (!request_has_textures(&job->call->request) || job->models[0] == NULL)
        return false;
    for (uint32_t t = 0; t < job->models[0]->model.texture_count; t++)
        if (is_wanted(job, t))
            return true;
    return false;
}

/* --- in a work thread --- */

/* Returns an earlier texture with the same file, or `texture` itself. A hash and a size come from the importer, and two
 * textures may claim one hash with two sizes. */
static uint32_t first_with_file(const struct job *job, uint32_t texture)
{
    const struct texture *textures = job->models[0]->model.textures;
    for (uint32_t t = 0; t < texture; t++)
        if (is_wanted(job, t) && textures[t].file_bytes == textures[texture].file_bytes &&
            memcmp(textures[t].file_hash, textures[texture].file_hash, TEXTURE_HASH_SIZE) == 0)
            return t;
    return texture;
}

static int read_all(struct job *job, const struct file_access *access, struct picture_reading *reading)
{
    const struct model *model = &job->models[0]->model;
    size_t *offsets = mem_zalloc((size_t)model->texture_count + 1, sizeof *offsets);
    int rc = 0;
    for (uint32_t t = 0; t < model->texture_count && rc == 0 && !job->is_stopped; t++) {
        if (!is_wanted(job, t))
            continue;
        const uint32_t first = first_with_file(job, t);
        offsets[t] = first == t ? reading->bytes.size_bytes : offsets[first];
        if (first == t)
            rc = picture_file_read(access, job->service->root_fd, model, t, &reading->bytes, &reading->err);
        reading->items[t].size_bytes = model->textures[t].file_bytes;
    }
    for (uint32_t t = 0; t < model->texture_count && rc == 0; t++) /* the buffer does not move any more */
        if (reading->items[t].size_bytes > 0)
            reading->items[t].bytes = reading->bytes.data + offsets[t];
    free(offsets);
    return rc;
}

static void on_work(struct work *work)
{
    struct job *job = work->data;
    struct picture_reading *reading = job->pictures;
    struct file_access access;
    source_forget_error();
    const char *path = job->call->request.model;
    const int error = file_access_find(&access, job->service->root_fd, &job->service->config->files, path);
    if (error == 0) {
        read_all(job, &access, reading);
        file_access_fini(&access);
    } else {
        err_set(&reading->err, ERR_MODEL_CHANGING, "'%s' is not there any more; try again", path);
    }
    reading->source_error = source_error();
    if (reading->source_error != 0)
        reading->source_path = mem_strdup(source_error_path());
}

/* --- on the loop --- */

static void start_next(struct service *service);

static void on_read(struct work *work, int status)
{
    struct job *job = work->data;
    struct service *service = job->service;
    const struct picture_reading *reading = job->pictures;
    struct err err;
    service->file_count--;
    if (reading->source_error != 0 && !service->is_ending)
        cache_note_source(service->cache, reading->source_path, reading->source_error);
    if (status != 0 || job->is_stopped || service->is_ending) {
        service_refuse_late(&err);
        job_fail(job, &err);
    } else if (reading->err.code != 0) {
        err = reading->err;
        job_fail(job, &err);
    } else {
        service_answer_queue(job);
    }
    if (service->is_ending)
        service_release(service);
}

static void start_next(struct service *service)
{
    while (service->picture_count < JOBS_MAX && !service->is_ending && service->picture_queue.first != NULL) {
        struct job *job = container_of(job_queue_take(&service->picture_queue), struct job, queued);
        struct picture_reading *reading = job->pictures = mem_zalloc(1, sizeof *reading);
        reading->items = mem_zalloc(job->models[0]->model.texture_count, sizeof *reading->items);
        reading->own.items = reading->items;
        buf_init(&reading->bytes, service->config->limits.value[LIMIT_ANSWER_BYTES]);
        service->picture_count++;
        service->file_count++;
        job_leave_queue(job, uv_hrtime());
        job_enter(job, JOB_READS);
        job->work.data = job;
        work_start(service->loop, WORK_ANSWER_FILES, &job->work, on_work, on_read);
    }
}

bool service_pictures_read(struct job *job)
{
    struct service *service = job->service;
    struct err err;
    if (!needs_pictures(job))
        return false;
    if (job_queue_put(&service->picture_queue, &job->queued, &err) < 0) {
        job_fail(job, &err);
        return true;
    }
    job_enter(job, JOB_WAITS_FOR_FILES);
    service_pictures_offline(service);
    start_next(service);
    return true;
}

const struct own_pictures *service_pictures_of(const struct job *job)
{
    return job->pictures != NULL ? &job->pictures->own : NULL;
}

void service_pictures_free(struct job *job)
{
    struct picture_reading *reading = job->pictures;
    if (reading == NULL)
        return;
    job->pictures = NULL;
    buf_fini(&reading->bytes);
    free(reading->items);
    free(reading->source_path);
    free(reading);
    job->service->picture_count--;
    start_next(job->service);
}

void service_pictures_offline(struct service *service)
{
    const char *why;
    while (service->picture_queue.first != NULL && cache_is_offline(service->cache, &why)) {
        struct job *job = container_of(job_queue_take(&service->picture_queue), struct job, queued);
        struct err err;
        err_set(&err, ERR_SOURCE_UNAVAILABLE,
                "'%s': its textures cannot be read%s%s; try again later, or ask for textures=png",
                job->call->request.model, why != NULL ? ": " : "", why != NULL ? why : "");
        job_fail(job, &err);
    }
}

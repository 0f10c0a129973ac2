/* service_upload.c - PUT and DELETE /v1/models/NAME. The reply to a PUT describes the stored model as /v1/model does.
 */
#include "base/container_of.h"
#include "base/mem.h"
#include "daemon/service/job.h"
#include "daemon/upload/upload.h"

#include <stdlib.h>

enum { STATUS_CREATED = 201, STATUS_NO_CONTENT = 204 };

struct upload_call {
    struct service *service;
    struct call *call;
    struct call describe;            /* a call of /v1/model for the new file */
    char *path;                      /* its path under the root */
    struct imported_model *imported; /* the stored model: a reference */
    bool is_new;
};

static void end(struct service *service, struct call *call, struct reply *reply)
{
    reply->cache_control = "no-store";
    reply->etag[0] = '\0';
    call->done(call, reply);
    service->file_count--;
    service_release(service);
}

static void end_badly(struct service *service, struct call *call, const struct err *err)
{
    struct reply reply;
    reply_init(&reply);
    reply_error(&reply, err, NULL, 0);
    end(service, call, &reply);
}

static void on_described(struct call *describe, struct reply *reply)
{
    struct upload_call *upload_call = container_of(describe, struct upload_call, describe);
    struct service *service = upload_call->service;
    struct call *call = upload_call->call;
    if (reply->status == 200 && upload_call->is_new)
        reply->status = STATUS_CREATED;
    imported_model_unref(upload_call->imported);
    free(upload_call->path);
    free(upload_call);
    end(service, call, reply);
}

/* Describes the model that this upload stored, even if another upload has replaced it. */
static void describe(struct upload_call *upload_call)
{
    struct service *service = upload_call->service;
    struct err err;
    struct reply reply;
    reply_init(&reply);
    upload_call->describe.done = on_described;
    if (!service->is_ending) {
        struct job *job = job_start(service, &upload_call->describe);
        job->models[job->model_count++] = imported_model_ref(upload_call->imported);
        service_answer(job);
        return;
    }
    service_refuse_late(&err);
    reply_error(&reply, &err, NULL, 0);
    on_described(&upload_call->describe, &reply);
}

/* Loads the model into memory for the next request. The upload succeeds even if that fails. */
static void on_found(struct call *find, struct reply *reply)
{
    reply_fini(reply);
    describe(container_of(find, struct upload_call, describe));
}

static void on_stored(void *user, const struct upload_end *stored)
{
    struct upload_call *upload_call = user;
    struct service *service = upload_call->service;
    if (stored->path == NULL) {
        struct call *call = upload_call->call;
        free(upload_call);
        end_badly(service, call, stored->err);
        return;
    }
    upload_call->is_new = stored->is_new;
    upload_call->path = mem_strdup(stored->path);
    upload_call->imported = imported_model_ref(stored->imported);
    upload_call->describe = (struct call){.done = on_found};
    request_init(&upload_call->describe.request);
    upload_call->describe.request.op = OP_MODEL;
    upload_call->describe.request.model = upload_call->path;
    if (stored->is_current)
        cache_offer(service->cache, upload_call->path, upload_call->imported);
    cache_next_tick(service->cache); /* the cache must check the previous file of this name */
    service_find_models(service, &upload_call->describe);
}

static void on_deleted(void *user, const struct err *err)
{
    struct upload_call *upload_call = user;
    struct service *service = upload_call->service;
    struct call *call = upload_call->call;
    free(upload_call);
    if (err->code != 0) {
        end_badly(service, call, err);
        return;
    }
    struct reply reply;
    reply_init(&reply);
    reply.status = STATUS_NO_CONTENT;
    end(service, call, &reply);
}

int service_upload_begin(struct service *service, const struct request *request, void (*has_capacity)(void *user),
                         void *user, struct upload **out, struct err *err)
{
    if (service->is_ending || service->is_draining)
        return err_set(err, ERR_SHUTTING_DOWN, "the server is stopping");
    return upload_begin(service->uploads, request->model, has_capacity, user, out, err);
}

void service_file(struct service *service, struct call *call)
{
    struct upload_call *upload_call = mem_zalloc(1, sizeof *upload_call);
    struct err err;
    upload_call->service = service;
    upload_call->call = call;
    service->file_count++;
    if (call->upload != NULL) {
        struct upload *upload = call->upload;
        call->upload = NULL;
        upload_finish(upload, on_stored, upload_call);
        return;
    }
    int rc = 0;
    if (call->request.is_delete)
        rc = upload_delete(service->uploads, call->request.model, on_deleted, upload_call, &err);
    else if (service->uploads == NULL)
        rc = err_set(&err, ERR_UNAVAILABLE, "this server takes no uploads; start it with --uploads DIR");
    else
        rc = err_set(&err, ERR_EMPTY_FILE, "'%.300s': the upload has no bytes", call->request.model);
    if (rc < 0) {
        free(upload_call);
        end_badly(service, call, &err);
    }
}

void service_file_cancel(struct call *call __attribute__((unused))) {}

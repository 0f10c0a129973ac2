/* handlers.h - how the service answers each operation: the column `handler` of wire/operations/operations.def. Private
 * to the service. Main loop's thread. */
#pragma once

#include "daemon/service/service.h"

struct job;

struct handler {
    /* Fills *reply at once: nothing is waited for. NULL: the next two. */
    void (*tell)(const struct service *service, const struct request *request, struct reply *reply);
    /* Begins the call, which calls done() sooner or later. */
    void (*begin)(struct service *service, struct call *call);
    /* The client of a call that is not done has left. */
    void (*cancel)(struct call *call);
    /* The models of the job are there. NULL: its operation has no models. */
    void (*answer)(struct job *job);
};
extern const struct handler *const HANDLERS[OP_ALL_COUNT];

/* --- service_info.c: the server itself, and its pages --- */

void tell_gallery(const struct service *service, const struct request *request, struct reply *reply);
void tell_model_page(const struct service *service, const struct request *request, struct reply *reply);
void tell_embed(const struct service *service, const struct request *request, struct reply *reply);
void tell_asset(const struct service *service, const struct request *request, struct reply *reply);
void tell_health(const struct service *service, const struct request *request, struct reply *reply);
void tell_version(const struct service *service, const struct request *request, struct reply *reply);
void tell_formats(const struct service *service, const struct request *request, struct reply *reply);
void tell_stats(const struct service *service, const struct request *request, struct reply *reply);
void tell_metrics(const struct service *service, const struct request *request, struct reply *reply);
/* A GET of /v1/stream that opens no WebSocket. */
void tell_no_stream(const struct service *service, const struct request *request, struct reply *reply);

/* service_ready.c: whether this server can do what --ready asks for. */
void tell_ready(const struct service *service, const struct request *request, struct reply *reply);

/* --- service_list.c: the models under the root --- */

void service_list(struct service *service, struct call *call);
void service_list_cancel(struct call *call);

/* --- service_batch.c: queries, one after the other --- */

void service_batch(struct service *service, struct call *call);
void service_batch_cancel(struct call *call);

/* --- service_upload.c: a file that is stored or deleted, even if its client has left --- */

void service_file(struct service *service, struct call *call);
void service_file_cancel(struct call *call);

/* --- service_find.c: gets the models of a call, then answers it --- */

void service_find_models(struct service *service, struct call *call);
void service_find_cancel(struct call *call);

/* --- answers once the models are there --- */

/* service_work.c: on this loop if that is quick, else in a work thread. */
void service_answer(struct job *job);
/* service_estimate.c: the same, or how long that will take, as the request says. */
void service_answer_or_estimate(struct job *job);
/* service_render.c: a picture. */
void service_render(struct job *job);
/* service_environment.c: the light of an environment's file, or of none. */
void service_environment(struct job *job);
void service_environment_cancel(struct call *call);

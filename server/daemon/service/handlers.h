/* handlers.h - the functions by which the service answers each operation: the column `handler` of
 * wire/operations/operations.def. Private to the service. Main loop's thread. */
#pragma once

#include "daemon/service/service.h"

struct job;

struct handler {
    /* Fills *reply immediately. NULL: the next two functions apply. */
    void (*tell)(const struct service *service, const struct request *request, struct reply *reply);
    /* Begins the call and eventually calls done(). */
    void (*begin)(struct service *service, struct call *call);
    /* Cancels a pending call whose client has disconnected. */
    void (*cancel)(struct call *call);
    /* Answers the job once its models are available. NULL: the operation has no models. */
    void (*answer)(struct job *job);
};
extern const struct handler *const HANDLERS[OP_ALL_COUNT];

/* --- service_info.c: the server itself, and its pages --- */

void service_tell_gallery(const struct service *service, const struct request *request, struct reply *reply);
void service_tell_model_page(const struct service *service, const struct request *request, struct reply *reply);
void service_tell_embed(const struct service *service, const struct request *request, struct reply *reply);
void service_tell_asset(const struct service *service, const struct request *request, struct reply *reply);
void service_tell_health(const struct service *service, const struct request *request, struct reply *reply);
void service_tell_version(const struct service *service, const struct request *request, struct reply *reply);
void service_tell_formats(const struct service *service, const struct request *request, struct reply *reply);
void service_tell_stats(const struct service *service, const struct request *request, struct reply *reply);
void service_tell_metrics(const struct service *service, const struct request *request, struct reply *reply);
/* Answers a GET of /v1/stream that is not a WebSocket handshake. */
void service_tell_no_stream(const struct service *service, const struct request *request, struct reply *reply);

/* service_ready.c: whether this server can do what --ready requires. */
void service_tell_ready(const struct service *service, const struct request *request, struct reply *reply);

/* --- service_list.c: the models under the root --- */

void service_list(struct service *service, struct call *call);
void service_list_cancel(struct call *call);

/* --- service_batch.c: runs queries one after the other --- */

void service_batch(struct service *service, struct call *call);
void service_batch_cancel(struct call *call);

/* --- service_upload.c: stores or deletes a file, even if its client has disconnected --- */

void service_file(struct service *service, struct call *call);
void service_file_cancel(struct call *call);

/* --- service_find.c: gets the models of a call, then answers it --- */

void service_find_models(struct service *service, struct call *call);
void service_find_cancel(struct call *call);

/* --- answers of jobs whose models are available --- */

/* service_work.c: answers on this loop if the answer is fast, else in a work thread. */
void service_answer(struct job *job);
/* service_estimate.c: the same, or an estimate of its duration if the request asks for that. */
void service_answer_or_estimate(struct job *job);
/* service_render.c: renders a picture. */
void service_render(struct job *job);
/* service_environment.c: answers with the light of an environment file, or of a formula. */
void service_environment(struct job *job);
void service_environment_cancel(struct call *call);

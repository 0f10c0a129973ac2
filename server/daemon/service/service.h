/* service.h - turns a request into a reply: finds or imports the models, evaluates them or has them drawn. Knows no
 * sockets and no OpenGL. Main loop's thread only. */
#pragma once

#include "wire/encode/reply.h"
#include "wire/http/access.h"
#include "wire/request/request.h"
#include "daemon/support/budget.h"
#include "daemon/cache/cache.h"
#include "daemon/config/config.h"

#include <uv.h>

struct upload;
struct service; /* owns cache, import pool, render pool and scratch memory */

/* One request on its way. Its client (a connection, a stream, the dispatcher) owns it and its request, and keeps both
 * until `done` has run. A client that leaves earlier calls service_cancel(); `done` still runs, with any reply. */
struct call {
    struct request request;
    bool is_abandoned; /* the client has left; read only */
    /* Runs exactly once, perhaps before service_handle() returns. *reply is the callee's to move from or
     * reply_fini(). */
    void (*done)(struct call *call, struct reply *reply);
    enum reply_pieces
        pieces; /* whether the answer may come in pieces: then the request stays until reply->rest is freed */
    const struct request *lasting; /* the request itself, where `request` is a copy that ends with `done`; or NULL */
    struct upload *upload;         /* of a PUT, when its last byte is there; service_handle() takes it */
    void *waiting;                 /* private to the service */
    struct limits *left;           /* likewise: of a query in a batch: what the batch may still use; else NULL */
    double spent_ns;               /* likewise: how long it, or its batch, has kept the loop busy without a break */
    uint64_t cpu_ns;               /* likewise: processor time of its answer, here or in a work thread */
    /* For the request log, once it is done: */
    enum model_origin origin; /* where its models came from: the slowest of them */
    uint64_t queue_ns;        /* how long it waited for an importer, a renderer or a work thread */
};

/* Opens the root and starts the render workers. Returns 0 or a negative ERR_ with a sentence for stderr. */
int service_new(uv_loop_t *loop, const struct config *config, struct budget *budget, struct service **out,
                struct err *err);

/* Answers the call: call->done() runs once, here or later on the loop. */
void service_handle(struct service *service, struct call *call);

/* The head of a PUT has arrived: *out is where its body goes (upload.h). The caller hands it over in a call, or
 * abandons it. */
int service_upload_begin(struct service *service, const struct request *request, void (*has_capacity)(void *user),
                         void *user, struct upload **out, struct err *err);

/* The models that it answers from. */
struct cache *service_cache(struct service *service);

/* The clips of other files that are ready to be played; any thread, until the service ends. */
struct retargeted_clip_store *service_retargeted_clips(const struct service *service);

/* The client has left: the work is dropped, unless others wait for the same. `done` runs, mostly before this returns.
 */
void service_cancel(struct call *call);

/* The reply to an OP_HEALTHZ, which asks whether the process answers; any thread. */
void service_health(struct reply *reply);

/* Number of calls under way. */
uint32_t service_pending(const struct service *service);

/* Who may show pages in a frame from now on; borrowed, until the next one. */
void service_use_access(struct service *service, const struct access *access);

/* From now on /readyz is 503; all else goes on. */
void service_leave(struct service *service);
/* No upload begins any more. */
void service_drain(struct service *service);

/* Ends the workers and frees everything when its handles are closed. Calls still under way are answered with
 * ERR_SHUTTING_DOWN first. The loop must run until it is empty. */
void service_free(struct service *service);

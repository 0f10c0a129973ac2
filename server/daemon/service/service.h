/* service.h - turns a request into a reply: it finds or imports the models, and evaluates or renders them. It knows no
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
struct service; /* owns the cache, import pool, render pool and scratch memory */

/* A pending request. Its client (a connection, a stream, the dispatcher) owns it and its request, and keeps both until
 * `done` has run. A client that leaves earlier calls service_cancel(); `done` still runs, with an arbitrary reply. */
struct call {
    struct request request;
    bool is_abandoned; /* the client has disconnected; read only */
    /* Runs exactly once, possibly before service_handle() returns. The function moves from *reply or calls
     * reply_fini(). */
    void (*done)(struct call *call, struct reply *reply);
    enum reply_pieces
        pieces; /* whether the answer may come in pieces; then the request must stay until reply->rest is freed */
    const struct request *lasting; /* the original request when `request` is a copy that ends with `done`; or NULL */
    struct upload *upload;         /* of a PUT whose body is complete; service_handle() takes ownership */
    void *waiting;                 /* private to the service */
    struct limits *left;           /* likewise; for a query in a batch what the batch may still use, else NULL */
    bool has_capacity;             /* of a query in a batch: the memory of the batch's whole answer is reserved */
    double spent_ns;               /* likewise: how long the call or its batch has kept the loop busy without a break */
    uint64_t cpu_ns;               /* likewise: processor time of the answer, on the loop or in a work thread */
    /* For the request log, valid when it is done: */
    enum model_origin origin; /* where its models came from; the slowest counts */
    uint64_t queue_ns;        /* time spent waiting for an importer, a renderer or a work thread */
};

/* Opens the root and starts the render workers. Returns 0, or a negative ERR_ with a message for stderr. */
int service_new(uv_loop_t *loop, const struct config *config, struct budget *budget, struct service **out,
                struct err *err);

/* Answers the call: call->done() runs once, now or later on the loop. */
void service_handle(struct service *service, struct call *call);

/* Begins an upload when the head of a PUT has arrived: *out receives its body (upload.h). The caller passes it on in a
 * call, or abandons it. */
int service_upload_begin(struct service *service, const struct request *request, void (*has_capacity)(void *user),
                         void *user, struct upload **out, struct err *err);

/* Returns the model cache. */
struct cache *service_cache(struct service *service);

/* Returns the store of retargeted clips; any thread, until the service ends. */
struct retargeted_clip_store *service_retargeted_clips(const struct service *service);

/* Cancels a call whose client has disconnected. The work is dropped unless other calls wait for it. `done` runs,
 * usually before this returns. */
void service_cancel(struct call *call);

/* Fills the reply to an OP_HEALTHZ, which checks that the process responds; any thread. */
void service_health(struct reply *reply);

/* Returns the number of pending calls. */
uint32_t service_pending(const struct service *service);

/* Sets who may show pages in a frame; borrowed until the next call. */
void service_use_access(struct service *service, const struct access *access);

/* Makes /readyz answer 503; everything else continues. */
void service_leave(struct service *service);
/* Refuses new uploads. */
void service_drain(struct service *service);

/* Ends the workers and frees everything once its handles are closed. It first answers pending calls with
 * ERR_SHUTTING_DOWN. The loop must run until it is empty. */
void service_free(struct service *service);

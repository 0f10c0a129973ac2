/* listing.h - /v1/models: the models under the root, and what the cache knows of each.
 *
 * The folders are read by a work thread, one listing at a time, so that a large tree delays only other
 * listings. Loop thread only. */
#pragma once

#include "wire/encode/reply.h"
#include "wire/request/request.h"
#include "daemon/cache/cache.h"
#include "daemon/support/job_queue.h"

#include <uv.h>

struct listing;

/* One listing; the owner's, until done() has run. */
struct listing_job {
    const struct request *request; /* prefix, after, list_limit */
    /* Runs once, never before listing_submit() returns. */
    void (*done)(struct listing_job *job, struct reply *reply);
    struct job_queue_entry queued; /* private to the listing */
};

/* All are borrowed. */
struct listing *listing_new(uv_loop_t *loop, const struct config *config, const struct cache *cache, int root_fd);

/* Returns 0 or ERR_OVERLOADED (the job is then not taken). */
int listing_submit(struct listing *listing, struct listing_job *job, struct err *err);

/* Takes back a submitted job. True: it is the owner's again, and done() does not run. False: its walk is under way. */
bool listing_cancel(struct listing *listing, struct listing_job *job);

/* Drops all jobs; their done() does not run. A walk under way ends by itself while the loop runs. */
void listing_free(struct listing *listing);

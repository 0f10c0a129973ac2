/* freshness.h - what the cache and its work threads share for looking at files; outlives the cache while a thread is
 * at work. References are counted on the loop thread. */
#pragma once

#include "daemon/config/config.h"
#include "daemon/disk/disk_cache.h"
#include "daemon/model/watch.h"

struct freshness {
    uv_loop_t *loop;
    const struct config *config;
    int root_fd;             /* its own */
    struct disk_cache *disk; /* or NULL */
    struct watch *watch;     /* or NULL: no events */
    uint32_t refs;
    bool is_broken;                    /* the disk cache could not be written, and that was said */
    struct store *stores, *last_store; /* private: the first is under way */
    uint32_t store_count;
};

/* Takes `disk`. *changed: see watch_new(). */
struct freshness *freshness_new(uv_loop_t *loop, const struct config *config, int root_fd, struct disk_cache *disk,
                                void (*changed)(void *user), void *user);
struct freshness *freshness_ref(struct freshness *fresh);
void freshness_unref(struct freshness *fresh);

/* Counts what a look or a store did, and says once what the operator should know. */
void freshness_report(struct freshness *fresh, const struct disk_report *report);

/* Keeps an imported model on disk when there is a place for it; one after the other, and not for ever many. */
void freshness_store(struct freshness *fresh, const char *path, struct baked *baked);
/* Stores that have not begun are dropped. */
void freshness_end(struct freshness *fresh);

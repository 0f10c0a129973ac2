/* freshness.h - what the cache and its work threads share for looking at files; outlives the cache while a thread is
 * at work. References are counted on the loop thread. */
#pragma once

#include "daemon/config/config.h"
#include "daemon/disk/disk_cache.h"
#include "daemon/model/folder_watch.h"

struct backing {
    uv_loop_t *loop;
    const struct config *config;
    int root_fd;                /* its own */
    struct disk_cache *disk;    /* or NULL */
    struct folder_watch *watch; /* or NULL: no events */
    uint32_t refs;
    bool is_broken;                            /* the disk cache could not be written, and that was said */
    struct backing_store *stores, *last_store; /* private: the first is under way */
    uint32_t store_count;
};

/* Takes `disk`. *changed: see folder_watch_new(). */
struct backing *backing_new(uv_loop_t *loop, const struct config *config, int root_fd, struct disk_cache *disk,
                            void (*changed)(void *user), void *user);
struct backing *backing_ref(struct backing *backing);
void backing_unref(struct backing *backing);

/* Counts what a look or a store did, and says once what the operator should know. */
void backing_report(struct backing *backing, const struct disk_report *report);

/* Keeps an imported model on disk when there is a place for it; one after the other, and not for ever many. */
void backing_store(struct backing *backing, const char *path, struct imported_model *imported);
/* Stores that have not begun are dropped. */
void backing_end(struct backing *backing);

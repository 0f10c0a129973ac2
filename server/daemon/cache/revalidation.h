/* revalidation.h - checks the files of a model in a work thread: are they unchanged, is the model in the disk cache, or
 * does it need an import? Main loop's thread only. */
#pragma once

#include "daemon/model/imported_model.h"
#include "daemon/config/config.h"
#include "daemon/disk/disk_cache.h"
#include "daemon/model/folder_watch.h"

/* Shared by the cache and its work threads. It outlives the cache while a thread works. Only the main loop's thread
 * counts references. */
struct backing {
    uv_loop_t *loop;
    const struct config *config;
    int root_fd;                /* owned */
    struct disk_cache *disk;    /* or NULL */
    struct folder_watch *watch; /* or NULL: no events */
    uint32_t refs;
    struct err disk_failure; /* why the last write to the disk cache failed, as in the log; code 0: it did not fail */
    struct backing_store *stores; /* private: the first is under way */
    uint32_t store_count;
    struct revalidation_run *queued; /* private: checks that wait until fewer touch the root */
    uint32_t look_count;
};

/* Takes `disk`. *changed: see folder_watch_new(). */
struct backing *backing_new(uv_loop_t *loop, const struct config *config, int root_fd, struct disk_cache *disk,
                            void (*changed)(void *user), void *user);
void backing_unref(struct backing *backing);

/* Stores an imported model on disk, if there is a disk cache and the queue is not full. is_claimed: releases the path's
 * claim afterwards, or at once if there is nothing to store (NULL). */
void backing_store(struct backing *backing, const char *path, struct imported_model *imported, bool is_claimed);
/* Counts the results of a check or a store, and logs once what the operator should know. */
void backing_report(struct backing *backing, const struct disk_report *report);
/* Drops the stores that have not begun. */
void backing_end(struct backing *backing);

/* --- one check of the files of a model --- */

enum revalidation_verdict {
    REVALIDATION_SAME,        /* the files still match `known`, or the failure */
    REVALIDATION_CHANGED,     /* they do not; only when is_check_only */
    REVALIDATION_LOADED,      /* `loaded` came from the disk cache */
    REVALIDATION_IMPORT,      /* these files need an import */
    REVALIDATION_WRITING,     /* another process writes the model file, or did until just now */
    REVALIDATION_GONE,        /* there is no such model: `err` */
    REVALIDATION_UNAVAILABLE, /* the root is unreadable: `err`; `loaded` is the disk cache's last model, or NULL */
};

struct revalidation {
    /* asked */
    const char *path; /* borrowed */
    bool is_check_only;
    bool is_offline;              /* do not touch the root: the verdict is UNAVAILABLE */
    bool is_whole;                /* with textures */
    bool maybe_partial;           /* the failure may be about a half-written file */
    struct imported_model *known; /* borrowed, or NULL */
    bool has_failed;              /* instead: an import of the model file with this stamp failed */
    struct stamp failed_stamp;
    struct folder_watch_set *set; /* borrowed, or NULL: the check makes one, if possible */
    bool is_new;                  /* `known` is a new import: `set` may lack folders of its files */
    /* found */
    enum revalidation_verdict verdict;
    bool is_unchanged;              /* the files still match `known` */
    struct stamp stamp;             /* of the model file; not set for SAME with `known` */
    uint64_t seen;                  /* IMPORT: of disk_cache_claim() */
    struct imported_model *loaded;  /* a reference for the owner */
    bool is_starved;                /* no descriptor or memory is free to watch the files */
    bool is_retaken;                /* `taken` replaces `set` */
    struct folder_watch_set *taken; /* likewise, or NULL: events cannot vouch for these files */
    uint64_t count;                 /* of the set at the time of the check */
    struct err err;
    int source_error;        /* UNAVAILABLE and not is_offline: the errno, */
    const char *source_path; /* and its path, "" for the root; valid in done() */
    double ms;
};

struct revalidation_run;

/* Starts a check. `done` runs once, never before revalidation_start() returns, with the question and the findings. */
struct revalidation_run *revalidation_start(struct backing *backing, const struct revalidation *check,
                                            void (*done)(void *user, struct revalidation *check), void *user);

/* Cancels done(); the thread ends by itself. NULL is fine. */
void revalidation_abandon(struct revalidation_run *run);

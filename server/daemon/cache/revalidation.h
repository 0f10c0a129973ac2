/* revalidation.h - a work thread looks at the files of a model: are they as they were, is the model in the disk cache,
 * or is an import needed? The functions are for the main loop's thread. */
#pragma once

#include "daemon/model/imported_model.h"
#include "daemon/config/config.h"
#include "daemon/disk/disk_cache.h"
#include "daemon/model/folder_watch.h"

/* What the cache and its work threads share. It outlives the cache while a thread is at work. References are counted on
 * the main loop's thread. */
struct backing {
    uv_loop_t *loop;
    const struct config *config;
    int root_fd;                /* owned */
    struct disk_cache *disk;    /* or NULL */
    struct folder_watch *watch; /* or NULL: no events */
    uint32_t refs;
    struct err disk_failure;      /* why the disk cache could not be written, as the log says; code 0: it could */
    struct backing_store *stores; /* private: the first is under way */
    uint32_t store_count;
    struct revalidation_run *queued; /* private: looks that wait until fewer touch the root */
    uint32_t look_count;
};

/* Takes `disk`. *changed: see folder_watch_new(). */
struct backing *backing_new(uv_loop_t *loop, const struct config *config, int root_fd, struct disk_cache *disk,
                            void (*changed)(void *user), void *user);
void backing_unref(struct backing *backing);

/* Stores an imported model on disk, if there is a disk cache and the queue is not full. is_claimed: then, or where
 * there is nothing to store (NULL), the path's claim is released. */
void backing_store(struct backing *backing, const char *path, struct imported_model *imported, bool is_claimed);
/* Counts what a look or a store did, and logs once what the operator should know. */
void backing_report(struct backing *backing, const struct disk_report *report);
/* Drops the stores that have not begun. */
void backing_end(struct backing *backing);

/* --- one look at the files of a model --- */

enum revalidation_verdict {
    REVALIDATION_SAME,        /* the files are those of `known`, or of the failure */
    REVALIDATION_CHANGED,     /* they are not; only when is_check_only */
    REVALIDATION_LOADED,      /* `loaded` came from the disk cache */
    REVALIDATION_IMPORT,      /* nothing is known of these files */
    REVALIDATION_WRITING,     /* the model file is being written, or was until just now */
    REVALIDATION_GONE,        /* there is no such model: `err` */
    REVALIDATION_UNAVAILABLE, /* the root cannot be read: `err`; `loaded` is what the disk cache had last, or NULL */
};

struct revalidation {
    /* asked */
    const char *path; /* borrowed */
    bool is_check_only;
    bool is_offline;              /* the root is not touched: the verdict is UNAVAILABLE */
    bool is_whole;                /* with textures */
    bool maybe_partial;           /* the failure may be about a half-written file */
    struct imported_model *known; /* borrowed, or NULL */
    bool has_failed;              /* instead: an import of the model file with this stamp failed */
    struct stamp failed_stamp;
    struct folder_watch_set *set; /* borrowed, or NULL: one is taken, if possible */
    bool is_new;                  /* `known` has just been imported: `set` may lack folders of its files */
    /* found */
    enum revalidation_verdict verdict;
    bool is_unchanged;              /* the files are still those of `known` */
    struct stamp stamp;             /* of the model file; not set for SAME with `known` */
    uint64_t seen;                  /* IMPORT: of disk_cache_claim() */
    struct imported_model *loaded;  /* a reference for the owner */
    bool is_starved;                /* no descriptor or memory is free to watch the files */
    bool is_retaken;                /* `taken` replaces `set` */
    struct folder_watch_set *taken; /* likewise, or NULL: events cannot vouch for these files */
    uint64_t count;                 /* of the set when the files were looked at */
    struct err err;
    int source_error;        /* UNAVAILABLE and not is_offline: the errno, */
    const char *source_path; /* and the path it was about, "" for the root; valid in done() */
    double ms;
};

struct revalidation_run;

/* `done` runs once, never before revalidation_start() returns, with what was asked and found. */
struct revalidation_run *revalidation_start(struct backing *backing, const struct revalidation *check,
                                            void (*done)(void *user, struct revalidation *check), void *user);

/* done() will not run; the thread ends by itself. NULL is fine. */
void revalidation_abandon(struct revalidation_run *run);

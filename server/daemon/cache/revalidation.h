/* look.h - one look at the files of a model, by a work thread: are they as they were, is the model on disk, or is an
 * import needed? Loop thread only, but for what look.c says. */
#pragma once

#include "daemon/model/imported_model.h"
#include "daemon/config/config.h"
#include "daemon/disk/disk_cache.h"
#include "daemon/model/folder_watch.h"

/* What the cache and its work threads share; outlives the cache while a thread is at work. References are counted on
 * the loop thread. */
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

/* --- one look at the files of a model --- */

enum revalidation_verdict {
    REVALIDATION_SAME,    /* the files are those of `known`, or of the failure */
    REVALIDATION_CHANGED, /* they are not; said when is_check_only */
    REVALIDATION_LOADED,  /* `loaded` came from the disk cache */
    REVALIDATION_IMPORT,  /* nothing is known of these files */
    REVALIDATION_WRITING, /* somebody is writing the model file, or has been until just now */
    REVALIDATION_GONE,    /* there is no such model: `err` */
};

struct revalidation {
    /* what is asked */
    const char *path; /* borrowed */
    bool is_check_only;
    bool is_whole;                /* with textures */
    bool maybe_partial;           /* the failure may be that of a half-written file */
    struct imported_model *known; /* borrowed, or NULL */
    bool has_failed;              /* instead: an import of the model file with this stamp failed */
    struct stamp failed_stamp;
    struct folder_watch_set *set; /* borrowed, or NULL: is taken where it can be */
    bool is_new;                  /* `known` has just been imported: `set` may lack folders of its files */
    /* what is found */
    enum revalidation_verdict verdict;
    bool is_unchanged;              /* the files are still those of `known` */
    struct stamp stamp;             /* of the model file, but for SAME of a known model */
    struct imported_model *loaded;  /* a reference for the owner */
    bool is_starved;                /* nothing was free to watch the files with */
    bool is_retaken;                /* `taken` replaces `set` */
    struct folder_watch_set *taken; /* likewise, or NULL: events cannot vouch for these files */
    uint64_t count;                 /* of the set when the files were looked at */
    struct err err;
    double ms;
};

struct revalidation_run;

/* `done` runs once, never before revalidation_start() returns, with what was asked and found. */
struct revalidation_run *revalidation_start(uv_loop_t *loop, struct backing *backing, const struct revalidation *check,
                                            void (*done)(void *user, struct revalidation *check), void *user);

/* done() will not run; what is left ends by itself. */
void revalidation_abandon(struct revalidation_run *run);

/* look.h - one look at the files of a model, by a work thread: are they as they were, is the model on disk, or is an
 * import needed? Loop thread only, but for what look.c says. */
#pragma once

#include "daemon/model/imported_model.h"
#include "daemon/cache/backing.h"

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

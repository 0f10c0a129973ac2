/* pool.h - works on many models at the same time, in threads with a connection each, and shows the progress. */
#pragma once

#include "clients/cli/server/connection.h"

#include <pthread.h>

/* UNMATCHED: the options select nothing of the model. SKIPPED: the file is no model, see skipped_model.h. INTERRUPTED:
 * the run was, before the model was done. */
enum outcome {
    OUTCOME_MADE,
    OUTCOME_UNCHANGED,
    OUTCOME_FAILED,
    OUTCOME_UNMATCHED,
    OUTCOME_SKIPPED,
    OUTCOME_INTERRUPTED,
    OUTCOME_COUNT
};

/* Shows a bar with rate and remaining time on a terminal, else a line now and then. Shows nothing with --quiet. */
struct progress {
    pthread_mutex_t mutex;
    const char *what; /* "thumbs" */
    size_t total, counts[OUTCOME_COUNT];
    double start_s, shown_s;
    char current[96];         /* the model that was finished last */
    size_t outputs;           /* written so far, under the mutex */
    const char *outputs_name; /* what the line calls them; NULL: it does not count them */
    bool is_silent;           /* shows nothing: another one does */
};

/* Works on model `index` in one of the threads, and records its failure itself. */
typedef enum outcome pool_work(struct connection *connection, size_t index, const char **label, void *context);

/* Runs `work` on 0 .. count - 1 in `jobs` threads until all are done or the run is interrupted. The caller sets
 * progress->what, and finds the results in its counts. Returns 0, or an exit status after printing that no connection
 * could be opened. */
int pool_run(const struct session *session, unsigned jobs, size_t count, pool_work *work, void *context,
             struct progress *progress);

/* Returns the number of cores, at most 64. */
unsigned pool_cores(void);
/* Returns --jobs, or the number of cores. */
unsigned pool_jobs(const struct args *args);

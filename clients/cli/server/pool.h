/* pool.h - many models at the same time: threads with a connection each, and the progress that people see. */
#pragma once

#include "clients/cli/server/connection.h"

#include <pthread.h>

/* UNMATCHED: there is nothing to make of it, and somebody should know. */
enum outcome { OUTCOME_MADE, OUTCOME_UNCHANGED, OUTCOME_FAILED, OUTCOME_UNMATCHED, OUTCOME_COUNT };

/* A bar with rate and time left on a terminal; else a line now and then, for logs. Nothing with --quiet. */
struct progress {
    pthread_mutex_t mutex;
    const char *what; /* "thumbs" */
    size_t total, counts[OUTCOME_COUNT];
    double start_s, shown_s;
    char current[96]; /* the model that was done last */
};

/* Works on model `index`, in one of the threads. A model that fails is the caller's to note. */
typedef enum outcome pool_work(struct connection *connection, size_t index, const char **label, void *context);

/* Runs `work` on 0 .. count - 1 in `jobs` threads until all is done or the run is interrupted. `progress`->what is
 * given, its counts are what came of it. Returns 0 or an exit status after complaining: no connection could be opened.
 */
int pool_run(const struct session *session, unsigned jobs, size_t count, pool_work *work, void *context,
             struct progress *progress);

/* How many cores there are, 64 at most. */
unsigned pool_cores(void);
/* --jobs, or as many as there are cores. */
unsigned pool_jobs(const struct args *args);

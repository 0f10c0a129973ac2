/* long_progress.h - how far a wait is: a bar on a terminal, else a line every 5 s, painted by a thread of its own while
 * the caller waits for an answer, or for one part of an answer after the other. Nothing is shown with --quiet, and of
 * what is expected within a second. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

/* Private to long_progress.c; must not move while it is shown. */
struct long_progress {
    const char *what, *model;
    double start_s, end_s; /* on now_s()'s clock; the end as it is expected, under the mutex */
    bool is_shown, is_over;
    pthread_mutex_t mutex;
    pthread_cond_t over;
    pthread_t thread;
};

/* what: the command; both texts outlive the progress. expected_s: what the whole takes. */
void long_progress_begin(struct long_progress *progress, const char *what, const char *model, double expected_s);
/* A part is there: so much is left. */
void long_progress_expect(struct long_progress *progress, double left_s);
void long_progress_end(struct long_progress *progress);

/* long_progress.h - shows the progress of a wait: a bar on a terminal, else a line every 5 s. A thread of its own
 * paints it while the caller waits for an answer, or for the parts of an answer. With --quiet, and for waits of less
 * than a second, it shows nothing. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

/* Private to long_progress.c. It must not move while it is shown. */
struct long_progress {
    const char *what, *model;
    double start_s, end_s; /* on the clock of now_s(). end_s is the expected end, under the mutex */
    bool is_shown, is_over;
    pthread_mutex_t mutex;
    pthread_cond_t over;
    pthread_t thread;
};

/* Begins the progress. what: the command; NULL shows nothing. Both texts outlive the progress. expected_s: the time for
 * the whole. */
void long_progress_begin(struct long_progress *progress, const char *what, const char *model, double expected_s);
/* Tells that a part has arrived, and how much time is left. */
void long_progress_expect(struct long_progress *progress, double left_s);
void long_progress_end(struct long_progress *progress);

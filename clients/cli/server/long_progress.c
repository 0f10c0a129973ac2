#include "clients/cli/server/long_progress.h"

#include "clients/cli/output/bar.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/output/text.h"

#include <math.h>
#include <time.h>

#define SHORT_S 1.0 /* shorter waits show nothing */
#define PAINT_S 0.1
#define LOG_S   5.0
#define MOST    0.99 /* the bar is full only when the answer has arrived */

static void show(const struct long_progress *progress)
{
    const double now = now_s(), elapsed_s = now - progress->start_s, left_s = progress->end_s - now;
    struct text what = {0}, state = {0};
    text_printf(&what, "%s %s", progress->what, progress->model);
    if (left_s >= SHORT_S) {
        text_put(&state, "about ");
        bar_put_duration(&state, left_s);
        text_put(&state, " left");
    } else {
        bar_put_duration(&state, elapsed_s);
        text_put(&state, left_s > -SHORT_S ? "" : ", longer than expected");
    }
    if (terminal.is_progress_line)
        bar_paint(what.at, fmin(elapsed_s / (progress->end_s - progress->start_s), MOST), state.at);
    else
        terminal_info("%s: %s", what.at, state.at);
    text_free(&what);
    text_free(&state);
}

static void *run(void *context)
{
    struct long_progress *progress = context;
    const double pause_s = terminal.is_progress_line ? PAINT_S : LOG_S;
    pthread_mutex_lock(&progress->mutex);
    while (!progress->is_over) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        const double end_s = (double)until.tv_sec + (double)until.tv_nsec / 1e9 + pause_s;
        until.tv_sec = (time_t)end_s;
        until.tv_nsec = (long)((end_s - floor(end_s)) * 1e9);
        pthread_cond_timedwait(&progress->over, &progress->mutex, &until);
        if (!progress->is_over)
            show(progress);
    }
    pthread_mutex_unlock(&progress->mutex);
    return NULL;
}

void long_progress_begin(struct long_progress *progress, const char *what, const char *model, double expected_s)
{
    const double start_s = now_s();
    *progress = (struct long_progress){.what = what, .model = model, .start_s = start_s, .end_s = start_s + expected_s};
    if (what == NULL || terminal.is_quiet || !(expected_s >= SHORT_S))
        return;
    pthread_condattr_t by_monotonic;
    pthread_condattr_init(&by_monotonic);
    pthread_condattr_setclock(&by_monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&progress->mutex, NULL);
    pthread_cond_init(&progress->over, &by_monotonic);
    pthread_condattr_destroy(&by_monotonic);
    progress->is_shown = pthread_create(&progress->thread, NULL, run, progress) == 0;
}

void long_progress_expect(struct long_progress *progress, double left_s)
{
    if (!progress->is_shown)
        return;
    pthread_mutex_lock(&progress->mutex);
    progress->end_s = now_s() + left_s;
    pthread_mutex_unlock(&progress->mutex);
}

void long_progress_end(struct long_progress *progress)
{
    if (!progress->is_shown)
        return;
    pthread_mutex_lock(&progress->mutex);
    progress->is_over = true;
    pthread_cond_signal(&progress->over);
    pthread_mutex_unlock(&progress->mutex);
    pthread_join(progress->thread, NULL);
    pthread_cond_destroy(&progress->over);
    pthread_mutex_destroy(&progress->mutex);
    if (terminal.is_progress_line)
        bar_clear();
}

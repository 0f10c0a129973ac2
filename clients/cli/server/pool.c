/* Runs a pool of threads with a connection each, and paints its progress line. */
#include "clients/cli/server/pool.h"

#include "clients/cli/output/bar.h"
#include "clients/cli/output/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PAINT_S 0.1
#define LOG_S   5.0

struct pool {
    const struct session *session;
    pool_work *work;
    void *context;
    struct progress *progress;
    size_t count, next, running; /* under progress->mutex */
    size_t connections;          /* opened so far */
    pthread_cond_t changed;
};

unsigned pool_cores(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > 64 ? 64 : (unsigned)cores;
}

unsigned pool_jobs(const struct args *args) { return (unsigned)args_number(args, OPTION_JOBS, pool_cores()); }

static size_t done_of(const struct progress *progress)
{
    size_t done = 0;
    for (int i = 0; i < OUTCOME_COUNT; i++)
        done += progress->counts[i];
    return done;
}

static void put_state(struct text *out, const struct progress *progress, double elapsed_s)
{
    const size_t done = done_of(progress);
    const double rate = elapsed_s > 0 ? (double)done / elapsed_s : 0;
    text_printf(out, "%zu/%zu", done, progress->total);
    if (progress->counts[OUTCOME_FAILED] > 0)
        text_printf(out, ", %zu failed", progress->counts[OUTCOME_FAILED]);
    if (progress->outputs_name != NULL)
        text_printf(out, ", %zu %s", progress->outputs, progress->outputs_name);
    text_printf(out, "  %.*f/s", rate < 10 ? 1 : 0, rate);
    if (rate > 0 && done < progress->total) {
        text_put(out, "  ");
        bar_put_duration(out, (double)(progress->total - done) / rate);
        text_put(out, " left");
    }
}

/* Repaints the progress line. */
static void paint(struct progress *progress, double elapsed_s)
{
    struct text state = {0};
    const double done = (double)done_of(progress), total = (double)progress->total;
    put_state(&state, progress, elapsed_s);
    text_put(&state, "  ");
    text_put_printable(&state, progress->current);
    bar_paint(progress->what, total > 0 ? done / total : 1, state.at);
    text_free(&state);
}

static void show_progress(struct progress *progress)
{
    const double now = now_s(), elapsed_s = now - progress->start_s;
    if (progress->is_silent || terminal.is_quiet ||
        now - progress->shown_s < (terminal.is_progress_line ? PAINT_S : LOG_S))
        return;
    progress->shown_s = now;
    if (terminal.is_progress_line) {
        paint(progress, elapsed_s);
        return;
    }
    struct text line = {0};
    put_state(&line, progress, elapsed_s);
    fprintf(stderr, "posectl: %s %s\n", progress->what, line.at);
    text_free(&line);
}

static void *run_worker(void *context)
{
    struct pool *pool = context;
    struct progress *progress = pool->progress;
    struct connection connection;
    const int rc = connection_open(&connection, pool->session, NULL, NULL);
    pthread_mutex_lock(&progress->mutex);
    pool->connections += rc == 0;
    while (rc == 0 && pool->next < pool->count && !is_interrupted()) {
        const size_t index = pool->next++;
        const char *label = "";
        pthread_mutex_unlock(&progress->mutex);
        const enum outcome outcome = pool->work(&connection, index, &label, pool->context);
        pthread_mutex_lock(&progress->mutex);
        progress->counts[outcome]++;
        snprintf(progress->current, sizeof progress->current, "%s", label);
    }
    pool->running--;
    pthread_cond_signal(&pool->changed);
    pthread_mutex_unlock(&progress->mutex);
    if (rc == 0)
        connection_close(&connection);
    return NULL;
}

static void wait_for_workers(struct pool *pool)
{
    while (pool->running > 0) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += 50000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&pool->changed, &pool->progress->mutex, &until);
        show_progress(pool->progress);
    }
    if (terminal.is_progress_line && !pool->progress->is_silent)
        bar_clear();
}

int pool_run(const struct session *session, unsigned jobs, size_t count, pool_work *work, void *context,
             struct progress *progress)
{
    struct pool pool = {.session = session, .work = work, .context = context, .progress = progress, .count = count};
    pthread_t *threads = must_alloc(jobs * sizeof *threads);
    size_t started = 0;
    pthread_mutex_init(&progress->mutex, NULL);
    pthread_condattr_t by_monotonic;
    pthread_condattr_init(&by_monotonic);
    pthread_condattr_setclock(&by_monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&pool.changed, &by_monotonic);
    pthread_condattr_destroy(&by_monotonic);
    progress->total = count;
    progress->start_s = progress->shown_s = now_s();
    memset(progress->counts, 0, sizeof progress->counts);
    pthread_mutex_lock(&progress->mutex);
    while (started < jobs && started < count && pthread_create(&threads[started], NULL, run_worker, &pool) == 0)
        started++;
    pool.running += started;
    wait_for_workers(&pool);
    pthread_mutex_unlock(&progress->mutex);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_cond_destroy(&pool.changed);
    pthread_mutex_destroy(&progress->mutex);
    free(threads);
    return count > 0 && pool.connections == 0 && !is_interrupted() ? STATUS_SERVER : STATUS_DONE;
}

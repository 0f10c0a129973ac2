#include "clients/cli/server/long_request.h"

#include "clients/cli/output/bar.h"
#include "clients/cli/output/json.h"
#include "clients/cli/output/terminal.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SHORT_S 1.0 /* of less nothing is shown */
#define PAINT_S 0.1
#define LOG_S   5.0
#define MOST    0.99 /* the bar is full when the answer is there */

/* What a thread shows while another waits for the answer. */
struct shown {
    const char *what, *model;
    double expected_s, start_s;
    bool is_over; /* under the mutex */
    pthread_mutex_t mutex;
    pthread_cond_t over;
    pthread_t thread;
};

static void show(const struct shown *shown)
{
    const double elapsed_s = now_s() - shown->start_s, left_s = shown->expected_s - elapsed_s;
    struct text what = {0}, state = {0};
    text_printf(&what, "%s %s", shown->what, shown->model);
    if (left_s >= SHORT_S) {
        text_put(&state, "about ");
        bar_put_duration(&state, left_s);
        text_put(&state, " left");
    } else {
        bar_put_duration(&state, elapsed_s);
        text_put(&state, left_s > -SHORT_S ? "" : ", longer than expected");
    }
    if (terminal.is_progress_line)
        bar_paint(what.at, fmin(elapsed_s / shown->expected_s, MOST), state.at);
    else
        terminal_info("%s: %s", what.at, state.at);
    text_free(&what);
    text_free(&state);
}

static void *run(void *context)
{
    struct shown *shown = context;
    const double pause_s = terminal.is_progress_line ? PAINT_S : LOG_S;
    pthread_mutex_lock(&shown->mutex);
    while (!shown->is_over) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        const double end_s = (double)until.tv_sec + (double)until.tv_nsec / 1e9 + pause_s;
        until.tv_sec = (time_t)end_s;
        until.tv_nsec = (long)((end_s - floor(end_s)) * 1e9);
        pthread_cond_timedwait(&shown->over, &shown->mutex, &until);
        if (!shown->is_over)
            show(shown);
    }
    pthread_mutex_unlock(&shown->mutex);
    return NULL;
}

/* False: nothing is shown. */
static bool begin(struct shown *shown, const char *what, const char *model, double expected_s)
{
    if (terminal.is_quiet || !(expected_s >= SHORT_S))
        return false;
    *shown = (struct shown){.what = what, .model = model, .expected_s = expected_s, .start_s = now_s()};
    pthread_condattr_t by_monotonic;
    pthread_condattr_init(&by_monotonic);
    pthread_condattr_setclock(&by_monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&shown->mutex, NULL);
    pthread_cond_init(&shown->over, &by_monotonic);
    pthread_condattr_destroy(&by_monotonic);
    return pthread_create(&shown->thread, NULL, run, shown) == 0;
}

static void end(struct shown *shown)
{
    pthread_mutex_lock(&shown->mutex);
    shown->is_over = true;
    pthread_cond_signal(&shown->over);
    pthread_mutex_unlock(&shown->mutex);
    pthread_join(shown->thread, NULL);
    pthread_cond_destroy(&shown->over);
    pthread_mutex_destroy(&shown->mutex);
    if (terminal.is_progress_line)
        bar_clear();
}

static int request_shown(struct connection *connection, const char *what, double expected_s, const char *operation,
                         const char *model, const char *query, const char *body, struct posed_packet *answer)
{
    struct shown shown;
    const bool is_shown = begin(&shown, what, model, expected_s);
    const int rc = connection_request_model(connection, operation, model, query, body, answer);
    if (is_shown)
        end(&shown);
    return rc;
}

/* *imports: models that are to be read first. */
static int ask(struct connection *connection, const char *operation, const char *model, const char *query,
               struct long_request_estimate *estimate, double *imports, struct posed_packet *answer)
{
    struct text with = {0};
    text_printf(&with, "%s&estimate=1", query);
    const int rc = connection_request_model(connection, operation, model, with.at, NULL, answer);
    text_free(&with);
    if (rc != 0)
        return rc;
    cJSON *json = cJSON_ParseWithLength((const char *)answer->data, answer->data_bytes);
    const cJSON *told = json_get(json, "estimate");
    const double bytes = json_number(told, "bytes");
    *estimate = (struct long_request_estimate){json_number(told, "seconds"), isnan(bytes) ? -1 : bytes};
    *imports = json_number(told, "imports");
    cJSON_Delete(json);
    return 0;
}

int long_request_ask(struct connection *connection, const char *what, const char *operation, const char *model,
                     const char *query, struct long_request_estimate *estimate, struct posed_packet *answer)
{
    double imports = 0;
    int rc = ask(connection, operation, model, query, estimate, &imports, answer);
    if (rc != 0 || !(imports > 0))
        return rc;
    struct text reading = {0};
    text_printf(&reading, "%s: reading", what);
    rc = request_shown(connection, reading.at, estimate->seconds, "model", model, "", NULL, answer);
    text_free(&reading);
    return rc != 0 ? rc : ask(connection, operation, model, query, estimate, &imports, answer);
}

int long_request(struct connection *connection, const char *what, const char *operation, const char *model,
                 const char *query, const char *body, struct posed_packet *answer)
{
    struct long_request_estimate estimate = {0};
    int rc = 0;
    if (!terminal.is_quiet && body == NULL)
        rc = long_request_ask(connection, what, operation, model, query, &estimate, answer);
    if (rc == POSED_E_SERVER) /* what is wrong with the request is told by its own answer */
        estimate.seconds = 0;
    else if (rc != 0)
        return rc;
    return request_shown(connection, what, estimate.seconds, operation, model, query, body, answer);
}

/* posectl bench: measures requests per second and latency. Each connection sends one request after the other, by
 * handle. Every request has random times of the first clip, so the server's memory holds no answer. */
#include "clients/cli/command_line/commands.h"
#include "clients/cli/output/json.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/server/command_context.h"
#include "clients/cli/server/pool.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES_MAX = 1 << 22, PERCENTILES = 4 };

/* All connections start together, when each is open, the model is in memory and a renderer runs. */
struct start {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    size_t ready;
    double at_s; /* 0: not yet */
};

struct runner {
    struct start *start;
    const struct session *session;
    const char *model;
    int kind; /* enum posed_kind */
    uint32_t side;
    double seconds;
    uint64_t random;
    pthread_t thread;
    float *latencies_ms;
    size_t count, capacity;
    uint64_t bytes;
    char code[64], problem[POSED_MESSAGE_MAX];
};

/* xorshift64* (Vigna 2016), scaled to 0 .. 1. */
static double next_random(struct runner *runner)
{
    runner->random ^= runner->random >> 12;
    runner->random ^= runner->random << 25;
    runner->random ^= runner->random >> 27;
    return (double)((runner->random * 2685821657736338717ULL) >> 11) / 9007199254740992.0;
}

static int ask(struct runner *runner, struct connection *connection, struct posed_model *model,
               const struct posed_query *query)
{
    struct posed_packet answer;
    const struct posed_picture picture = {.width = runner->side, .height = runner->side};
    const int rc = runner->kind == POSED_RENDER ? posed_render(&connection->posed, model, query, &picture, &answer)
                                                : posed_ask(&connection->posed, runner->kind, model, query, &answer);
    if (rc == 0)
        runner->bytes += answer.data_bytes;
    return rc;
}

static void note(struct runner *runner, double latency_s)
{
    if (runner->count == runner->capacity && runner->capacity < SAMPLES_MAX) {
        runner->capacity = runner->capacity * 2 + 4096;
        runner->latencies_ms = must_grow(runner->latencies_ms, runner->capacity * sizeof *runner->latencies_ms);
    }
    if (runner->count < runner->capacity)
        runner->latencies_ms[runner->count++] = (float)(latency_s * 1000);
}

/* Waits for all connections, and returns the start time. */
static double wait_for_start(struct start *start)
{
    pthread_mutex_lock(&start->mutex);
    start->ready++;
    pthread_cond_broadcast(&start->changed);
    while (!(start->at_s > 0))
        pthread_cond_wait(&start->changed, &start->mutex);
    const double at_s = start->at_s;
    pthread_mutex_unlock(&start->mutex);
    return at_s;
}

static void start_all(struct start *start, size_t runners)
{
    pthread_mutex_lock(&start->mutex);
    while (start->ready < runners)
        pthread_cond_wait(&start->changed, &start->mutex);
    start->at_s = now_s();
    pthread_cond_broadcast(&start->changed);
    pthread_mutex_unlock(&start->mutex);
}

static void *run_connection(void *context)
{
    struct runner *runner = context;
    struct connection connection;
    struct posed_model model;
    struct posed_found clip;
    struct posed_query query;
    double time_s = 0, duration_s = 1;
    if (connection_open(&connection, runner->session, NULL, NULL) < 0) {
        snprintf(runner->code, sizeof runner->code, "connection_lost");
        snprintf(runner->problem, sizeof runner->problem, "no connection");
        (void)wait_for_start(runner->start);
        return NULL;
    }
    posed_query_init(&query);
    query.times = &time_s;
    query.time_count = 1;
    int rc = posed_open(&connection.posed, runner->model, &model);
    if (rc == 0 && model.clip_count > 0 &&
        (rc = posed_find_index(&connection.posed, &model, POSED_WHAT_CLIP, 0, &clip)) == 0)
        duration_s = clip.duration_s;
    if (rc == 0)
        rc = ask(runner, &connection, &model, &query); /* the first request may start a renderer */
    runner->bytes = 0;
    const double until_s = wait_for_start(runner->start) + runner->seconds;
    /* Sends at least one request, even if the thread got no processor time before the end. */
    while (rc == 0 && (runner->count == 0 || now_s() < until_s) && !is_interrupted()) {
        const double start_s = now_s();
        time_s = next_random(runner) * duration_s;
        rc = ask(runner, &connection, &model, &query);
        if (rc == 0)
            note(runner, now_s() - start_s);
    }
    if (rc < 0) {
        connection_error_code(&connection, runner->code);
        snprintf(runner->problem, sizeof runner->problem, "%s", connection.posed.error.message);
    }
    connection_close(&connection);
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

struct result {
    size_t count;
    double seconds, bytes, percentiles_ms[PERCENTILES];
};
static const double SHARES[PERCENTILES] = {0.5, 0.9, 0.99, 1};

static void sum_up(struct runner *runners, size_t count, struct result *out)
{
    float *all = NULL;
    for (size_t i = 0; i < count; i++) {
        all = must_grow(all, (out->count + runners[i].count + 1) * sizeof *all);
        if (runners[i].count > 0)
            memcpy(all + out->count, runners[i].latencies_ms, runners[i].count * sizeof *all);
        out->count += runners[i].count;
        out->bytes += (double)runners[i].bytes;
    }
    if (out->count > 0)
        qsort(all, out->count, sizeof *all, by_value);
    for (int i = 0; i < PERCENTILES && out->count > 0; i++)
        out->percentiles_ms[i] = (double)all[(size_t)((double)(out->count - 1) * SHARES[i])];
    free(all);
}

static void report(const struct args *args, const char *model, size_t connections, const struct result *result)
{
    static const char *const NAMES[PERCENTILES] = {"p50", "p90", "p99", "max"};
    const char *op = args_text(args, OPTION_OP, "palette");
    const double rate = (double)result->count / result->seconds;
    if (!terminal.is_json) {
        printf("%s of ", op);
        struct text name = {0};
        text_put_printable(&name, model);
        printf("%s, %zu connections, %.1f s\n", name.at, connections, result->seconds);
        text_free(&name);
        printf("  %.0f answers, %s%.0f a second%s, %.1f MB/s\n  latency", (double)result->count, colour(COLOUR_BOLD),
               rate, colour(COLOUR_NONE), result->bytes / result->seconds / 1e6);
        for (int i = 0; i < PERCENTILES; i++)
            printf("  %s %.3f ms", NAMES[i], result->percentiles_ms[i]);
        putchar('\n');
        return;
    }
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "op", op);
    cJSON_AddStringToObject(json, "model", model);
    cJSON_AddNumberToObject(json, "connections", (double)connections);
    cJSON_AddNumberToObject(json, "seconds", result->seconds);
    cJSON_AddNumberToObject(json, "answers", (double)result->count);
    cJSON_AddNumberToObject(json, "answers_per_second", rate);
    cJSON_AddNumberToObject(json, "bytes_per_second", result->bytes / result->seconds);
    cJSON *latency = cJSON_AddObjectToObject(json, "latency_ms");
    for (int i = 0; i < PERCENTILES; i++)
        cJSON_AddNumberToObject(latency, NAMES[i], result->percentiles_ms[i]);
    json_print(json);
}

static int kind_of(const char *op)
{
    return strcmp(op, "pose") == 0     ? POSED_POSE
           : strcmp(op, "mesh") == 0   ? POSED_MESH
           : strcmp(op, "render") == 0 ? POSED_RENDER
                                       : POSED_PALETTE;
}

static int run_runners(const struct args *args, const struct command_context *context)
{
    const size_t connections = (size_t)args_number(args, OPTION_CONNECTIONS, 4);
    struct start start = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    struct runner *runners = must_alloc(connections * sizeof *runners);
    struct result result = {0};
    size_t started = 0;
    int status = STATUS_DONE;
    for (size_t i = 0; i < connections; i++) {
        runners[i] = (struct runner){.start = &start,
                                     .session = &context->session,
                                     .model = context->paths.arguments[0].path,
                                     .kind = kind_of(args_text(args, OPTION_OP, "palette")),
                                     .side = (uint32_t)args_number(args, OPTION_SIZE, 256),
                                     .seconds = args_number(args, OPTION_SECONDS, 3),
                                     .random = 88172645463325252ULL * (i + 1)};
        if (pthread_create(&runners[i].thread, NULL, run_connection, &runners[i]) != 0)
            break;
        started++;
    }
    start_all(&start, started);
    for (size_t i = 0; i < started; i++)
        pthread_join(runners[i].thread, NULL);
    result.seconds = now_s() - start.at_s;
    for (size_t i = 0; i < started && status == STATUS_DONE; i++)
        if (runners[i].problem[0] != '\0') {
            terminal_coded_error(runners[i].code, runners[i].problem, NULL, 0);
            status = STATUS_FAILED;
        }
    sum_up(runners, started, &result);
    if (status == STATUS_DONE)
        report(args, context->paths.arguments[0].path, started, &result);
    for (size_t i = 0; i < started; i++)
        free(runners[i].latencies_ms);
    free(runners);
    return status;
}

int run_bench(const struct args *args)
{
    struct command_context context = {0};
    int status = context_open_models(&context, args, 1, pool_cores());
    if (status == STATUS_DONE)
        status = run_runners(args, &context);
    context_close(&context);
    return status;
}

/* posectl warm: a private server imports every model of a root into a cache folder, for other servers. */
#include "clients/cli/command_line/commands.h"
#include "clients/cli/output/json.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/server/command_context.h"
#include "clients/cli/server/limit_hint.h"
#include "clients/cli/server/model_list.h"
#include "clients/cli/server/pool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The server drops models from its queue for the disk when the queue is long. Requests wait before it gets that long.
 */
enum { JOBS_MAX = 32, STORING_MAX = 24 };
#define STORING_PAUSE_S 0.01

struct warm {
    const struct args *args;
    const char *folder; /* --cache-dir */
    struct command_context context;
    struct model_list models;
    cJSON **failures; /* [model]: {"code", "message", "model"}, or NULL */
    struct progress progress;
    double stored, found, bytes; /* as the server counts them */
};

/* --- models --- */

/* Returns the server's /v1/stats, which the caller frees. NULL: the server does not answer. */
static cJSON *ask_stats(struct connection *connection)
{
    struct posed_packet answer;
    cJSON *stats;
    return connection_request(connection, "/v1/stats", NULL, &answer) != 0 ||
                   connection_read_json(connection, &answer, &stats) != 0
               ? NULL
               : stats;
}

/* Waits until at most `most` models are left to be written. */
static void await_stores(struct connection *connection, double most)
{
    for (bool is_waiting = true; is_waiting;) {
        cJSON *stats = ask_stats(connection);
        is_waiting = member_number(json_get(stats, "disk"), "storing") > most;
        cJSON_Delete(stats);
        if (is_waiting)
            sleep_s(STORING_PAUSE_S);
    }
}

static cJSON *failure_of(const struct connection *connection, const struct listed_model *model)
{
    char code[64];
    struct text message = {0};
    cJSON *failure = cJSON_CreateObject();
    connection_error_code(connection, code);
    cJSON_AddStringToObject(failure, "code", code);
    text_put(&message, connection_error_message(connection, model->source));
    limit_hint_put(connection, &message);
    cJSON_AddStringToObject(failure, "message", message.at);
    text_free(&message);
    cJSON_AddStringToObject(failure, "model", model->model);
    return failure;
}

/* A pool_work. */
static enum outcome warm_one(struct connection *connection, size_t index, const char **label, void *context)
{
    struct warm *warm = context;
    const struct listed_model *model = &warm->models.items[index];
    struct posed_packet answer;
    *label = model->model;
    if (connection_request_model(connection, "model", model->source, "", NULL, &answer) < 0) {
        warm->failures[index] = failure_of(connection, model);
        return OUTCOME_FAILED;
    }
    await_stores(connection, STORING_MAX);
    if (terminal.is_verbose)
        terminal_info("%s", model->model);
    return OUTCOME_MADE;
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* Counts the files that were read. Several models may be links to the same file. */
static size_t count_files(const struct warm *warm)
{
    size_t count = 0, distinct = 0;
    const char **sources = must_alloc((warm->models.count + 1) * sizeof *sources);
    for (size_t i = 0; i < warm->models.count; i++)
        if (warm->failures[i] == NULL)
            sources[count++] = warm->models.items[i].source;
    qsort(sources, count, sizeof *sources, by_text);
    for (size_t i = 0; i < count; i++)
        distinct += i == 0 || strcmp(sources[i], sources[i - 1]) != 0;
    free(sources);
    return distinct;
}

/* Checks that the folder has all models that could be imported. If not, prints why. */
static int check_stored(struct warm *warm)
{
    await_stores(&warm->context.connection, 0);
    cJSON *stats = ask_stats(&warm->context.connection);
    const cJSON *disk = json_get(stats, "disk");
    warm->stored = member_number(disk, "stored");
    warm->found = member_number(disk, "hits");
    warm->bytes = member_number(disk, "bytes");
    cJSON_Delete(stats);
    const double files = (double)count_files(warm);
    if (disk != NULL && warm->stored + warm->found >= files)
        return STATUS_DONE;
    if (is_interrupted())
        return STATUS_INTERRUPTED;
    terminal_error("%.0f of %.0f models were not stored in %s; the server says:",
                   disk == NULL ? files : files - warm->stored - warm->found, files, warm->folder);
    session_show_log(&warm->context.session, "disk cache");
    return STATUS_SERVER;
}

/* --- the folder --- */

static bool is_entry(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL && (strcmp(dot, ".model") == 0 || strcmp(dot, ".index") == 0);
}

/* --readable: lets the server of another user read everything, and nobody else write it. */
static int make_readable(const char *folder)
{
    DIR *dir = opendir(folder);
    bool is_done = dir != NULL && fchmod(dirfd(dir), 0755) == 0;
    for (const struct dirent *entry; is_done && (entry = readdir(dir)) != NULL;)
        if (is_entry(entry->d_name))
            is_done = fchmodat(dirfd(dir), entry->d_name, 0644, 0) == 0 || errno == ENOENT;
    if (!is_done)
        terminal_error("cannot let others read %s: %s", folder, strerror(errno));
    if (dir != NULL)
        closedir(dir);
    return is_done ? STATUS_DONE : STATUS_SERVER;
}

/* --- the report --- */

static void report_json(struct warm *warm, double elapsed_s)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "models", (double)warm->models.count);
    cJSON_AddNumberToObject(json, "imported", warm->stored);
    cJSON_AddNumberToObject(json, "found", warm->found);
    cJSON_AddNumberToObject(json, "bytes", warm->bytes);
    cJSON_AddNumberToObject(json, "seconds", elapsed_s);
    cJSON_AddBoolToObject(json, "interrupted", is_interrupted());
    cJSON *failed = cJSON_AddArrayToObject(json, "failed");
    for (size_t i = 0; i < warm->models.count; i++)
        if (warm->failures[i] != NULL)
            cJSON_AddItemToArray(failed, cJSON_Duplicate(warm->failures[i], 1));
    json_print(json);
}

static void report(struct warm *warm)
{
    const double elapsed_s = now_s() - warm->progress.start_s;
    const size_t failed = warm->progress.counts[OUTCOME_FAILED];
    if (terminal.is_json) {
        report_json(warm, elapsed_s);
        return;
    }
    for (size_t i = 0; i < warm->models.count; i++) {
        if (warm->failures[i] == NULL)
            continue;
        struct text line = {0};
        text_printf(&line, "%sfailed%s  ", colour(COLOUR_RED), colour(COLOUR_NONE));
        text_put_printable(&line, warm->models.items[i].model);
        text_put(&line, "  ");
        text_put_printable(&line, member_text(warm->failures[i], "code"));
        text_put(&line, ": ");
        text_put_printable(&line, member_text(warm->failures[i], "message"));
        puts(line.at);
        text_free(&line);
    }
    struct text folder = {0};
    text_put(&folder, "");
    text_put_printable(&folder, warm->folder);
    if (!terminal.is_quiet)
        printf("%zu model%s: %.0f imported, %.0f already there, %s%zu failed%s; %.1f MB in %s, in %.1f s%s\n",
               warm->models.count, warm->models.count == 1 ? "" : "s", warm->stored, warm->found,
               failed > 0 ? colour(COLOUR_RED) : "", failed, failed > 0 ? colour(COLOUR_NONE) : "", warm->bytes / 1e6,
               folder.at, elapsed_s, is_interrupted() ? ", interrupted" : "");
    text_free(&folder);
}

/* --- the command --- */

static int check_arguments(const struct args *args)
{
    struct stat root;
    if (args->positional_count != 1) {
        terminal_error("posectl warm takes one folder: that which servers have as --root");
        return STATUS_USAGE;
    }
    if (stat(args->positional[0], &root) != 0 || !S_ISDIR(root.st_mode)) {
        terminal_error("'%s' is not a folder", args->positional[0]);
        return STATUS_USAGE;
    }
    if (!args_has(args, OPTION_CACHE_DIR)) {
        terminal_error("missing folder to fill: --cache-dir DIR");
        return STATUS_USAGE;
    }
    if (session_address(args) != NULL || args_has(args, OPTION_MODELS)) {
        terminal_error(
            "posectl warm has a private server of its own, whose root is '%s': without --server and --models",
            args->positional[0]);
        return STATUS_USAGE;
    }
    return STATUS_DONE;
}

static int warm_models(struct warm *warm, const struct args *args)
{
    const unsigned cores = pool_jobs(args), jobs = cores > JOBS_MAX ? JOBS_MAX : cores;
    int status = context_open(&warm->context, args, jobs);
    if (status == STATUS_DONE)
        status = model_list_read(&warm->models, &warm->context.paths, args, &warm->context.connection);
    warm->failures = must_alloc((warm->models.count + 1) * sizeof *warm->failures);
    if (status == STATUS_DONE)
        status = pool_run(&warm->context.session, jobs, warm->models.count, warm_one, warm, &warm->progress);
    if (status == STATUS_DONE)
        status = check_stored(warm);
    if (status == STATUS_DONE || status == STATUS_INTERRUPTED)
        report(warm);
    const bool has_failed = warm->progress.counts[OUTCOME_FAILED] > 0 || warm->models.unread > 0;
    return status == STATUS_DONE && has_failed ? STATUS_FAILED : status;
}

int run_warm(const struct args *args)
{
    int status = check_arguments(args);
    if (status != STATUS_DONE)
        return status;
    struct args with_root = *args; /* the argument is the server's root, wherever it is */
    with_root.values[OPTION_MODELS] = args->positional[0];
    struct warm warm = {
        .args = &with_root, .folder = args_text(args, OPTION_CACHE_DIR, ""), .progress = {.what = "warm"}};
    status = warm_models(&warm, &with_root);
    context_close(&warm.context); /* ends the server, which has written everything by then */
    if (status <= STATUS_FAILED && args_has(args, OPTION_READABLE) && make_readable(warm.folder) != STATUS_DONE)
        status = STATUS_SERVER;
    for (size_t i = 0; i < warm.models.count && warm.failures != NULL; i++)
        cJSON_Delete(warm.failures[i]);
    free(warm.failures);
    model_list_free(&warm.models);
    return status;
}

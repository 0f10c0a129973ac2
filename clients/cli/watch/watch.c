/* posectl watch: repeats passes of thumbs over the models that changed. */
#include "clients/cli/command_line/commands.h"
#include "clients/cli/thumbs/thumbs.h"
#include "clients/cli/watch/watcher.h"

#include <stdlib.h>
#include <string.h>

/* How often a failed model is tried again although its files have not changed. */
#define FAILED_AGAIN_S 5.0

struct watch {
    struct thumbs thumbs;
    struct watcher watcher;
    double failed_asked_s; /* when failed models were last tried again */
};

/* --- reports --- */

static void print_change_json(const char *model, const cJSON *entry)
{
    const cJSON *error = json_error(entry), *pictures = json_get(entry, "pictures");
    cJSON *line = cJSON_CreateObject();
    cJSON_AddStringToObject(line, "model", model);
    cJSON_AddItemToObject(line, "pictures", pictures == NULL ? cJSON_CreateArray() : cJSON_Duplicate(pictures, 1));
    cJSON_AddItemToObject(line, "error", error == NULL ? cJSON_CreateNull() : cJSON_Duplicate(error, 1));
    if (entry == NULL)
        cJSON_AddTrueToObject(line, "removed");
    json_print(line);
}

/* Returns whether the entry differs from the previous one. */
static bool has_changed(const cJSON *entry, const cJSON *old)
{
    const cJSON *error = json_error(entry), *old_error = json_error(old);
    if (entry == NULL || old == NULL || (error == NULL) != (old_error == NULL))
        return entry != NULL;
    return error == NULL ? strcmp(member_text(old, "hash"), member_text(entry, "hash")) != 0
                         : strcmp(member_text(error, "message"), member_text(old_error, "message")) != 0;
}

/* Prints a line for each model that was drawn, or fails in a new way. */
static void report_changes(const struct thumbs *thumbs)
{
    for (size_t i = 0; i < thumbs->pass.models.count; i++) {
        const char *model = thumbs->pass.models.items[i].model;
        const cJSON *entry = thumbs->pass.entries[i], *error = json_error(entry);
        if (!has_changed(entry, manifest_find(&thumbs->pass.manifest, model)) || pass_why_skipped(entry)[0] != '\0')
            continue;
        if (pass_is_unmatched(entry))
            pass_warn_unmatched(&thumbs->pass, model);
        if (terminal.is_json)
            print_change_json(model, entry);
        else if (!pass_is_unmatched(entry))
            pass_report_line(error == NULL ? "drawn " : "failed", error == NULL ? COLOUR_GREEN : COLOUR_RED, model,
                             error);
    }
}

/* Prints a line for each model that is gone since the previous pass. Both lists are sorted. */
static void report_removed(const struct watch *watch)
{
    const struct model_list *models = &watch->thumbs.pass.models;
    size_t item = 0;
    for (size_t i = 0; i < watch->watcher.count; i++) {
        const char *model = watch->watcher.models[i].model;
        int order = 1;
        while (item < models->count && (order = strcmp(models->items[item].model, model)) < 0)
            item++;
        if (item < models->count && order == 0)
            continue;
        if (terminal.is_json)
            print_change_json(model, NULL);
        else
            pass_report_line("removed", COLOUR_YELLOW, model, NULL);
    }
}

/* --- passes --- */

/* Chooses the models to ask for: changed ones, new ones, and now and then failed ones. */
static bool *find_due(struct watch *watch)
{
    const struct thumbs *thumbs = &watch->thumbs;
    bool *is_due = must_alloc((thumbs->pass.models.count + 1) * sizeof *is_due);
    const bool is_time = now_s() - watch->failed_asked_s >= FAILED_AGAIN_S;
    if (is_time)
        watch->failed_asked_s = now_s();
    for (size_t i = 0; i < thumbs->pass.models.count; i++) {
        struct watched_model *watched = &watch->watcher.models[i];
        const cJSON *entry = manifest_find(&thumbs->pass.manifest, watched->model);
        const bool has_failed = json_error(entry) != NULL || pass_why_skipped(entry)[0] != '\0';
        is_due[i] = watched->has_changed || (has_failed ? is_time : watched->connection == NULL);
        watched->has_changed = false;
    }
    return is_due;
}

/* Watches every model that could be read and is not watched yet. */
static void watch_all(struct watch *watch)
{
    const struct thumbs *thumbs = &watch->thumbs;
    for (size_t i = 0; i < thumbs->pass.models.count && !is_interrupted(); i++) {
        const cJSON *entry = manifest_find(&thumbs->pass.manifest, thumbs->pass.models.items[i].model);
        if (watch->watcher.models[i].connection == NULL && entry != NULL && json_error(entry) == NULL &&
            pass_why_skipped(entry)[0] == '\0')
            watcher_watch(&watch->watcher, i, member_text(entry, "hash"));
    }
}

static int run_pass(struct watch *watch)
{
    struct thumbs *thumbs = &watch->thumbs;
    const size_t count = watch->watcher.count;
    const bool is_quiet = terminal.is_quiet;
    model_list_free(&thumbs->pass.models);
    int status = pass_list(&thumbs->pass);
    if (status != STATUS_DONE)
        return status;
    report_removed(watch);
    watcher_set_models(&watch->watcher, &thumbs->pass.models);
    bool *is_due = find_due(watch);
    terminal.is_quiet = true; /* no progress */
    status = pass_make(&thumbs->pass, is_due);
    terminal.is_quiet = is_quiet;
    if (status == STATUS_DONE)
        report_changes(thumbs);
    status = thumbs_finish(thumbs, status,
                           thumbs->pass.progress.counts[OUTCOME_MADE] > 0 || thumbs->pass.models.count != count);
    if (status < STATUS_USAGE)
        watch_all(watch);
    free(is_due);
    return status;
}

/* Waits for a running server that was stopped or restarted; returns true if it is back. It does not wait for a private
 * server, because nobody restarts it. */
static bool is_back(struct watch *watch, double interval_s)
{
    struct connection *connection = &watch->thumbs.pass.connected.connection;
    struct posed_packet answer;
    bool has_gone = !connection->posed.is_connected, is_told = false;
    if (connection->session->is_private)
        return false;
    while (!is_interrupted() && connection_request(connection, "/v1/version", NULL, &answer) < 0) {
        if (!is_told)
            terminal_info("waiting for the server");
        has_gone = is_told = true;
        sleep_s(interval_s);
    }
    return has_gone && !is_interrupted();
}

int run_watch(const struct args *args)
{
    const double interval_s = args_number(args, OPTION_INTERVAL, 1);
    struct watch watch = {0};
    int status = thumbs_open(&watch.thumbs, args);
    if (status == STATUS_DONE) {
        watch.watcher.session = &watch.thumbs.pass.connected.session;
        status = thumbs_pass(&watch.thumbs);
        if (status < STATUS_USAGE) {
            watcher_set_models(&watch.watcher, &watch.thumbs.pass.models);
            watch_all(&watch);
        }
        terminal_info("watching; Ctrl-C ends it");
        while (!is_interrupted() &&
               (status < STATUS_USAGE || (status == STATUS_SERVER && is_back(&watch, interval_s)))) {
            watcher_wait(&watch.watcher, interval_s);
            if (!is_interrupted())
                status = run_pass(&watch);
        }
        watcher_close(&watch.watcher);
    }
    thumbs_close(&watch.thumbs);
    return status;
}

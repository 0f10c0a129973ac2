/* posectl thumbs and posectl watch: passes over all models, what came of them, and when to look again. */
#include "clients/cli/thumbs/thumbs.h"

#include "clients/cli/ask/commands.h"
#include "clients/cli/watch/watcher.h"
#include "clients/cli/output/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* watch: so often a model that failed is tried again, if nothing is heard of it. */
#define FAILED_AGAIN_S 5.0

struct pass {
    struct thumbs thumbs;
    struct paths *places;
    struct connection *link;
    struct progress progress;
    size_t count_before;   /* watch: models of the pass before */
    struct watcher news;   /* watch: what the server tells */
    double failed_asked_s; /* watch: when models that had failed were asked for last */
};

static const char *text_of(const cJSON *json, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, name));
    return text == NULL ? "" : text;
}

static const cJSON *error_of(const cJSON *entry)
{
    const cJSON *error = cJSON_GetObjectItemCaseSensitive(entry, "error");
    return cJSON_IsObject(error) ? error : NULL;
}

/* What the pictures depend on, as the query's rest and as a text to compare. */
static int set_options(struct thumbs *thumbs)
{
    const struct args *args = thumbs->args;
    struct text query = {0}, body = {0}, options = {0};
    const char *clips = args_text(args, OPTION_CLIPS, "first");
    if (strcmp(clips, "first") != 0 &&
        (args_parameter(args, "clip") != NULL || args_parameter(args, "clip_name") != NULL)) {
        terminal_error("--clips and --clip together mean two things");
        return STATUS_USAGE;
    }
    args_put_query(args, &query);
    const double size = args_number(args, OPTION_SIZE, 256);
    if (args_parameter(args, "width") == NULL)
        text_printf(&query, "&width=%.0f", size);
    if (args_parameter(args, "height") == NULL)
        text_printf(&query, "&height=%.0f", size);
    thumbs->parameters = must_copy(query.at);
    thumbs->body = args_put_body(args, &body) ? body.at : NULL;
    text_printf(&options, "%s %s %s", thumbs->parameters, clips, thumbs->body == NULL ? "" : thumbs->body);
    thumbs->options = options.at;
    text_free(&query);
    return STATUS_DONE;
}

/* Takes models out of the manifest that this run does not mean, with their pictures, when --prune says so. */
static void prune(struct thumbs *thumbs)
{
    for (size_t i = thumbs->manifest.count; i-- > 0 && args_has(thumbs->args, OPTION_PRUNE);) {
        const cJSON *entry = thumbs->manifest.entries[i];
        bool is_there = false;
        for (size_t k = 0; k < thumbs->count && !is_there; k++)
            is_there = strcmp(thumbs->items[k].model, text_of(entry, "model")) == 0;
        if (is_there)
            continue;
        cJSON *dropped = manifest_remove(&thumbs->manifest, i);
        thumbs_remove_outdated(thumbs, dropped, NULL);
        terminal_info("removed the pictures of %s", text_of(dropped, "model"));
        cJSON_Delete(dropped);
    }
}

/* watch: which models to ask for. Those that changed, those that are new, and now and then those that failed. */
static bool *find_due(struct pass *pass, bool *has_any)
{
    struct thumbs *thumbs = &pass->thumbs;
    bool *is_due = must_alloc((thumbs->count + 1) * sizeof *is_due);
    const bool is_time = now_s() - pass->failed_asked_s >= FAILED_AGAIN_S;
    if (is_time)
        pass->failed_asked_s = now_s();
    for (size_t i = 0; i < thumbs->count; i++) {
        struct watched_model *news = &pass->news.models[i];
        const bool has_failed = error_of(manifest_find(&thumbs->manifest, thumbs->items[i].model)) != NULL;
        is_due[i] = news->has_changed || (has_failed ? is_time : news->link == NULL);
        *has_any |= is_due[i];
        news->has_changed = false;
    }
    return is_due;
}

/* watch: models of the pass before that lie there no more. Both lists are sorted. */
static void report_removed(const struct pass *pass)
{
    size_t item = 0;
    for (size_t i = 0; i < pass->news.count; i++) {
        const char *model = pass->news.models[i].model;
        int order = 1;
        while (item < pass->thumbs.count && (order = strcmp(pass->thumbs.items[item].model, model)) < 0)
            item++;
        if (item == pass->thumbs.count || order != 0)
            thumbs_report_removed(model);
    }
}

/* watch: from now on the server tells of what could be read. */
static void watch_all(struct pass *pass)
{
    const struct thumbs *thumbs = &pass->thumbs;
    for (size_t i = 0; i < thumbs->count && !is_interrupted(); i++) {
        const cJSON *entry = manifest_find(&thumbs->manifest, thumbs->items[i].model);
        if (pass->news.models[i].link == NULL && entry != NULL && error_of(entry) == NULL)
            watcher_watch(&pass->news, i, text_of(entry, "hash"));
    }
}

/* A pattern of --clips that is no clip of any model is a mistake: the run has not made what it was for. */
static int check_clips(const struct pass *pass)
{
    const struct thumbs *thumbs = &pass->thumbs;
    const cJSON *picture;
    for (size_t i = 0; i < thumbs->count; i++)
        cJSON_ArrayForEach(picture, cJSON_GetObjectItemCaseSensitive(
                                        manifest_find(&thumbs->manifest, thumbs->items[i].model), "pictures"))
        {
            if (text_of(picture, "clip")[0] != '\0')
                return STATUS_DONE;
        }
    if (pass->progress.counts[OUTCOME_UNMATCHED] == 0 || is_interrupted())
        return STATUS_DONE;
    terminal_error("--clips '%s' is no clip of any model", args_text(thumbs->args, OPTION_CLIPS, ""));
    return STATUS_FAILED;
}

static int run_pass(struct pass *pass, bool is_first)
{
    struct thumbs *thumbs = &pass->thumbs;
    const bool is_watch = thumbs->args->command == COMMAND_WATCH;
    int status = model_list_read(pass->places, thumbs->args, pass->link, &thumbs->items, &thumbs->count);
    const size_t unread = pass->places->unread;
    pass->places->unread = 0;
    if (is_watch && status == STATUS_DONE) {
        report_removed(pass);
        watcher_set_models(&pass->news, thumbs->items, thumbs->count);
    }
    bool has_any = is_first;
    bool *is_due = is_first || status != STATUS_DONE ? NULL : find_due(pass, &has_any);
    thumbs->is_due = is_due;
    thumbs->entries = must_alloc((thumbs->count + 1) * sizeof(cJSON *));
    thumbs->pictures = 0;
    const bool was_quiet = terminal.is_quiet;
    terminal.is_quiet |= !is_first; /* no bar for a look */
    memset(pass->progress.counts, 0, sizeof pass->progress.counts);
    if (status == STATUS_DONE && has_any)
        status = pool_run(thumbs->session, pool_jobs(thumbs->args), thumbs->count, thumbs_make_model, thumbs,
                          &pass->progress);
    terminal.is_quiet = was_quiet;
    if (status == STATUS_DONE && is_first)
        thumbs_report(thumbs, &pass->progress);
    else if (status == STATUS_DONE)
        thumbs_report_changes(thumbs);
    const bool has_news = is_first || pass->progress.counts[OUTCOME_MADE] > 0 || thumbs->count != pass->count_before;
    pass->count_before = thumbs->count;
    if (status == STATUS_DONE && !is_interrupted())
        prune(thumbs);
    if (manifest_merge(&thumbs->manifest, thumbs->entries, thumbs->count) != STATUS_DONE)
        status = STATUS_SERVER;
    if (status == STATUS_DONE && has_news && (args_has(thumbs->args, OPTION_INDEX) || gallery_is_there(thumbs)))
        status = gallery_write(thumbs);
    if (status == STATUS_DONE && is_watch)
        watch_all(pass);
    else if (status == STATUS_DONE)
        status = check_clips(pass);
    if (status == STATUS_DONE && (pass->progress.counts[OUTCOME_FAILED] > 0 || unread > 0))
        status = STATUS_FAILED;
    model_list_free(thumbs->items, thumbs->count);
    free(thumbs->entries);
    free(is_due);
    return status;
}

/* watch: a server that was stopped or restarted is waited for; true when it was, and is back. A private one has ended
 * for a reason. */
static bool is_back(struct pass *pass, double interval_s)
{
    struct posed_packet answer;
    bool has_gone = !pass->link->posed.is_connected, is_told = false;
    if (pass->link->session->is_private)
        return false;
    while (!is_interrupted() && connection_request(pass->link, "/v1/version", NULL, &answer) < 0) {
        if (!is_told)
            terminal_info("waiting for the server");
        has_gone = is_told = true;
        const struct timespec pause = {.tv_sec = (time_t)interval_s,
                                       .tv_nsec = (long)((interval_s - (double)(time_t)interval_s) * 1e9)};
        nanosleep(&pause, NULL);
    }
    return has_gone && !is_interrupted();
}

static int run_passes(struct pass *pass)
{
    const double interval_s = args_number(pass->thumbs.args, OPTION_INTERVAL, 1);
    int status = run_pass(pass, true);
    if (pass->thumbs.args->command != COMMAND_WATCH)
        return status;
    pass->thumbs.is_forced = false;
    terminal_info("watching; Ctrl-C ends it");
    while (!is_interrupted() && (status < STATUS_USAGE || (status == STATUS_SERVER && is_back(pass, interval_s)))) {
        watcher_wait(&pass->news, interval_s);
        if (!is_interrupted())
            status = run_pass(pass, false);
    }
    watcher_close(&pass->news);
    return status;
}

/* A parameter that the server does not take is a mistake of the command line, not of each model: it is found by a
 * question about no model, for parameters are looked at first. */
static int check_parameters(const struct thumbs *thumbs, struct connection *link)
{
    struct text target = {0};
    struct posed_packet answer;
    text_printf(&target, "/v1/render?model=.posectl/none.glb%s", thumbs->parameters);
    const int rc = connection_request(link, target.at, thumbs->body, &answer);
    const int code = rc == POSED_E_SERVER ? link->posed.error.code : 0;
    int status = STATUS_DONE;
    if (code == POSED_ERR_BAD_PARAMETER || code == POSED_ERR_UNKNOWN_PARAMETER || code == POSED_ERR_BAD_REQUEST) {
        connection_report_error(link);
        status = STATUS_USAGE;
    }
    text_free(&target);
    return status;
}

int run_thumbs(const struct args *args)
{
    struct paths places;
    struct session session = {0};
    struct connection link = {0};
    struct pass pass = {.places = &places, .link = &link, .progress = {.what = COMMANDS[args->command].name}};
    struct thumbs *thumbs = &pass.thumbs;
    thumbs->args = args;
    thumbs->session = pass.news.session = &session;
    thumbs->is_forced = args_has(args, OPTION_FORCE);
    thumbs->out = args_text(args, OPTION_OUT, NULL);
    if (thumbs->out == NULL) {
        terminal_error("say where the pictures go: -o DIR");
        return STATUS_USAGE;
    }
    int status = set_options(thumbs);
    if (status == STATUS_DONE)
        status = paths_resolve(&places, args);
    else
        places = (struct paths){0};
    if (status == STATUS_DONE &&
        (session_start(&session, args, places.folder, pool_jobs(args)) < 0 || connection_open(&link, &session) < 0))
        status = STATUS_SERVER;
    if (status == STATUS_DONE) {
        thumbs->server = link.posed.hello.server;
        status = check_parameters(thumbs, &link);
    }
    if (status == STATUS_DONE) {
        status = manifest_open(&thumbs->manifest, thumbs->out);
        if (status == STATUS_DONE)
            status = run_passes(&pass);
        manifest_close(&thumbs->manifest);
    }
    connection_close(&link);
    session_end(&session);
    paths_free(&places);
    free(thumbs->parameters);
    free(thumbs->options);
    free(thumbs->body);
    return status;
}

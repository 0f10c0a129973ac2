/* posectl diff: compares many pairs of models at the same time, then prints one report. */
#include "clients/cli/diff/diff.h"

#include "clients/cli/command_line/commands.h"
#include "clients/cli/diff/revisions.h"
#include "clients/cli/diff_report/sentences.h"
#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/server/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the metres of a unit of the old model; NaN: the file states none. */
static double ask_unit(struct connection *connection, const struct diff_pair *pair)
{
    cJSON *model = NULL;
    (void)connection_request_json(connection, "model", pair->models[DIFF_OLD], "", NULL, &model);
    const double unit_m = member_number(model, "unit_m");
    cJSON_Delete(model);
    return unit_m;
}

/* Asks the server for the differences. */
static void ask(const struct diff *diff, struct connection *connection, struct diff_pair *pair)
{
    struct text query = {0};
    text_put(&query, "&with=");
    text_put_url(&query, pair->models[DIFF_OLD]);
    args_put_query(diff->args, &query);
    (void)connection_request_json(connection, "compare", pair->models[DIFF_NEW], query.at, NULL, &pair->answer);
    text_free(&query);
    if (pair->answer != NULL) {
        pair->state = cJSON_IsTrue(json_get(pair->answer, "equal")) ? DIFF_EQUAL : DIFF_DIFFERENT;
        if (pair->state == DIFF_DIFFERENT)
            sentences_prepare(pair->answer, ask_unit(connection, pair));
        return;
    }
    pair->state = DIFF_FAILED;
    connection_error_code(connection, pair->code);
    pair->message = must_copy(connection->posed.error.message);
}

static enum outcome compare_one(struct connection *connection, size_t index, const char **label, void *context)
{
    struct diff *diff = context;
    struct diff_pair *pair = &diff->pairs[index];
    *label = pair->name;
    if (pair->models[DIFF_OLD] == NULL)
        pair->state = DIFF_ADDED;
    else if (pair->models[DIFF_NEW] == NULL)
        pair->state = DIFF_REMOVED;
    else if (diff_is_same_file(diff, pair))
        pair->state = DIFF_EQUAL;
    else
        ask(diff, connection, pair);
    pair->is_done = true;
    return pair->state == DIFF_FAILED ? OUTCOME_FAILED : pair->state == DIFF_EQUAL ? OUTCOME_UNCHANGED : OUTCOME_MADE;
}

/* Returns whether the server refused an option of the command line. */
static bool has_bad_option(const struct diff *diff)
{
    for (size_t i = 0; i < diff->count; i++)
        if (strcmp(diff->pairs[i].code, "bad_parameter") == 0 || strcmp(diff->pairs[i].code, "unknown_parameter") == 0)
            return true;
    return false;
}

/* Writes the report. Returns STATUS_FAILED if any pair differs or could not be compared. */
static int give_report(struct diff *diff)
{
    const char *format = args_text(diff->args, OPTION_DIFF_FORMAT, terminal.is_json ? "json" : "text");
    const char *file = args_text(diff->args, OPTION_FILE, NULL);
    size_t counts[DIFF_STATES], skipped;
    struct text out = {0};
    int status = STATUS_DONE;
    if (file != NULL && strcmp(file, "-") != 0)
        terminal.has_colour = false;
    if (strcmp(format, "json") == 0)
        diff_report_json(diff, &out);
    else if (strcmp(format, "junit") == 0)
        diff_report_junit(diff, &out);
    else if (strcmp(format, "sarif") == 0)
        diff_report_sarif(diff, &out);
    else if (strcmp(format, "markdown") == 0)
        status = diff_report_markdown(diff, file, &out);
    else
        diff_report_text(diff, &out);
    if (status == STATUS_DONE)
        status = output_give(file, out.at == NULL ? "" : out.at, out.size_bytes);
    text_free(&out);
    diff_count(diff, counts, &skipped);
    if (status == STATUS_DONE && has_bad_option(diff))
        return STATUS_USAGE;
    return status != STATUS_DONE ? status : counts[DIFF_EQUAL] == diff->count ? STATUS_DONE : STATUS_FAILED;
}

static int compare_models(struct diff *diff)
{
    struct progress progress = {.what = "diff"};
    int status = context_open(&diff->context, diff->args, pool_jobs(diff->args));
    if (status == STATUS_DONE)
        status = diff_list_pairs(diff);
    if (status == STATUS_DONE)
        status = pool_run(&diff->context.session, pool_jobs(diff->args), diff->count, compare_one, diff, &progress);
    diff->seconds = now_s() - progress.start_s;
    return status == STATUS_DONE ? give_report(diff) : status;
}

/* Compares the revisions that --git names, as OLD and NEW. */
static int compare_revisions(struct diff *diff, const struct args *args)
{
    struct revisions revisions;
    int status = revisions_check_out(&revisions, args);
    diff->in_folders = *args;
    for (int s = 0; s < DIFF_SIDES; s++)
        diff->folders[s] = revisions.folders[s];
    diff->in_folders.positional = diff->folders;
    diff->in_folders.positional_count = DIFF_SIDES;
    diff->in_folders.values[OPTION_MODELS] = revisions.folder;
    diff->args = &diff->in_folders;
    if (status == STATUS_DONE && revisions.model_count == 0)
        status = give_report(diff);
    else if (status == STATUS_DONE)
        status = compare_models(diff);
    context_close(&diff->context);
    revisions_remove(&revisions);
    return status;
}

/* Returns whether there is an option for pictures without a page. */
static bool has_idle_option(const struct args *args)
{
    static const enum option_id OF_PAGES[] = {OPTION_PICTURES, OPTION_DIFF_SIZE};
    for (size_t i = 0; i < sizeof OF_PAGES / sizeof *OF_PAGES; i++)
        if (args_has(args, OF_PAGES[i]) && strcmp(args_text(args, OPTION_DIFF_FORMAT, ""), "markdown") != 0) {
            terminal_error("--%s needs --format markdown", OPTIONS[OF_PAGES[i]].name);
            return true;
        }
    return false;
}

int run_diff(const struct args *args)
{
    struct diff diff = {.args = args};
    int status;
    if (has_idle_option(args)) {
        status = STATUS_USAGE;
    } else if (args_has(args, OPTION_GIT)) {
        status = compare_revisions(&diff, args);
    } else if (args->positional_count != DIFF_SIDES) {
        terminal_error("posectl diff takes OLD and NEW, two models or two folders; see posectl diff --help");
        status = STATUS_USAGE;
    } else {
        status = compare_models(&diff);
        context_close(&diff.context);
    }
    diff_free_pairs(&diff);
    return status;
}

/* posectl check and flex: look at many models at the same time, then print one report. */
#include "clients/cli/check/check.h"

#include "clients/cli/check/skeleton.h"
#include "clients/cli/command_line/commands.h"
#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/server/command_context.h"
#include "clients/cli/server/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum outcome check_one(struct connection *connection, size_t index, const char **label, void *context)
{
    struct check *check = context;
    struct findings *findings = &check->findings[index];
    *label = check->models.items[index].model;
    check->inspect(check, connection, index);
    findings->is_done = true;
    return findings->is_unreadable ? OUTCOME_FAILED : OUTCOME_MADE;
}

/* Returns the format of a report that is written to `file`, or NULL, by its extension. */
static const char *format_of(const char *file)
{
    static const char *const FORMATS[][2] = {{".json", "json"}, {".xml", "junit"}, {".sarif", "sarif"}};
    const char *extension = file == NULL ? NULL : strrchr(file, '.');
    for (size_t i = 0; extension != NULL && i < sizeof FORMATS / sizeof *FORMATS; i++)
        if (strcmp(extension, FORMATS[i][0]) == 0)
            return FORMATS[i][1];
    return "text";
}

/* Writes the report. Returns STATUS_FAILED if a finding is at least as severe as --fail-on. */
static int give_report(const struct check *check)
{
    const char *fail_on = args_text(check->args, OPTION_FAIL_ON, "error");
    const char *file = args_text(check->args, OPTION_FILE, NULL);
    const char *format = args_text(check->args, OPTION_FORMAT, terminal.is_json ? "json" : format_of(file));
    const int threshold = strcmp(fail_on, "never") == 0 ? SEVERITY_COUNT : severity_find(fail_on);
    struct text out = {0};
    if (file != NULL && strcmp(file, "-") != 0)
        terminal.has_colour = false;
    if (strcmp(format, "json") == 0)
        check_report_json(check, &out);
    else if (strcmp(format, "junit") == 0)
        check_report_junit(check, &out);
    else if (strcmp(format, "sarif") == 0)
        check_report_sarif(check, &out);
    else
        check_report_text(check, &out);
    int status = output_give(file, out.at, out.size_bytes);
    text_free(&out);
    for (size_t i = 0; i < check->models.count && status == STATUS_DONE; i++)
        for (size_t k = 0; k < check->findings[i].count; k++)
            if (!check->findings[i].at[k].is_accepted && (int)check->findings[i].at[k].severity >= threshold)
                status = STATUS_FAILED;
    return status;
}

/* --- rules of folders --- */

/* Returns the skeleton of the rules' reference. Reads it, unless other rules named the same reference. */
static const struct skeleton *find_reference(struct check *check, struct connection *connection,
                                             const struct rule_set *rules)
{
    const struct rule_file *file = rules->places[KEY_REFERENCE_SKELETON];
    const cJSON *value = rules->values[KEY_REFERENCE_SKELETON];
    char *path = skeleton_place(file, value->valuestring);
    struct skeleton *skeleton = NULL;
    if (path == NULL) {
        struct text line = {0};
        json_file_put_place(&file->file, value, &line);
        terminal_error("%s'%s' leads out of the folder of the models, which --models sets", line.at,
                       KEYS[KEY_REFERENCE_SKELETON].name);
        text_free(&line);
        return NULL;
    }
    for (size_t i = 0; i < check->skeleton_count && skeleton == NULL; i++)
        if (strcmp(check->skeletons[i]->path, path) == 0)
            skeleton = check->skeletons[i];
    if (skeleton == NULL && (skeleton = skeleton_read(connection, path, file, value)) != NULL) {
        check->skeletons = must_grow(check->skeletons, (check->skeleton_count + 1) * sizeof(struct skeleton *));
        check->skeletons[check->skeleton_count++] = skeleton;
    }
    free(path);
    return skeleton;
}

/* Reads the rule files of all models' folders, and drops the models that they exclude. Prints the errors of every bad
 * file. */
static int read_rules(struct check *check)
{
    int status = STATUS_DONE;
    size_t kept = 0;
    check->sets = must_alloc((check->models.count + 1) * sizeof *check->sets);
    for (size_t i = 0; i < check->models.count; i++) {
        const struct rule_set *set = rule_sets_find(&check->rules, check->models.items[i].model);
        if (set == NULL)
            status = STATUS_USAGE;
        if (set != NULL && rules_ignore(&check->rules, set, check->models.items[i].model)) {
            model_list_free_item(&check->models.items[i]);
            check->ignored++;
            continue;
        }
        check->models.items[kept] = check->models.items[i];
        check->sets[kept++] = set;
    }
    check->models.count = kept;
    return status;
}

static int read_references(struct check *check, struct connection *connection)
{
    for (size_t i = 0; i < check->rules.count; i++) {
        struct rule_set *set = check->rules.sets[i];
        const bool is_set = set->values[KEY_REFERENCE_SKELETON] != NULL;
        if (is_set && (set->reference = find_reference(check, connection, set)) == NULL)
            return STATUS_USAGE;
    }
    return STATUS_DONE;
}

/* --- the command --- */

/* Reads and writes the accepted findings, then the report. */
static int finish(struct check *check)
{
    const char *file = args_text(check->args, OPTION_WRITE_BASELINE, NULL);
    int status = STATUS_DONE;
    if (file != NULL && !is_interrupted())
        status = baseline_write(check, check->rules.root, file);
    if (file != NULL && status == STATUS_DONE && !is_interrupted()) {
        baseline_free(&check->baseline); /* everything that was written is accepted from now on */
        status = baseline_read(&check->baseline, file);
    }
    baseline_apply(check, check->rules.root);
    return status == STATUS_DONE ? give_report(check) : status;
}

/* Prints what the server has against the command line, once, or that no model has what it names. Returns STATUS_USAGE
 * if there is something. */
static int tell_refusal(const struct check *check)
{
    size_t lack_count = 0;
    const char *refusal = NULL;
    for (size_t i = 0; i < check->models.count && refusal == NULL; i++) {
        refusal = check->findings[i].refusal;
        lack_count += check->findings[i].lack != NULL;
    }
    if (refusal == NULL && lack_count > 0 && lack_count == check->models.count)
        refusal = check->findings[0].lack;
    if (refusal != NULL)
        terminal_error("%s", refusal);
    return refusal != NULL ? STATUS_USAGE : STATUS_DONE;
}

static bool is_sheet_good(const struct check *check)
{
    const char *file = args_text(check->args, OPTION_FLEX_SHEET, NULL);
    const char *extension = file == NULL ? NULL : strrchr(file, '.');
    if (file != NULL && check->models.count != 1)
        terminal_error("--sheet is a picture of one model, and these are %zu", check->models.count);
    else if (file != NULL && (extension == NULL || strcmp(extension, ".png") != 0))
        terminal_error("--sheet writes a PNG: the name of its file ends in .png, and '%s' does not", file);
    else
        return true;
    return false;
}

/* Draws the sheet of flex, if one is asked for and the model was measured. Returns STATUS_FAILED if that fails. */
static int draw_sheet(const struct check *check, struct connection *connection)
{
    const cJSON *answer = check->models.count > 0 ? check->findings[0].sheet_answer : NULL;
    const char *file = args_text(check->args, OPTION_FLEX_SHEET, "");
    const bool is_drawn =
        answer == NULL || flex_sheet_give(connection, check->models.items[0].source, answer, file) == 0;
    return is_drawn ? STATUS_DONE : STATUS_FAILED;
}

static int check_models(struct check *check, struct command_context *context)
{
    struct progress progress = {.what = check->command};
    int drawn = STATUS_DONE;
    int status = context_open(context, check->args, pool_jobs(check->args));
    if (status == STATUS_DONE)
        status = model_list_read(&check->models, &context->paths, check->args, &context->connection);
    check->rules.root = context->session.folder;
    if (status == STATUS_DONE)
        status = read_rules(check);
    if (status == STATUS_DONE)
        status = read_references(check, &context->connection);
    check->findings = must_alloc((check->models.count + 1) * sizeof *check->findings);
    if (status == STATUS_DONE && !is_sheet_good(check))
        status = STATUS_USAGE;
    if (status == STATUS_DONE)
        status = pool_run(&context->session, pool_jobs(check->args), check->models.count, check_one, check, &progress);
    check->seconds = now_s() - progress.start_s;
    if (status == STATUS_DONE)
        status = tell_refusal(check);
    if (status == STATUS_DONE)
        drawn = draw_sheet(check, &context->connection);
    if (status == STATUS_DONE)
        status = finish(check);
    return status == STATUS_DONE && check->models.unread > 0 ? STATUS_FAILED : status == STATUS_DONE ? drawn : status;
}

static void free_check(struct check *check)
{
    for (size_t i = 0; i < check->models.count && check->findings != NULL; i++) {
        for (size_t k = 0; k < check->findings[i].count; k++) {
            free(check->findings[i].at[k].subject);
            free(check->findings[i].at[k].message);
        }
        for (size_t k = 0; k < check->findings[i].note_count; k++)
            free(check->findings[i].notes[k].message);
        free(check->findings[i].refusal);
        free(check->findings[i].lack);
        cJSON_Delete(check->findings[i].sheet_answer);
        free(check->findings[i].at);
        free(check->findings[i].notes);
    }
    for (size_t i = 0; i < check->skeleton_count; i++)
        skeleton_free(check->skeletons[i]);
    free(check->skeletons);
    free(check->findings);
    free(check->sets);
    rule_sets_close(&check->rules);
    baseline_free(&check->baseline);
    model_list_free(&check->models);
}

static int run(const struct args *args, const char *command, inspect_fn *inspect)
{
    struct check check = {.command = command, .is_flex = inspect == check_flex, .inspect = inspect, .args = args};
    struct command_context context = {0};
    const char *known = args_text(args, OPTION_BASELINE, NULL);
    int status = rule_sets_open(&check.rules, args);
    if (status == STATUS_DONE && args_has(args, OPTION_RULES))
        status = rules_list(check.rules.sets[0]->severities);
    else {
        if (status == STATUS_DONE && known != NULL)
            status = baseline_read(&check.baseline, known);
        if (status == STATUS_DONE)
            status = check_models(&check, &context);
    }
    free_check(&check);
    context_close(&context);
    return status;
}

int run_check(const struct args *args) { return run(args, "check", check_model); }
int run_flex(const struct args *args) { return run(args, "flex", check_flex); }

/* Reports a pass, for people and as JSON: pass.h. */
#include "clients/cli/pass/pass.h"

#include "clients/cli/output/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const cJSON *pass_entry(const struct pass *pass, size_t index)
{
    const cJSON *entry = pass->entries[index];
    return entry != NULL ? entry : manifest_find(&pass->manifest, pass->models.items[index].model);
}

bool pass_is_remembered(const struct pass *pass, size_t index)
{
    return cJSON_IsTrue(json_get(pass->entries[index], "remembered"));
}

static void add_skipped(cJSON *list, const char *model, const cJSON *entry)
{
    if (pass_why_skipped(entry)[0] == '\0')
        return;
    cJSON *skipped = cJSON_CreateObject();
    cJSON_AddStringToObject(skipped, "model", model);
    cJSON_AddStringToObject(skipped, "message", pass_why_skipped(entry));
    cJSON_AddItemToArray(list, skipped);
}

static cJSON *json_of(const struct pass *pass, double elapsed_s)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "models", (double)pass->models.count);
    cJSON_AddNumberToObject(json, "made", (double)pass->progress.counts[OUTCOME_MADE]);
    cJSON_AddNumberToObject(json, "unchanged", (double)pass->progress.counts[OUTCOME_UNCHANGED]);
    cJSON_AddNumberToObject(json, pass->kind->outputs, (double)pass->progress.outputs);
    cJSON_AddNumberToObject(json, "seconds", elapsed_s);
    cJSON_AddBoolToObject(json, "interrupted", is_interrupted());
    cJSON *failed = cJSON_AddArrayToObject(json, "failed"), *unmatched = cJSON_AddArrayToObject(json, "unmatched");
    cJSON *skipped = cJSON_AddArrayToObject(json, "skipped");
    for (size_t i = 0; i < pass->models.count; i++) {
        const cJSON *error = json_error(pass->entries[i]);
        if (pass_is_unmatched(pass_entry(pass, i)))
            cJSON_AddItemToArray(unmatched, cJSON_CreateString(pass->models.items[i].model));
        add_skipped(skipped, pass->models.items[i].model, pass->entries[i]);
        if (error == NULL)
            continue;
        cJSON *entry = cJSON_Duplicate(error, 1);
        cJSON_AddStringToObject(entry, "model", pass->models.items[i].model);
        cJSON_AddBoolToObject(entry, "remembered", pass_is_remembered(pass, i));
        cJSON_AddItemToArray(failed, entry);
    }
    if (pass->kind->list_name != NULL) {
        struct text path = {0};
        text_printf(&path, "%s/%s", pass->out, pass->kind->list_file);
        cJSON_AddStringToObject(json, pass->kind->list_name, path.at);
        text_free(&path);
    }
    if (pass->kind->add_json != NULL)
        pass->kind->add_json(pass, json);
    return json;
}

void pass_report_line(const char *what, enum colour shade, const char *model, const cJSON *error)
{
    struct text out = {0};
    text_printf(&out, "%s%s%s  ", colour(shade), what, colour(COLOUR_NONE));
    text_put_printable(&out, model);
    if (error != NULL) {
        text_put(&out, "  ");
        text_put_printable(&out, member_text(error, "code"));
        text_put(&out, ": ");
    }
    text_put_printable(&out, member_text(error, "message"));
    puts(out.at);
    fflush(stdout);
    text_free(&out);
}

static void report_skipped(const char *model, const cJSON *entry)
{
    struct text out = {0};
    if (pass_why_skipped(entry)[0] == '\0')
        return;
    text_printf(&out, "%sskipped%s  ", colour(COLOUR_DIM), colour(COLOUR_NONE));
    text_put_printable(&out, model);
    text_put(&out, "  ");
    text_put_printable(&out, pass_why_skipped(entry));
    puts(out.at);
    text_free(&out);
}

static void put_totals(const struct pass *pass, double elapsed_s)
{
    const size_t *counts = pass->progress.counts;
    const bool has_made = counts[OUTCOME_MADE] > 0, has_failed = counts[OUTCOME_FAILED] > 0;
    printf("%zu model%s: %s%zu %s%s", pass->models.count, pass->models.count == 1 ? "" : "s",
           has_made ? colour(COLOUR_GREEN) : "", counts[OUTCOME_MADE], pass->kind->done,
           has_made ? colour(COLOUR_NONE) : "");
    if (pass->kind->has_many) /* "pictures" without the s */
        printf(" (%zu %.*s)", pass->progress.outputs, (int)strlen(pass->kind->outputs) - (pass->progress.outputs == 1),
               pass->kind->outputs);
    printf(", %zu unchanged, %s%zu failed%s, ", counts[OUTCOME_UNCHANGED], has_failed ? colour(COLOUR_RED) : "",
           counts[OUTCOME_FAILED], has_failed ? colour(COLOUR_NONE) : "");
    if (counts[OUTCOME_UNMATCHED] > 0)
        printf("%zu without such a clip, ", counts[OUTCOME_UNMATCHED]);
    if (counts[OUTCOME_SKIPPED] > 0)
        printf("%zu skipped, ", counts[OUTCOME_SKIPPED]);
    printf("in %.1f s%s\n", elapsed_s, is_interrupted() ? ", interrupted" : "");
}

void pass_warn_unmatched(const struct pass *pass, const char *model)
{
    const enum option_id clips =
        option_is_for(&OPTIONS[OPTION_CLIPS], &COMMANDS[pass->args->command]) ? OPTION_CLIPS : OPTION_BAKE_CLIPS;
    terminal_error("'%s' has no clip that matches '%s': no %.*s", model, args_text(pass->args, clips, ""),
                   (int)strlen(pass->kind->outputs) - 1, pass->kind->outputs); /* "pictures" without the s */
}

/* --- formats --- */

/* Returns the format of --report by the extension of its file; "" for none. */
static const char *format_of(const char *file)
{
    const char *dot = strrchr(file, '.');
    return dot == NULL ? "" : strcmp(dot, ".json") == 0 ? "json" : strcmp(dot, ".xml") == 0 ? "junit" : "";
}

int pass_check_report(const struct args *args)
{
    const char *file = args_text(args, OPTION_REPORT, NULL), *format = args_text(args, OPTION_REPORT_FORMAT, NULL);
    if (file == NULL || strcmp(format == NULL ? format_of(file) : format, "junit") == 0 ||
        strcmp(format == NULL ? format_of(file) : format, "json") == 0)
        return STATUS_DONE;
    if (format != NULL)
        terminal_error("--report writes json or junit, not %s, which is printed", format);
    else
        terminal_error("--report writes .json or .xml (JUnit), not '%s'; --format selects one for any extension", file);
    return STATUS_USAGE;
}

static void put_report(const struct pass *pass, const char *format, double elapsed_s, struct text *out)
{
    if (strcmp(format, "junit") == 0)
        pass_report_junit(pass, elapsed_s, out);
    else
        json_put_indented(out, json_of(pass, elapsed_s));
}

/* Writes --report, or --format junit on stdout. */
static int give_report(const struct pass *pass, const char *file, const char *format, double elapsed_s)
{
    struct text out = {0};
    put_report(pass, format, elapsed_s, &out);
    const int status = output_give(file, out.at, out.size_bytes);
    text_free(&out);
    return status;
}

int pass_report(const struct pass *pass)
{
    const double elapsed_s = now_s() - pass->progress.start_s;
    const char *file = args_text(pass->args, OPTION_REPORT, NULL);
    const char *format = args_text(pass->args, OPTION_REPORT_FORMAT, NULL);
    const char *printed = file == NULL && format != NULL ? format : terminal.is_json ? "json" : "text";
    for (size_t i = 0; i < pass->models.count; i++)
        if (pass_is_unmatched(pass_entry(pass, i)))
            pass_warn_unmatched(pass, pass->models.items[i].model);
    if (strcmp(printed, "junit") == 0)
        return give_report(pass, NULL, printed, elapsed_s);
    if (strcmp(printed, "json") == 0)
        json_print(json_of(pass, elapsed_s));
    else {
        pass_report_failures(pass);
        pass_report_warnings(pass);
        for (size_t i = 0; i < pass->models.count && terminal.is_verbose; i++)
            report_skipped(pass->models.items[i].model, pass->entries[i]);
        if (!terminal.is_quiet)
            put_totals(pass, elapsed_s);
        fflush(stdout);
    }
    return file == NULL ? STATUS_DONE : give_report(pass, file, format == NULL ? format_of(file) : format, elapsed_s);
}

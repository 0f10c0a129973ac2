/* Reports a pass of posectl thumbs or watch, for people and as JSON: thumbs.h. */
#include "clients/cli/thumbs/thumbs.h"

#include "clients/cli/output/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const cJSON *thumbs_entry(const struct thumbs *thumbs, size_t index)
{
    const cJSON *entry = thumbs->entries[index];
    return entry != NULL ? entry : manifest_find(&thumbs->manifest, thumbs->models.items[index].model);
}

bool thumbs_is_remembered(const struct thumbs *thumbs, size_t index)
{
    return cJSON_IsTrue(json_get(thumbs->entries[index], "remembered"));
}

static void add_skipped(cJSON *list, const char *model, const cJSON *entry)
{
    if (thumbs_why_skipped(entry)[0] == '\0')
        return;
    cJSON *skipped = cJSON_CreateObject();
    cJSON_AddStringToObject(skipped, "model", model);
    cJSON_AddStringToObject(skipped, "message", thumbs_why_skipped(entry));
    cJSON_AddItemToArray(list, skipped);
}

static cJSON *json_of(const struct thumbs *thumbs, double elapsed_s)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "models", (double)thumbs->models.count);
    cJSON_AddNumberToObject(json, "made", (double)thumbs->progress.counts[OUTCOME_MADE]);
    cJSON_AddNumberToObject(json, "unchanged", (double)thumbs->progress.counts[OUTCOME_UNCHANGED]);
    cJSON_AddNumberToObject(json, "pictures", (double)thumbs->pictures);
    cJSON_AddNumberToObject(json, "seconds", elapsed_s);
    cJSON_AddBoolToObject(json, "interrupted", is_interrupted());
    cJSON *failed = cJSON_AddArrayToObject(json, "failed"), *unmatched = cJSON_AddArrayToObject(json, "unmatched");
    cJSON *skipped = cJSON_AddArrayToObject(json, "skipped");
    for (size_t i = 0; i < thumbs->models.count; i++) {
        const cJSON *error = json_error(thumbs->entries[i]);
        if (thumbs_is_unmatched(thumbs_entry(thumbs, i)))
            cJSON_AddItemToArray(unmatched, cJSON_CreateString(thumbs->models.items[i].model));
        add_skipped(skipped, thumbs->models.items[i].model, thumbs->entries[i]);
        if (error == NULL)
            continue;
        cJSON *entry = cJSON_Duplicate(error, 1);
        cJSON_AddStringToObject(entry, "model", thumbs->models.items[i].model);
        cJSON_AddBoolToObject(entry, "remembered", thumbs_is_remembered(thumbs, i));
        cJSON_AddItemToArray(failed, entry);
    }
    return json;
}

void thumbs_report_line(const char *what, enum colour shade, const char *model, const cJSON *error)
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
    if (thumbs_why_skipped(entry)[0] == '\0')
        return;
    text_printf(&out, "%sskipped%s  ", colour(COLOUR_DIM), colour(COLOUR_NONE));
    text_put_printable(&out, model);
    text_put(&out, "  ");
    text_put_printable(&out, thumbs_why_skipped(entry));
    puts(out.at);
    text_free(&out);
}

static void put_totals(const struct thumbs *thumbs, double elapsed_s)
{
    const size_t *counts = thumbs->progress.counts;
    const bool has_made = counts[OUTCOME_MADE] > 0, has_failed = counts[OUTCOME_FAILED] > 0;
    printf("%zu model%s: %s%zu drawn%s (%zu picture%s), %zu unchanged, %s%zu failed%s, ", thumbs->models.count,
           thumbs->models.count == 1 ? "" : "s", has_made ? colour(COLOUR_GREEN) : "", counts[OUTCOME_MADE],
           has_made ? colour(COLOUR_NONE) : "", thumbs->pictures, thumbs->pictures == 1 ? "" : "s",
           counts[OUTCOME_UNCHANGED], has_failed ? colour(COLOUR_RED) : "", counts[OUTCOME_FAILED],
           has_failed ? colour(COLOUR_NONE) : "");
    if (counts[OUTCOME_UNMATCHED] > 0)
        printf("%zu without such a clip, ", counts[OUTCOME_UNMATCHED]);
    if (counts[OUTCOME_SKIPPED] > 0)
        printf("%zu skipped, ", counts[OUTCOME_SKIPPED]);
    printf("in %.1f s%s\n", elapsed_s, is_interrupted() ? ", interrupted" : "");
}

/* --- failures, by reason --- */

/* Models that failed for the same reason. */
struct reason {
    const cJSON *error;
    size_t first, count; /* index into the list of models, which is sorted by reason */
};

struct failed_model {
    const cJSON *error;
    size_t index;
};

static int by_reason(const void *a, const void *b)
{
    const struct failed_model *x = a, *y = b;
    int order = strcmp(member_text(x->error, "code"), member_text(y->error, "code"));
    if (order == 0)
        order = strcmp(member_text(x->error, "message"), member_text(y->error, "message"));
    return order != 0 ? order : x->index < y->index ? -1 : 1;
}

/* Sorts reasons with more models first; equal ones keep the models' order. */
static int by_count(const void *a, const void *b, void *models)
{
    const struct reason *x = a, *y = b;
    const struct failed_model *list = models;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return list[x->first].index < list[y->first].index ? -1 : 1;
}

static void report_reason(const struct thumbs *thumbs, const struct reason *reason, const struct failed_model *models)
{
    const struct listed_model *items = thumbs->models.items;
    struct text what = {0};
    if (reason->count == 1)
        text_put(&what, items[models[0].index].model);
    else if (terminal.is_verbose)
        text_printf(&what, "%zu models", reason->count);
    else
        text_printf(&what, "%zu models, %s among them", reason->count, items[models[0].index].model);
    thumbs_report_line("failed", COLOUR_RED, what.at, reason->error);
    text_free(&what);
    for (size_t i = 0; reason->count > 1 && terminal.is_verbose && i < reason->count; i++) {
        struct text name = {0};
        text_put_printable(&name, items[models[i].index].model);
        printf("          %s\n", name.at);
        text_free(&name);
    }
}

static void report_failures(const struct thumbs *thumbs)
{
    const size_t model_count = thumbs->models.count;
    struct failed_model *models = must_alloc((model_count + 1) * sizeof *models);
    struct reason *reasons = must_alloc((model_count + 1) * sizeof *reasons);
    size_t failed = 0, reason_count = 0, remembered = 0;
    for (size_t i = 0; i < model_count; i++) {
        const cJSON *error = json_error(thumbs->entries[i]);
        remembered += error != NULL && thumbs_is_remembered(thumbs, i);
        if (error != NULL)
            models[failed++] = (struct failed_model){error, i};
    }
    qsort(models, failed, sizeof *models, by_reason);
    for (size_t i = 0; i < failed; i++) {
        const cJSON *error = models[i].error, *last = i == 0 ? NULL : models[i - 1].error;
        if (last == NULL || strcmp(member_text(error, "code"), member_text(last, "code")) != 0 ||
            strcmp(member_text(error, "message"), member_text(last, "message")) != 0)
            reasons[reason_count++] = (struct reason){error, i, 0};
        reasons[reason_count - 1].count++;
    }
    qsort_r(reasons, reason_count, sizeof *reasons, by_count, models);
    for (size_t i = 0; i < reason_count; i++)
        report_reason(thumbs, &reasons[i], models + reasons[i].first);
    if (remembered > 0 && !terminal.is_quiet)
        printf("%zu of %zu failed in an earlier run and were not tried again: --retry does\n", remembered, failed);
    free(models);
    free(reasons);
}

void thumbs_warn_unmatched(const struct thumbs *thumbs, const char *model)
{
    terminal_error("'%s' has no clip that matches '%s': no picture", model, args_text(thumbs->args, OPTION_CLIPS, ""));
}

/* --- formats --- */

/* Returns the format of --report by the extension of its file; "" for none. */
static const char *format_of(const char *file)
{
    const char *dot = strrchr(file, '.');
    return dot == NULL ? "" : strcmp(dot, ".json") == 0 ? "json" : strcmp(dot, ".xml") == 0 ? "junit" : "";
}

int thumbs_check_report(const struct args *args)
{
    const char *file = args_text(args, OPTION_REPORT, NULL), *format = args_text(args, OPTION_THUMBS_FORMAT, NULL);
    if (file == NULL || strcmp(format == NULL ? format_of(file) : format, "junit") == 0 ||
        strcmp(format == NULL ? format_of(file) : format, "json") == 0)
        return STATUS_DONE;
    if (format != NULL)
        terminal_error("--report writes json or junit, not %s, which is printed", format);
    else
        terminal_error("--report writes .json or .xml (JUnit), not '%s'; --format selects one for any extension", file);
    return STATUS_USAGE;
}

static void put_report(const struct thumbs *thumbs, const char *format, double elapsed_s, struct text *out)
{
    if (strcmp(format, "junit") == 0)
        thumbs_report_junit(thumbs, elapsed_s, out);
    else
        json_put_indented(out, json_of(thumbs, elapsed_s));
}

/* Writes --report, or --format junit on stdout. */
static int give_report(const struct thumbs *thumbs, const char *file, const char *format, double elapsed_s)
{
    struct text out = {0};
    put_report(thumbs, format, elapsed_s, &out);
    const int status = output_give(file, out.at, out.size_bytes);
    text_free(&out);
    return status;
}

int thumbs_report(const struct thumbs *thumbs)
{
    const double elapsed_s = now_s() - thumbs->progress.start_s;
    const char *file = args_text(thumbs->args, OPTION_REPORT, NULL);
    const char *format = args_text(thumbs->args, OPTION_THUMBS_FORMAT, NULL);
    const char *printed = file == NULL && format != NULL ? format : terminal.is_json ? "json" : "text";
    for (size_t i = 0; i < thumbs->models.count; i++)
        if (thumbs_is_unmatched(thumbs_entry(thumbs, i)))
            thumbs_warn_unmatched(thumbs, thumbs->models.items[i].model);
    if (strcmp(printed, "junit") == 0)
        return give_report(thumbs, NULL, printed, elapsed_s);
    if (strcmp(printed, "json") == 0)
        json_print(json_of(thumbs, elapsed_s));
    else {
        report_failures(thumbs);
        for (size_t i = 0; i < thumbs->models.count && terminal.is_verbose; i++)
            report_skipped(thumbs->models.items[i].model, thumbs->entries[i]);
        if (!terminal.is_quiet)
            put_totals(thumbs, elapsed_s);
        fflush(stdout);
    }
    return file == NULL ? STATUS_DONE : give_report(thumbs, file, format == NULL ? format_of(file) : format, elapsed_s);
}

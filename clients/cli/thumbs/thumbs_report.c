/* What came of a pass of posectl thumbs or watch, for people and as JSON: thumbs.h. */
#include "clients/cli/thumbs/thumbs.h"

#include "clients/cli/output/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static const cJSON *entry_of(const struct thumbs *thumbs, size_t index)
{
    const cJSON *entry = thumbs->entries[index];
    return entry != NULL ? entry : manifest_find(&thumbs->manifest, thumbs->items[index].model);
}

static void put_json(cJSON *json)
{
    char *text = cJSON_PrintUnformatted(json);
    puts(text == NULL ? "{}" : text);
    fflush(stdout);
    free(text);
    cJSON_Delete(json);
}

static void report_json(const struct thumbs *thumbs, const struct progress *progress, double elapsed_s)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "models", (double)thumbs->count);
    cJSON_AddNumberToObject(json, "made", (double)progress->counts[OUTCOME_MADE]);
    cJSON_AddNumberToObject(json, "unchanged", (double)progress->counts[OUTCOME_UNCHANGED]);
    cJSON_AddNumberToObject(json, "pictures", (double)thumbs->pictures);
    cJSON_AddNumberToObject(json, "seconds", elapsed_s);
    cJSON_AddBoolToObject(json, "interrupted", is_interrupted());
    cJSON *failed = cJSON_AddArrayToObject(json, "failed"), *unmatched = cJSON_AddArrayToObject(json, "unmatched");
    for (size_t i = 0; i < thumbs->count; i++) {
        const cJSON *error = error_of(thumbs->entries[i]);
        if (thumbs_is_unmatched(entry_of(thumbs, i)))
            cJSON_AddItemToArray(unmatched, cJSON_CreateString(thumbs->items[i].model));
        if (error == NULL)
            continue;
        cJSON *entry = cJSON_Duplicate(error, 1);
        cJSON_AddStringToObject(entry, "model", thumbs->items[i].model);
        cJSON_AddItemToArray(failed, entry);
    }
    put_json(json);
}

static void put_failures(const struct thumbs *thumbs)
{
    struct text out = {0};
    for (size_t i = 0; i < thumbs->count; i++) {
        const cJSON *error = error_of(thumbs->entries[i]);
        if (error == NULL)
            continue;
        text_printf(&out, "%sfailed%s  ", colour(COLOUR_RED), colour(COLOUR_NONE));
        text_put_printable(&out, thumbs->items[i].model);
        text_printf(&out, "  %s: ", text_of(error, "code"));
        text_put_printable(&out, text_of(error, "message"));
        text_put(&out, "\n");
    }
    if (out.size_bytes > 0)
        fputs(out.at, stdout);
    text_free(&out);
}

static void put_totals(const struct thumbs *thumbs, const struct progress *progress, double elapsed_s)
{
    const size_t *counts = progress->counts;
    const bool has_made = counts[OUTCOME_MADE] > 0, has_failed = counts[OUTCOME_FAILED] > 0;
    printf("%zu model%s: %s%zu drawn%s (%zu picture%s), %zu unchanged, %s%zu failed%s, ", thumbs->count,
           thumbs->count == 1 ? "" : "s", has_made ? colour(COLOUR_GREEN) : "", counts[OUTCOME_MADE],
           has_made ? colour(COLOUR_NONE) : "", thumbs->pictures, thumbs->pictures == 1 ? "" : "s",
           counts[OUTCOME_UNCHANGED], has_failed ? colour(COLOUR_RED) : "", counts[OUTCOME_FAILED],
           has_failed ? colour(COLOUR_NONE) : "");
    if (counts[OUTCOME_UNMATCHED] > 0)
        printf("%zu without such a clip, ", counts[OUTCOME_UNMATCHED]);
    printf("in %.1f s%s\n", elapsed_s, is_interrupted() ? ", interrupted" : "");
}

static void warn_of_clips(const struct thumbs *thumbs, size_t index)
{
    terminal_error("'%s' has no clip '%s': no picture", thumbs->items[index].model,
                   args_text(thumbs->args, OPTION_CLIPS, ""));
}

void thumbs_report(const struct thumbs *thumbs, const struct progress *progress)
{
    const double elapsed_s = now_s() - progress->start_s;
    for (size_t i = 0; i < thumbs->count; i++)
        if (thumbs_is_unmatched(entry_of(thumbs, i)))
            warn_of_clips(thumbs, i);
    if (terminal.is_json) {
        report_json(thumbs, progress, elapsed_s);
        return;
    }
    put_failures(thumbs);
    if (!terminal.is_quiet)
        put_totals(thumbs, progress, elapsed_s);
    fflush(stdout);
}

/* "drawn  crow.fbx", "failed  crow.fbx  CODE: MESSAGE" */
static void put_change(const char *what, enum colour shade, const char *model, const cJSON *error)
{
    struct text out = {0};
    text_printf(&out, "%s%s%s  ", colour(shade), what, colour(COLOUR_NONE));
    text_put_printable(&out, model);
    if (error != NULL)
        text_printf(&out, "  %s: ", text_of(error, "code"));
    text_put_printable(&out, text_of(error, "message"));
    puts(out.at);
    fflush(stdout);
    text_free(&out);
}

static void put_change_json(const char *model, const cJSON *entry)
{
    const cJSON *error = error_of(entry), *pictures = cJSON_GetObjectItemCaseSensitive(entry, "pictures");
    cJSON *line = cJSON_CreateObject();
    cJSON_AddStringToObject(line, "model", model);
    cJSON_AddItemToObject(line, "pictures", pictures == NULL ? cJSON_CreateArray() : cJSON_Duplicate(pictures, 1));
    cJSON_AddItemToObject(line, "error", error == NULL ? cJSON_CreateNull() : cJSON_Duplicate(error, 1));
    if (entry == NULL)
        cJSON_AddTrueToObject(line, "removed");
    put_json(line);
}

/* Whether the entry says something else than the one before. */
static bool is_news(const cJSON *entry, const cJSON *old)
{
    const cJSON *error = error_of(entry), *old_error = error_of(old);
    if (entry == NULL || old == NULL || (error == NULL) != (old_error == NULL))
        return entry != NULL;
    return error == NULL ? strcmp(text_of(old, "hash"), text_of(entry, "hash")) != 0
                         : strcmp(text_of(error, "message"), text_of(old_error, "message")) != 0;
}

void thumbs_report_changes(const struct thumbs *thumbs)
{
    for (size_t i = 0; i < thumbs->count; i++) {
        const char *model = thumbs->items[i].model;
        const cJSON *entry = thumbs->entries[i], *error = error_of(entry);
        if (!is_news(entry, manifest_find(&thumbs->manifest, model)))
            continue;
        if (thumbs_is_unmatched(entry))
            warn_of_clips(thumbs, i);
        if (terminal.is_json)
            put_change_json(model, entry);
        else if (!thumbs_is_unmatched(entry))
            put_change(error == NULL ? "drawn " : "failed", error == NULL ? COLOUR_GREEN : COLOUR_RED, model, error);
    }
}

void thumbs_report_removed(const char *model)
{
    if (terminal.is_json)
        put_change_json(model, NULL);
    else
        put_change("removed", COLOUR_YELLOW, model, NULL);
}

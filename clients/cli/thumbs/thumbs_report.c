/* The report of a pass of posectl thumbs or watch, for people and as JSON: thumbs.h. */
#include "clients/cli/thumbs/thumbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cJSON *entry_of(const struct thumbs *thumbs, size_t index)
{
    const cJSON *entry = thumbs->entries[index];
    return entry != NULL ? entry : manifest_find(&thumbs->manifest, thumbs->models.items[index].model);
}

static void report_json(const struct thumbs *thumbs, double elapsed_s)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "models", (double)thumbs->models.count);
    cJSON_AddNumberToObject(json, "made", (double)thumbs->progress.counts[OUTCOME_MADE]);
    cJSON_AddNumberToObject(json, "unchanged", (double)thumbs->progress.counts[OUTCOME_UNCHANGED]);
    cJSON_AddNumberToObject(json, "pictures", (double)thumbs->pictures);
    cJSON_AddNumberToObject(json, "seconds", elapsed_s);
    cJSON_AddBoolToObject(json, "interrupted", is_interrupted());
    cJSON *failed = cJSON_AddArrayToObject(json, "failed"), *unmatched = cJSON_AddArrayToObject(json, "unmatched");
    for (size_t i = 0; i < thumbs->models.count; i++) {
        const cJSON *error = json_error(thumbs->entries[i]);
        if (thumbs_is_unmatched(entry_of(thumbs, i)))
            cJSON_AddItemToArray(unmatched, cJSON_CreateString(thumbs->models.items[i].model));
        if (error == NULL)
            continue;
        cJSON *entry = cJSON_Duplicate(error, 1);
        cJSON_AddStringToObject(entry, "model", thumbs->models.items[i].model);
        cJSON_AddItemToArray(failed, entry);
    }
    json_print(json);
}

void thumbs_report_line(const char *what, enum colour shade, const char *model, const cJSON *error)
{
    struct text out = {0};
    text_printf(&out, "%s%s%s  ", colour(shade), what, colour(COLOUR_NONE));
    text_put_printable(&out, model);
    if (error != NULL)
        text_printf(&out, "  %s: ", json_text(error, "code"));
    text_put_printable(&out, json_text(error, "message"));
    puts(out.at);
    fflush(stdout);
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
    printf("in %.1f s%s\n", elapsed_s, is_interrupted() ? ", interrupted" : "");
}

void thumbs_warn_unmatched(const struct thumbs *thumbs, const char *model)
{
    terminal_error("'%s' has no clip that matches '%s': no picture", model, args_text(thumbs->args, OPTION_CLIPS, ""));
}

void thumbs_report(const struct thumbs *thumbs)
{
    const double elapsed_s = now_s() - thumbs->progress.start_s;
    for (size_t i = 0; i < thumbs->models.count; i++)
        if (thumbs_is_unmatched(entry_of(thumbs, i)))
            thumbs_warn_unmatched(thumbs, thumbs->models.items[i].model);
    if (terminal.is_json) {
        report_json(thumbs, elapsed_s);
        return;
    }
    for (size_t i = 0; i < thumbs->models.count; i++)
        if (json_error(thumbs->entries[i]) != NULL)
            thumbs_report_line("failed", COLOUR_RED, thumbs->models.items[i].model, json_error(thumbs->entries[i]));
    if (!terminal.is_quiet)
        put_totals(thumbs, elapsed_s);
    fflush(stdout);
}

/* The reports of posectl diff for people and as plain JSON. */
#include "clients/cli/diff_report/diff_report.h"
#include "clients/cli/diff_report/notes.h"
#include "clients/cli/diff_report/summary.h"
#include "clients/cli/output/terminal.h"

#include <stdlib.h>
#include <string.h>

enum { KIND_COLUMNS = 17, SHOWN_MOST = 20 };

/* Puts a line: the kind, then the text. */
static void put_line(struct text *out, const char *kind, const char *said)
{
    text_printf(out, "  %s", colour(COLOUR_YELLOW));
    text_put_column(out, kind, KIND_COLUMNS);
    text_put(out, colour(COLOUR_NONE));
    text_put_printable(out, said);
    text_put(out, "\n");
}

static void put_left_out(const struct diff *diff, const struct diff_pair *pair, struct text *out)
{
    const cJSON *number;
    cJSON_ArrayForEach(number, json_get(pair->answer, "left_out"))
    {
        text_put(out, "  ");
        if (diff->count > 1 && !terminal.is_verbose) {
            text_put_printable(out, pair->name);
            text_put(out, ": ");
        }
        text_put_printable(out, number->string);
        text_printf(out, " left out: %.0f\n", cJSON_GetNumberValue(number));
    }
}

/* Puts the model and its state; with --verbose all its differences, too. */
static void put_pair(const struct diff *diff, const struct diff_pair *pair, struct text *out)
{
    static const enum colour COLOURS[DIFF_STATES] = {COLOUR_DIM, COLOUR_NONE, COLOUR_GREEN, COLOUR_RED, COLOUR_RED};
    const cJSON *difference;
    text_put(out, colour(COLOUR_BOLD));
    text_put_printable(out, pair->name);
    text_printf(out, "%s  %s%s%s", colour(COLOUR_NONE), colour(COLOURS[pair->state]), diff_state_name(pair->state),
                colour(COLOUR_NONE));
    if (pair->message != NULL) {
        text_printf(out, "  %s: ", pair->code);
        text_put_printable(out, pair->message);
    }
    text_put(out, "\n");
    cJSON_ArrayForEach(difference, json_get(pair->answer, "differences"))
        put_line(out, member_text(difference, "kind"), member_text(difference, "message"));
    put_left_out(diff, pair, out);
}

/* --- groups --- */

static void put_group(const struct diff *diff, const struct change_group *group, struct text *out)
{
    struct text line = {0};
    if (diff->count > 1) {
        changes_put_models(&line, diff, group);
        text_put(&line, ": ");
    }
    text_put(&line, group->change->text);
    put_line(out, change_kind(group->change), line.at);
    text_free(&line);
}

/* Puts the groups of an area under its name. Returns the first group of the next area. */
static size_t put_area(const struct diff *diff, const struct changes *changes, size_t first, struct text *out)
{
    const enum area area = changes->groups[first].change->area;
    size_t end = first;
    while (end < changes->group_count && changes->groups[end].change->area == area)
        end++;
    const size_t count = end - first, shown = count > SHOWN_MOST + 1 ? SHOWN_MOST : count;
    text_printf(out, "%s%s%s\n", colour(COLOUR_BOLD), area_name(area), colour(COLOUR_NONE));
    for (size_t i = first; i < first + shown; i++)
        put_group(diff, &changes->groups[i], out);
    if (shown < count)
        text_printf(out, "  and %zu more; -v prints all\n", count - shown);
    return end;
}

static void put_summary(const struct diff *diff, const struct changes *changes, struct text *out)
{
    struct text summary = {0};
    summary_put(&summary, diff, changes);
    text_put_printable(out, summary.at);
    text_put(out, "\n");
    text_free(&summary);
}

/* Puts what is stored otherwise and looks the same. */
static void put_notes(const struct diff *diff, struct text *out)
{
    struct notes notes;
    notes_find(diff, &notes);
    if (notes.count > 0)
        text_printf(out, "%snotes%s\n", colour(COLOUR_BOLD), colour(COLOUR_NONE));
    for (size_t i = 0; i < notes.count; i++) {
        struct text line = {0};
        notes_put(&line, diff, &notes.groups[i]);
        put_line(out, notes.groups[i].kind, line.at);
        text_free(&line);
    }
    notes_free(&notes);
}

/* Puts what changed, grouped, then the models that were not compared. */
static void put_changes(const struct diff *diff, const struct changes *changes, struct text *out)
{
    for (size_t g = 0; g < changes->group_count && !terminal.is_verbose;)
        g = put_area(diff, changes, g, out);
    for (size_t i = 0; i < diff->count; i++) {
        const struct diff_pair *pair = &diff->pairs[i];
        if (!pair->is_done)
            continue;
        if (terminal.is_verbose || (pair->state != DIFF_EQUAL && pair->state != DIFF_DIFFERENT))
            put_pair(diff, pair, out);
        else
            put_left_out(diff, pair, out);
    }
}

void diff_report_text(const struct diff *diff, struct text *out)
{
    size_t counts[DIFF_STATES], skipped;
    bool has_begun = false;
    struct changes changes;
    changes_find(diff, &changes);
    diff_count(diff, counts, &skipped);
    if (counts[DIFF_EQUAL] + skipped < diff->count)
        put_summary(diff, &changes, out);
    put_changes(diff, &changes, out);
    put_notes(diff, out);
    changes_free(&changes);
    if (terminal.is_quiet)
        return;
    text_printf(out, "%zu model%s: ", diff->count, diff->count == 1 ? "" : "s");
    for (int state = 0; state < DIFF_STATES; state++) {
        if (counts[state] == 0 && state > DIFF_DIFFERENT)
            continue;
        text_printf(out, "%s%zu %s", has_begun ? ", " : "", counts[state], diff_state_name((enum diff_state)state));
        has_begun = true;
    }
    text_printf(out, "\n");
}

/* Copies the members of the server's answer that are about the pair and not about its files. */
static void copy_answer(const cJSON *answer, cJSON *model)
{
    static const char *const PARTS[] = {"tolerance",   "size",  "unit_m", "unit_converted", "up_converted",
                                        "differences", "clips", "notes",  "left_out"};
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++)
        if (json_get(answer, PARTS[i]) != NULL)
            cJSON_AddItemToObject(model, PARTS[i], cJSON_Duplicate(json_get(answer, PARTS[i]), true));
}

/* Adds the first two sentences of the other reports, and in how many models each area differs. */
static void add_summary(const struct diff *diff, cJSON *json)
{
    struct changes changes;
    struct text text = {0};
    size_t models[AREA_COUNT];
    changes_find(diff, &changes);
    summary_put(&text, diff, &changes);
    summary_count(diff, &changes, models);
    cJSON_AddStringToObject(json, "summary", text.at);
    cJSON *areas = cJSON_AddObjectToObject(json, "areas");
    for (int area = 0; area < AREA_COUNT; area++)
        if (models[area] > 0)
            cJSON_AddNumberToObject(areas, area_name((enum area)area), (double)models[area]);
    text_free(&text);
    changes_free(&changes);
}

void diff_report_json(const struct diff *diff, struct text *out)
{
    size_t counts[DIFF_STATES], skipped;
    cJSON *json = cJSON_CreateObject();
    add_summary(diff, json);
    cJSON *list = cJSON_AddArrayToObject(json, "models");
    for (size_t i = 0; i < diff->count; i++) {
        const struct diff_pair *pair = &diff->pairs[i];
        if (!pair->is_done)
            continue;
        cJSON *model = cJSON_CreateObject();
        cJSON_AddStringToObject(model, "model", pair->name);
        cJSON_AddStringToObject(model, "state", diff_state_name(pair->state));
        if (pair->message != NULL) {
            cJSON *error = cJSON_AddObjectToObject(model, "error");
            cJSON_AddStringToObject(error, "code", pair->code);
            cJSON_AddStringToObject(error, "message", pair->message);
        }
        copy_answer(pair->answer, model);
        cJSON_AddItemToArray(list, model);
    }
    diff_count(diff, counts, &skipped);
    cJSON *totals = cJSON_AddObjectToObject(json, "totals");
    cJSON_AddNumberToObject(totals, "models", (double)(diff->count - skipped));
    for (int state = 0; state < DIFF_STATES; state++)
        cJSON_AddNumberToObject(totals, diff_state_name((enum diff_state)state), (double)counts[state]);
    json_put_indented(out, json);
}

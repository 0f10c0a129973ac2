/* The reports of posectl diff for people and as plain JSON. */
#include "clients/cli/diff/diff.h"
#include "clients/cli/output/terminal.h"

#include <stdlib.h>
#include <string.h>

enum { KIND_COLUMNS = 17, SHOWN_MOST = 20 };

static void put_differences(const struct diff_pair *pair, struct text *out)
{
    const cJSON *list = json_get(pair->answer, "differences"), *difference;
    const int count = cJSON_GetArraySize(list);
    int shown = 0;
    cJSON_ArrayForEach(difference, list)
    {
        if (shown++ == SHOWN_MOST && !terminal.is_verbose && count > SHOWN_MOST + 1)
            break;
        text_printf(out, "  %s", colour(COLOUR_YELLOW));
        text_put_column(out, member_text(difference, "kind"), KIND_COLUMNS);
        text_put(out, colour(COLOUR_NONE));
        text_put_printable(out, member_text(difference, "message"));
        text_put(out, "\n");
    }
    if (shown <= count && shown > SHOWN_MOST && !terminal.is_verbose)
        text_printf(out, "  and %d more; -v prints all\n", count - SHOWN_MOST);
    cJSON_ArrayForEach(difference, json_get(pair->answer, "left_out"))
    {
        text_put(out, "  ");
        text_put_printable(out, difference->string);
        text_printf(out, " left out: %.0f\n", cJSON_GetNumberValue(difference));
    }
}

static void put_pair(const struct diff_pair *pair, struct text *out)
{
    static const enum colour COLOURS[DIFF_STATES] = {COLOUR_DIM, COLOUR_NONE, COLOUR_GREEN, COLOUR_RED, COLOUR_RED};
    if (!pair->is_done || (pair->state == DIFF_EQUAL && !terminal.is_verbose))
        return;
    text_put(out, colour(COLOUR_BOLD));
    text_put_printable(out, pair->name);
    text_printf(out, "%s  %s%s%s", colour(COLOUR_NONE), colour(COLOURS[pair->state]), diff_state_name(pair->state),
                colour(COLOUR_NONE));
    if (pair->message != NULL) {
        text_printf(out, "  %s: ", pair->code);
        text_put_printable(out, pair->message);
    }
    text_put(out, "\n");
    put_differences(pair, out);
}

void diff_report_text(const struct diff *diff, struct text *out)
{
    size_t counts[DIFF_STATES], skipped;
    bool has_begun = false;
    for (size_t i = 0; i < diff->count; i++)
        put_pair(&diff->pairs[i], out);
    if (terminal.is_quiet)
        return;
    diff_count(diff, counts, &skipped);
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
    static const char *const PARTS[] = {"tolerance",   "size",  "unit_converted", "up_converted",
                                        "differences", "clips", "left_out"};
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++)
        if (json_get(answer, PARTS[i]) != NULL)
            cJSON_AddItemToObject(model, PARTS[i], cJSON_Duplicate(json_get(answer, PARTS[i]), true));
}

void diff_report_json(const struct diff *diff, struct text *out)
{
    size_t counts[DIFF_STATES], skipped;
    cJSON *json = cJSON_CreateObject();
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

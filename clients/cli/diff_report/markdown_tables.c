/* Puts tables. They are an extension of CommonMark (github.github.com/gfm). */
#include "clients/cli/diff_report/markdown_tables.h"

#include "clients/cli/diff_report/markdown.h"
#include "clients/cli/diff_report/notes.h"

#include <stdlib.h>

enum { ROWS_MAX = 60, VALUE_COLUMNS_MAX = 80 };

/* Puts a value as one cell of a table: short, on one line. */
static void put_value(struct text *out, const cJSON *value)
{
    struct text whole = {0}, cut = {0};
    if (cJSON_IsString(value))
        text_put(&whole, value->valuestring);
    else if (cJSON_IsNumber(value))
        text_printf(&whole, "%.6g", value->valuedouble);
    else if (value != NULL && !cJSON_IsNull(value)) {
        char *json = cJSON_PrintUnformatted(value);
        text_put(&whole, json == NULL ? "" : json);
        free(json);
    }
    const char *at = whole.at == NULL ? "" : whole.at;
    for (size_t columns = 0; *at != '\0' && columns < VALUE_COLUMNS_MAX; columns++) {
        const size_t bytes = text_character_bytes(at);
        text_put_bytes(&cut, at, bytes == 0 ? 1 : bytes);
        at += bytes == 0 ? 1 : bytes;
    }
    text_put(&cut, *at == '\0' ? "" : " ...");
    markdown_put_escaped(out, cut.at);
    text_free(&whole);
    text_free(&cut);
}

static void put_values(struct text *out, const cJSON *difference)
{
    text_put(out, " | ");
    put_value(out, json_get(difference, "old"));
    text_put(out, " | ");
    put_value(out, json_get(difference, "new"));
}

/* Puts a row. A page about one model has no column for models. */
static void put_group(struct text *out, const struct diff *diff, const struct change_group *group)
{
    struct text models = {0};
    text_put(out, "| ");
    if (diff->count > 1) {
        changes_put_models(&models, diff, group);
        markdown_put_escaped(out, models.at);
        text_put(out, " | ");
    }
    markdown_put_escaped(out, group->change->text);
    put_values(out, group->change->worst[0]);
    text_put(out, " |\n");
    text_free(&models);
}

void markdown_put_groups(struct text *out, const struct diff *diff, const struct changes *changes)
{
    for (size_t first = 0, end; first < changes->group_count; first = end) {
        const enum area area = changes->groups[first].change->area;
        for (end = first; end < changes->group_count && changes->groups[end].change->area == area; end++)
            ;
        text_printf(out, "\n## %s\n\n%s| change | before | after |\n%s|---|---|---|\n", area_title(area),
                    diff->count > 1 ? "| models " : "", diff->count > 1 ? "|---" : "");
        for (size_t i = first; i < end && i < first + ROWS_MAX; i++)
            put_group(out, diff, &changes->groups[i]);
        if (end - first > ROWS_MAX)
            text_printf(out, "\nAnd %zu more.\n", end - first - ROWS_MAX);
    }
}

void markdown_put_all(struct text *out, const struct diff_pair *pair)
{
    const cJSON *difference;
    text_put(out, "\n### ");
    markdown_put_escaped(out, pair->name);
    text_put(out, "\n\n| area | difference | before | after |\n|---|---|---|---|\n");
    cJSON_ArrayForEach(difference, json_get(pair->answer, "differences"))
    {
        text_put(out, "| ");
        markdown_put_escaped(out, member_text(difference, "area"));
        text_put(out, " | ");
        markdown_put_escaped(out, member_text(difference, "message"));
        put_values(out, difference);
        text_put(out, " |\n");
    }
}

void markdown_put_left_out(struct text *out, const struct diff *diff)
{
    bool has_begun = false;
    for (size_t i = 0; i < diff->count; i++) {
        const cJSON *number;
        cJSON_ArrayForEach(number, json_get(diff->pairs[i].answer, "left_out"))
        {
            text_put(out, has_begun ? "" : "\nLeft out:\n\n");
            has_begun = true;
            text_put(out, "- ");
            markdown_put_escaped(out, diff->pairs[i].name);
            text_put(out, ", ");
            markdown_put_escaped(out, number->string);
            text_printf(out, ": %.0f\n", cJSON_GetNumberValue(number));
        }
    }
}

void markdown_put_notes(struct text *out, const struct diff *diff)
{
    struct notes notes;
    notes_find(diff, &notes);
    text_put(out, notes.count > 0 ? "\n## Notes\n\n" : "");
    for (size_t i = 0; i < notes.count; i++) {
        struct text line = {0};
        notes_put(&line, diff, &notes.groups[i]);
        text_put(out, "- ");
        markdown_put_escaped(out, line.at);
        text_put(out, "\n");
        text_free(&line);
    }
    notes_free(&notes);
}

/* The report of posectl diff as a page: what changed in two sentences, pictures, then a table for each area. */
#include "clients/cli/diff_report/diff_report.h"

#include "clients/cli/diff_report/markdown.h"
#include "clients/cli/diff_report/markdown_tables.h"
#include "clients/cli/diff_report/summary.h"
#include "clients/cli/output/terminal.h"

#include <stdlib.h>

enum { SIZE_USUAL = 320, PICTURED_MAX = 100 };

/* Puts the first sentence as the heading and the second one below. */
static void put_head(const struct diff *diff, const struct changes *changes, struct text *out)
{
    struct text changed = {0}, worst = {0};
    summary_put_changed(&changed, diff, changes);
    summary_put_worst(&worst, diff, changes);
    text_put(out, "# ");
    markdown_put_escaped(out, changed.at);
    text_put(out, worst.at == NULL ? "\n" : "\n\n");
    markdown_put_escaped(out, worst.at == NULL ? "" : worst.at);
    text_put(out, worst.at == NULL ? "" : "\n");
    text_free(&changed);
    text_free(&worst);
}

/* Puts the models without a counterpart, and those that could not be read. */
static void put_others(const struct diff *diff, struct text *out)
{
    bool has_begun = false;
    for (size_t i = 0; i < diff->count; i++) {
        const struct diff_pair *pair = &diff->pairs[i];
        if (!pair->is_done || pair->state == DIFF_EQUAL || pair->state == DIFF_DIFFERENT)
            continue;
        if (!has_begun)
            text_put(out, "\n| model | |\n|---|---|\n");
        has_begun = true;
        text_put(out, "| ");
        markdown_put_escaped(out, pair->name);
        text_printf(out, " | %s", diff_state_name(pair->state));
        text_put(out, pair->message == NULL ? "" : ": ");
        markdown_put_escaped(out, pair->message == NULL ? "" : pair->message);
        text_put(out, " |\n");
    }
}

/* Puts the tables: groups of changes, and with --verbose all differences of each model. */
static void put_tables(const struct diff *diff, const struct changes *changes, struct text *out)
{
    markdown_put_groups(out, diff, changes);
    markdown_put_left_out(out, diff);
    markdown_put_notes(out, diff);
    if (terminal.is_verbose && changes->count > 0)
        text_put(out, "\n## All differences\n");
    for (size_t i = 0; i < diff->count && terminal.is_verbose; i++)
        if (changes->pair_firsts[i] < changes->pair_firsts[i + 1])
            markdown_put_all(out, &diff->pairs[i]);
}

/* Puts pictures of the models, in the order in which the tables name them first. */
static int put_pictures(struct diff *diff, const struct changes *changes, struct markdown *page)
{
    bool *is_pictured = must_alloc(diff->count + 1);
    int status = STATUS_DONE;
    for (size_t g = 0; g < changes->group_count; g++)
        for (size_t i = 0; i < changes->groups[g].pair_count; i++) {
            const size_t at = changes->groups[g].pairs[i];
            const struct diff_pair *pair = &diff->pairs[at];
            const struct compared compared = {{pair->models[DIFF_OLD], pair->models[DIFF_NEW]}, pair->answer};
            if (is_pictured[at] || status != STATUS_DONE || is_interrupted())
                continue;
            is_pictured[at] = true;
            if (page->model_count == PICTURED_MAX)
                markdown_end_pictures(page);
            status = markdown_put_pictures(page, pair->name, &diff->context.connection, &compared);
        }
    free(is_pictured);
    return status;
}

int diff_report_markdown(struct diff *diff, const char *file, struct text *out)
{
    struct markdown page;
    struct changes changes;
    const double size = args_number(diff->args, OPTION_DIFF_SIZE, SIZE_USUAL);
    int status = markdown_start(&page, file, args_text(diff->args, OPTION_PICTURES, NULL), (uint32_t)size);
    changes_find(diff, &changes);
    put_head(diff, &changes, &page.body);
    put_others(diff, &page.body);
    if (status == STATUS_DONE)
        status = put_pictures(diff, &changes, &page);
    put_tables(diff, &changes, &page.body);
    text_put_bytes(out, page.body.at, page.body.size_bytes);
    changes_free(&changes);
    markdown_free(&page);
    return status;
}

/* The report of posectl diff as a page with pictures: first a list of the models that differ, then each of them. */
#include "clients/cli/diff/diff.h"

#include "clients/cli/diff/markdown.h"
#include "clients/cli/output/terminal.h"

enum { SIZE_USUAL = 320, PICTURED_MAX = 100 };

/* Puts "2 different, 1 added" as a heading. */
static void put_head(const struct diff *diff, struct text *out)
{
    size_t counts[DIFF_STATES], skipped, named = 0;
    diff_count(diff, counts, &skipped);
    text_put(out, "# Models: ");
    for (int state = DIFF_STATES - 1; state >= 0; state--)
        if (counts[state] > 0)
            text_printf(out, "%s%zu %s", named++ == 0 ? "" : ", ", counts[state],
                        diff_state_name((enum diff_state)state));
    if (skipped > 0)
        text_printf(out, "%s%zu not compared", named++ == 0 ? "" : ", ", skipped);
    text_put(out, named == 0 ? "none\n" : "\n");
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

int diff_report_markdown(struct diff *diff, const char *file, struct text *out)
{
    struct markdown page;
    const double size = args_number(diff->args, OPTION_DIFF_SIZE, SIZE_USUAL);
    int status = markdown_start(&page, file, args_text(diff->args, OPTION_PICTURES, NULL), (uint32_t)size);
    put_head(diff, &page.body);
    put_others(diff, &page.body);
    for (size_t i = 0; i < diff->count && status == STATUS_DONE && !is_interrupted(); i++) {
        const struct diff_pair *pair = &diff->pairs[i];
        const struct compared compared = {{pair->models[DIFF_OLD], pair->models[DIFF_NEW]}, pair->answer};
        if (pair->is_done && pair->state == DIFF_DIFFERENT)
            status = markdown_put_model(&page, pair->name, &diff->context.connection, &compared);
        if (page.model_count == PICTURED_MAX)
            markdown_end_pictures(&page);
    }
    text_put_bytes(out, page.body.at, page.body.size_bytes);
    markdown_free(&page);
    return status;
}

/* The report of posectl thumbs as JUnit XML. A model that could not be drawn is a failure. A model is skipped if it has
 * no picture, or if an interrupted run did not reach it. */
#include "clients/cli/thumbs/thumbs.h"

#include "clients/cli/output/junit.h"

/* Returns why the model counts neither as drawn nor as failed. NULL: it counts as one of them. */
static const char *why_skipped(const struct thumbs *thumbs, size_t index)
{
    if (thumbs->entries[index] == NULL && is_interrupted())
        return "interrupted";
    const char *why = thumbs_why_skipped(thumbs->entries[index]);
    return why[0] != '\0'                                     ? why
           : thumbs_is_unmatched(thumbs_entry(thumbs, index)) ? "no clip of it matches --clips"
                                                              : NULL;
}

static void put_case(const struct thumbs *thumbs, size_t index, struct text *out)
{
    const cJSON *error = json_error(thumbs->entries[index]);
    const char *skipped = error != NULL ? NULL : why_skipped(thumbs, index);
    const bool is_empty = error == NULL && skipped == NULL;
    junit_put_case(out, "posectl.thumbs", thumbs->models.items[index].model, is_empty);
    if (skipped != NULL) {
        text_put(out, "      <skipped message=\"");
        text_put_xml(out, skipped);
        text_put(out, "\"/>\n");
    }
    if (error != NULL) {
        text_put(out, "      <failure type=\"");
        text_put_xml(out, member_text(error, "code"));
        text_put(out, "\" message=\"");
        text_put_xml(out, member_text(error, "message"));
        text_put(out, "\">");
        text_put_xml(out, member_text(error, "code"));
        text_put(out, ": ");
        text_put_xml(out, member_text(error, "message"));
        text_put(out, thumbs_is_remembered(thumbs, index) ? " (in an earlier run, and not tried again)" : "");
        text_put(out, "</failure>\n");
    }
    if (!is_empty)
        junit_end_case(out);
}

void thumbs_report_junit(const struct thumbs *thumbs, double elapsed_s, struct text *out)
{
    struct junit_counts counts = {.tests = thumbs->models.count};
    for (size_t i = 0; i < thumbs->models.count; i++) {
        const bool has_failed = json_error(thumbs->entries[i]) != NULL;
        counts.failures += has_failed;
        counts.skipped += !has_failed && why_skipped(thumbs, i) != NULL;
    }
    junit_begin(out, "posectl thumbs", &counts, elapsed_s);
    for (size_t i = 0; i < thumbs->models.count; i++)
        put_case(thumbs, i, out);
    junit_end(out);
}

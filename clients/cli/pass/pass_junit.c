/* The report of a pass as JUnit XML. A model of which nothing could be made is a failure. A model is skipped if it
 * needs no output, or if an interrupted run did not reach it. */
#include "clients/cli/pass/pass.h"

#include "clients/cli/output/junit.h"

/* Returns why the model counts neither as made nor as failed. NULL: it counts as one of them. */
static const char *why_skipped(const struct pass *pass, size_t index)
{
    if ((pass->entries[index] == NULL || json_get(pass->entries[index], PASS_PARTIAL) != NULL) && is_interrupted())
        return "interrupted";
    const char *why = pass_why_skipped(pass->entries[index]);
    return why[0] != '\0' ? why : pass_is_unmatched(pass_entry(pass, index)) ? "no clip of it matches --clips" : NULL;
}

/* Puts the warnings of a model as what its test case printed. */
static void put_warnings(const cJSON *warnings, struct text *out)
{
    const cJSON *warning;
    text_put(out, "      <system-out>");
    cJSON_ArrayForEach(warning, warnings)
    {
        text_put_xml(out, member_text(warning, "code"));
        text_put(out, ": ");
        text_put_xml(out, member_text(warning, "message"));
        text_put(out, "\n");
    }
    text_put(out, "</system-out>\n");
}

static void put_case(const struct pass *pass, size_t index, struct text *out)
{
    const cJSON *error = json_error(pass->entries[index]);
    const char *skipped = error != NULL ? NULL : why_skipped(pass, index);
    const cJSON *warnings = error != NULL ? NULL : json_get(pass_entry(pass, index), "warnings");
    const bool has_warnings = cJSON_GetArraySize(warnings) > 0;
    const bool is_empty = error == NULL && skipped == NULL && !has_warnings;
    struct text class_name = {0};
    text_printf(&class_name, "posectl.%s", COMMANDS[pass->args->command].name);
    junit_put_case(out, class_name.at, pass->models.items[index].model, is_empty);
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
        text_put(out, pass_is_remembered(pass, index) ? " (in an earlier run, and not tried again)" : "");
        text_put(out, "</failure>\n");
    }
    if (has_warnings)
        put_warnings(warnings, out);
    text_free(&class_name);
    if (!is_empty)
        junit_end_case(out);
}

void pass_report_junit(const struct pass *pass, double elapsed_s, struct text *out)
{
    struct junit_counts counts = {.tests = pass->models.count};
    struct text name = {0};
    for (size_t i = 0; i < pass->models.count; i++) {
        const bool has_failed = json_error(pass->entries[i]) != NULL;
        counts.failures += has_failed;
        counts.skipped += !has_failed && why_skipped(pass, i) != NULL;
    }
    text_printf(&name, "posectl %s", COMMANDS[pass->args->command].name);
    junit_begin(out, name.at, &counts, elapsed_s);
    for (size_t i = 0; i < pass->models.count; i++)
        put_case(pass, i, out);
    junit_end(out);
    text_free(&name);
}

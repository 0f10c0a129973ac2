/* Reports of posectl check and flex for other programs. JUnit XML, for Jenkins, GitLab and others, has a test case for
 * each model. Errors and warnings are failures. A model is skipped if all its findings are accepted. SARIF 2.1.0
 * (OASIS) is for code scanning. */
#include "clients/cli/check/check.h"

#include "clients/cli/output/junit.h"
#include "clients/cli/output/sarif.h"
#include "clients/cli/output/terminal.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_failure(const struct finding *finding)
{
    return finding->severity >= SEVERITY_WARNING && !finding->is_accepted;
}

struct case_counts {
    size_t failures, accepted, others;
};

static struct case_counts count_case(const struct findings *findings)
{
    struct case_counts counts = {0};
    for (size_t i = 0; i < findings->count; i++) {
        counts.failures += is_failure(&findings->at[i]);
        counts.accepted += findings->at[i].is_accepted;
    }
    counts.others = findings->count - counts.failures;
    return counts;
}

static bool is_skipped(const struct findings *findings)
{
    const struct case_counts counts = count_case(findings);
    return !findings->is_done || findings->is_skipped || (counts.failures == 0 && counts.accepted > 0);
}

/* Puts one element for all failures, because some readers reject several. */
static void put_failure(const struct findings *findings, struct text *out)
{
    bool has_begun = false;
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->at[i];
        if (!is_failure(finding))
            continue;
        if (!has_begun) {
            text_printf(out, "      <failure type=\"%s\" message=\"", RULES[finding->rule].name);
            text_put_xml(out, finding->message);
            text_put(out, "\">");
        }
        has_begun = true;
        text_printf(out, "%s %s: ", severity_name(finding->severity), RULES[finding->rule].name);
        text_put_xml(out, finding->message);
        text_put(out, "\n");
    }
    if (has_begun)
        text_put(out, "</failure>\n");
}

static void put_case(const struct check *check, size_t index, struct text *out)
{
    const struct findings *findings = &check->findings[index];
    const struct case_counts counts = count_case(findings);
    const bool is_empty = findings->count == 0 && findings->is_done && !findings->is_skipped;
    char suite[32];
    (void)snprintf(suite, sizeof suite, "posectl.%s", check->command);
    junit_put_case(out, suite, check->models.items[index].model, is_empty);
    if (!findings->is_done)
        text_put(out, "      <skipped message=\"interrupted\"/>\n");
    else if (findings->is_skipped) {
        text_put(out, "      <skipped message=\"");
        text_put_xml(out, findings->note_count > 0 ? findings->notes[0].message : "not checked");
        text_put(out, "\"/>\n");
    } else if (is_skipped(findings))
        text_printf(out, "      <skipped message=\"accepted: %zu finding%s\"/>\n", counts.accepted,
                    counts.accepted == 1 ? "" : "s");
    put_failure(findings, out);
    if (counts.others > 0) {
        text_put(out, "      <system-out>");
        for (size_t i = 0; i < findings->count; i++)
            if (!is_failure(&findings->at[i])) {
                text_printf(out, "%s%s: ", findings->at[i].is_accepted ? "accepted " : "",
                            RULES[findings->at[i].rule].name);
                text_put_xml(out, findings->at[i].message);
                text_put(out, "\n");
            }
        text_put(out, "</system-out>\n");
    }
    if (!is_empty)
        junit_end_case(out);
}

/* Puts the accepted findings that no longer occur. */
static void put_gone(const struct baseline *baseline, struct text *out)
{
    bool has_begun = false;
    for (size_t i = 0; i < baseline->count; i++) {
        if (!baseline->entries[i].is_gone)
            continue;
        text_put(out, has_begun ? "" : "    <system-out>");
        has_begun = true;
        text_put(out, "no longer there: ");
        text_put_xml(out, baseline->entries[i].model);
        text_put(out, " ");
        text_put_xml(out, baseline->entries[i].rule);
        text_put(out, " ");
        text_put_xml(out, baseline->entries[i].subject);
        text_put(out, "\n");
    }
    text_put(out, has_begun ? "</system-out>\n" : "");
}

void check_report_junit(const struct check *check, struct text *out)
{
    struct junit_counts counts = {.tests = check->models.count};
    for (size_t i = 0; i < check->models.count; i++) {
        counts.failures += count_case(&check->findings[i]).failures > 0;
        counts.skipped += is_skipped(&check->findings[i]);
    }
    char suite[32];
    (void)snprintf(suite, sizeof suite, "posectl %s", check->command);
    junit_begin(out, suite, &counts, check->seconds);
    for (size_t i = 0; i < check->models.count; i++)
        put_case(check, i, out);
    put_gone(&check->baseline, out);
    junit_end(out);
}

static const char *level_of(enum severity severity)
{
    return severity == SEVERITY_ERROR ? "error" : severity == SEVERITY_WARNING ? "warning" : "note";
}

static void put_rules(const struct check *check, cJSON *rules)
{
    for (int i = 0; i < RULE_COUNT; i++)
        sarif_add_rule(rules, RULES[i].name, RULES[i].text, level_of((enum severity)severity_find(RULES[i].severity)),
                       check->rules.sets[0]->severities[i] != SEVERITY_OFF);
}

/* SARIF 2.1.0, 3.27.23: if one result of a run has this property, all have it. */
static void add_suppressions(const struct check *check, const struct finding *finding, cJSON *result)
{
    if (check->baseline.file == NULL)
        return;
    cJSON *list = cJSON_AddArrayToObject(result, "suppressions");
    if (!finding->is_accepted)
        return;
    cJSON *suppression = cJSON_CreateObject();
    cJSON_AddStringToObject(suppression, "kind", "external");
    cJSON_AddStringToObject(suppression, "status", "accepted");
    cJSON_AddStringToObject(suppression, "justification", check->baseline.file);
    cJSON_AddItemToArray(list, suppression);
}

/* Adds what identifies the result in later runs, whatever its text is then. */
static void add_fingerprint(const char *model, const struct finding *finding, cJSON *result)
{
    struct text print = {0};
    text_printf(&print, "%s|%s|%s", model, RULES[finding->rule].name, finding->subject);
    cJSON_AddStringToObject(cJSON_AddObjectToObject(result, "partialFingerprints"), "modelRuleSubject/v1", print.at);
    text_free(&print);
}

static cJSON *result_of(const struct check *check, const char *model, const struct finding *finding)
{
    cJSON *result = sarif_result(RULES[finding->rule].name, (int)finding->rule, level_of(finding->severity),
                                 finding->message, model);
    add_fingerprint(model, finding, result);
    add_suppressions(check, finding, result);
    return result;
}

/* Adds the accepted findings that no longer occur, as notes about the run. */
static void add_gone(const struct baseline *baseline, cJSON *run)
{
    cJSON *invocation = cJSON_CreateObject(), *notes = cJSON_CreateArray();
    for (size_t i = 0; i < baseline->count; i++) {
        struct text text = {0};
        if (!baseline->entries[i].is_gone)
            continue;
        text_printf(&text, "accepted by %s, but no longer there: %s %s %s", baseline->file, baseline->entries[i].model,
                    baseline->entries[i].rule, baseline->entries[i].subject);
        cJSON *note = cJSON_CreateObject();
        cJSON_AddStringToObject(note, "level", "note");
        cJSON_AddItemToObject(note, "message", sarif_message(text.at));
        cJSON_AddItemToArray(notes, note);
        text_free(&text);
    }
    cJSON_AddBoolToObject(invocation, "executionSuccessful", !is_interrupted());
    cJSON_AddItemToObject(invocation, "toolExecutionNotifications", notes);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(run, "invocations"), invocation);
}

void check_report_sarif(const struct check *check, struct text *out)
{
    cJSON *run, *rules, *json = sarif_new(&run, &rules);
    put_rules(check, rules);
    add_gone(&check->baseline, run);
    cJSON_AddStringToObject(run, "columnKind", "unicodeCodePoints");
    cJSON *results = cJSON_AddArrayToObject(run, "results");
    for (size_t i = 0; i < check->models.count; i++)
        for (size_t k = 0; k < check->findings[i].count; k++)
            cJSON_AddItemToArray(results, result_of(check, check->models.items[i].model, &check->findings[i].at[k]));
    json_put_indented(out, json);
}

/* The reports of posectl check for other programs: JUnit XML for Jenkins, GitLab and others (each model is a test case;
 * errors and warnings are failures), and SARIF 2.1.0 (OASIS) for code scanning. */
#include "clients/cli/check/check.h"

#include "clients/cli/output/terminal.h"

#include <stdlib.h>

/* Counts what makes a test case fail: warnings and errors. */
static size_t failures_of(const struct findings *findings)
{
    size_t failures = 0;
    for (size_t i = 0; i < findings->count; i++)
        failures += findings->at[i].severity >= SEVERITY_WARNING;
    return failures;
}

/* Puts one element for all failures, because some readers reject several. */
static void put_failure(const struct findings *findings, struct text *out)
{
    bool has_begun = false;
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->at[i];
        if (finding->severity < SEVERITY_WARNING)
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
    text_put(out, "    <testcase classname=\"posectl.check\" name=\"");
    text_put_xml(out, check->models.items[index].model);
    text_put(out, findings->count == 0 && findings->is_done ? "\"/>\n" : "\">\n");
    if (!findings->is_done)
        text_put(out, "      <skipped message=\"interrupted\"/>\n");
    put_failure(findings, out);
    if (findings->count > failures_of(findings)) {
        text_put(out, "      <system-out>");
        for (size_t i = 0; i < findings->count; i++)
            if (findings->at[i].severity < SEVERITY_WARNING) {
                text_printf(out, "%s: ", RULES[findings->at[i].rule].name);
                text_put_xml(out, findings->at[i].message);
                text_put(out, "\n");
            }
        text_put(out, "</system-out>\n");
    }
    if (findings->count > 0 || !findings->is_done)
        text_put(out, "    </testcase>\n");
}

void check_report_junit(const struct check *check, struct text *out)
{
    size_t failed = 0, skipped = 0;
    for (size_t i = 0; i < check->models.count; i++) {
        failed += failures_of(&check->findings[i]) > 0;
        skipped += !check->findings[i].is_done;
    }
    text_printf(out,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                "  <testsuite name=\"posectl check\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" "
                "time=\"%.3f\">\n",
                check->models.count, failed, skipped, check->seconds);
    for (size_t i = 0; i < check->models.count; i++)
        put_case(check, i, out);
    text_put(out, "  </testsuite>\n</testsuites>\n");
}

static const char *level_of(enum severity severity)
{
    return severity == SEVERITY_ERROR ? "error" : severity == SEVERITY_WARNING ? "warning" : "note";
}

static cJSON *message_of(const char *text)
{
    cJSON *message = cJSON_CreateObject();
    cJSON_AddStringToObject(message, "text", text);
    return message;
}

static cJSON *driver_of(const struct check *check)
{
    cJSON *driver = cJSON_CreateObject();
    cJSON_AddStringToObject(driver, "name", "posectl");
    cJSON_AddStringToObject(driver, "version", POSECTL_VERSION);
    cJSON *rules = cJSON_AddArrayToObject(driver, "rules");
    for (int i = 0; i < RULE_COUNT; i++) {
        cJSON *rule = cJSON_CreateObject();
        cJSON_AddStringToObject(rule, "id", RULES[i].name);
        cJSON_AddItemToObject(rule, "shortDescription", message_of(RULES[i].text));
        cJSON *configuration = cJSON_AddObjectToObject(rule, "defaultConfiguration");
        const int severity = severity_find(RULES[i].severity);
        cJSON_AddStringToObject(configuration, "level", level_of((enum severity)severity));
        cJSON_AddBoolToObject(configuration, "enabled", check->severities[i] != SEVERITY_OFF);
        cJSON_AddItemToArray(rules, rule);
    }
    return driver;
}

static cJSON *result_of(const char *model, const struct finding *finding)
{
    struct text uri = {0};
    cJSON *result = cJSON_CreateObject();
    cJSON_AddStringToObject(result, "ruleId", RULES[finding->rule].name);
    cJSON_AddNumberToObject(result, "ruleIndex", finding->rule);
    cJSON_AddStringToObject(result, "level", level_of(finding->severity));
    cJSON_AddItemToObject(result, "message", message_of(finding->message));
    text_put_url(&uri, model);
    cJSON *location = cJSON_CreateObject();
    cJSON *physical = cJSON_AddObjectToObject(location, "physicalLocation");
    cJSON *artifact = cJSON_AddObjectToObject(physical, "artifactLocation");
    cJSON_AddStringToObject(artifact, "uri", uri.at);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(result, "locations"), location);
    text_free(&uri);
    return result;
}

void check_report_sarif(const struct check *check, struct text *out)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    cJSON_AddStringToObject(json, "version", "2.1.0");
    cJSON *run = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_AddArrayToObject(json, "runs"), run);
    cJSON_AddItemToObject(cJSON_AddObjectToObject(run, "tool"), "driver", driver_of(check));
    cJSON_AddStringToObject(run, "columnKind", "unicodeCodePoints");
    cJSON *results = cJSON_AddArrayToObject(run, "results");
    for (size_t i = 0; i < check->models.count; i++)
        for (size_t k = 0; k < check->findings[i].count; k++)
            cJSON_AddItemToArray(results, result_of(check->models.items[i].model, &check->findings[i].at[k]));
    json_put_indented(out, json);
}

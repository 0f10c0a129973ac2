/* The reports of posectl check for people and as plain JSON. */
#include "clients/cli/check/check.h"

#include "clients/cli/output/terminal.h"

#include <stdlib.h>

enum { RULE_COLUMNS = 22 };

static void count(const struct check *check, size_t counts[SEVERITY_COUNT], size_t *models)
{
    for (size_t i = 0; i < check->models.count; i++) {
        *models += check->findings[i].is_done;
        for (size_t k = 0; k < check->findings[i].count; k++)
            counts[check->findings[i].at[k].severity]++;
    }
}

void check_report_text(const struct check *check, struct text *out)
{
    static const enum colour COLOURS[SEVERITY_COUNT] = {COLOUR_NONE, COLOUR_CYAN, COLOUR_YELLOW, COLOUR_RED};
    size_t counts[SEVERITY_COUNT] = {0}, models = 0;
    for (size_t i = 0; i < check->models.count; i++) {
        const struct findings *findings = &check->findings[i];
        if (findings->count == 0)
            continue;
        text_put(out, colour(COLOUR_BOLD));
        text_put_printable(out, check->models.items[i].model);
        text_printf(out, "%s\n", colour(COLOUR_NONE));
        for (size_t k = 0; k < findings->count; k++) {
            text_printf(out, "  %s", colour(COLOURS[findings->at[k].severity]));
            text_put_column(out, severity_name(findings->at[k].severity), 9);
            text_put(out, colour(COLOUR_NONE));
            text_put_column(out, RULES[findings->at[k].rule].name, RULE_COLUMNS);
            text_put_printable(out, findings->at[k].message);
            text_put(out, "\n");
        }
    }
    count(check, counts, &models);
    if (!terminal.is_quiet)
        text_printf(out, "%zu model%s: %zu error%s, %zu warning%s, %zu info%s\n", models, models == 1 ? "" : "s",
                    counts[SEVERITY_ERROR], counts[SEVERITY_ERROR] == 1 ? "" : "s", counts[SEVERITY_WARNING],
                    counts[SEVERITY_WARNING] == 1 ? "" : "s", counts[SEVERITY_INFO],
                    counts[SEVERITY_INFO] == 1 ? "" : "s");
}

void check_report_json(const struct check *check, struct text *out)
{
    size_t counts[SEVERITY_COUNT] = {0}, models = 0;
    cJSON *json = cJSON_CreateObject();
    cJSON *list = cJSON_AddArrayToObject(json, "models");
    for (size_t i = 0; i < check->models.count; i++) {
        cJSON *model = cJSON_CreateObject();
        if (!check->findings[i].is_done) {
            cJSON_Delete(model);
            continue;
        }
        cJSON_AddStringToObject(model, "model", check->models.items[i].model);
        cJSON *findings = cJSON_AddArrayToObject(model, "findings");
        for (size_t k = 0; k < check->findings[i].count; k++) {
            const struct finding *finding = &check->findings[i].at[k];
            cJSON *entry = cJSON_CreateObject();
            cJSON_AddStringToObject(entry, "rule", RULES[finding->rule].name);
            cJSON_AddStringToObject(entry, "severity", severity_name(finding->severity));
            cJSON_AddStringToObject(entry, "message", finding->message);
            cJSON_AddItemToArray(findings, entry);
        }
        cJSON_AddItemToArray(list, model);
    }
    count(check, counts, &models);
    cJSON *totals = cJSON_AddObjectToObject(json, "totals");
    cJSON_AddNumberToObject(totals, "models", (double)models);
    for (int i = SEVERITY_INFO; i < SEVERITY_COUNT; i++)
        cJSON_AddNumberToObject(totals, severity_name((enum severity)i), (double)counts[i]);
    json_put_indented(out, json);
}

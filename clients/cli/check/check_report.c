/* The reports of posectl check for people and as plain JSON. */
#include "clients/cli/check/check.h"

#include "clients/cli/output/terminal.h"

#include <stdlib.h>
#include <string.h>

enum { RULE_COLUMNS = 22 };

static void count(const struct check *check, size_t counts[SEVERITY_COUNT], size_t *models)
{
    for (size_t i = 0; i < check->models.count; i++) {
        *models += check->findings[i].is_done;
        for (size_t k = 0; k < check->findings[i].count; k++)
            counts[check->findings[i].at[k].severity]++;
    }
}

/* --- for people --- */

/* Models that are refused for one reason. */
struct reason {
    size_t first, count; /* the first of them, and how many there are */
};

/* Whether all that is to be said of the model is why it cannot be read. */
static bool is_refused(const struct findings *findings) { return findings->is_unreadable && findings->count == 1; }

/* The reason for which models are refused, of those that there are; NULL: another one. */
static struct reason *find_reason(const struct check *check, size_t model, struct reason *reasons, size_t count)
{
    const char *message = check->findings[model].at[0].message;
    for (size_t i = 0; i < count; i++)
        if (strcmp(check->findings[reasons[i].first].at[0].message, message) == 0)
            return &reasons[i];
    return NULL;
}

/* Fills reasons[models]; returns how many there are. None with -v, which tells everything of each model. */
static size_t find_reasons(const struct check *check, struct reason *reasons)
{
    size_t count = 0;
    for (size_t i = 0; i < check->models.count && !terminal.is_verbose; i++) {
        if (!is_refused(&check->findings[i]))
            continue;
        struct reason *reason = find_reason(check, i, reasons, count);
        if (reason == NULL) {
            reason = &reasons[count++];
            *reason = (struct reason){.first = i};
        }
        reason->count++;
    }
    return count;
}

static void put_findings(const struct findings *findings, struct text *out)
{
    static const enum colour COLOURS[SEVERITY_COUNT] = {COLOUR_NONE, COLOUR_CYAN, COLOUR_YELLOW, COLOUR_RED};
    for (size_t k = 0; k < findings->count; k++) {
        text_printf(out, "  %s", colour(COLOURS[findings->at[k].severity]));
        text_put_column(out, severity_name(findings->at[k].severity), 9);
        text_put(out, colour(COLOUR_NONE));
        text_put_column(out, RULES[findings->at[k].rule].name, RULE_COLUMNS);
        text_put_printable(out, findings->at[k].message);
        text_put(out, "\n");
    }
}

static void put_models(const struct check *check, struct text *out)
{
    struct reason *reasons = must_alloc((check->models.count + 1) * sizeof *reasons);
    const size_t reason_count = find_reasons(check, reasons);
    for (size_t i = 0; i < check->models.count; i++) {
        const struct findings *findings = &check->findings[i];
        const struct reason *reason = is_refused(findings) ? find_reason(check, i, reasons, reason_count) : NULL;
        if (findings->count == 0 || (reason != NULL && reason->first != i))
            continue;
        text_put(out, colour(COLOUR_BOLD));
        if (reason != NULL && reason->count > 1)
            text_printf(out, "%zu models, among them ", reason->count);
        text_put_printable(out, check->models.items[i].model);
        text_printf(out, "%s\n", colour(COLOUR_NONE));
        put_findings(findings, out);
    }
    free(reasons);
}

void check_report_text(const struct check *check, struct text *out)
{
    size_t counts[SEVERITY_COUNT] = {0}, models = 0;
    put_models(check, out);
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

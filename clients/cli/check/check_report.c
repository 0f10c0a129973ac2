/* Reports of posectl check for people and as plain JSON. */
#include "clients/cli/check/check.h"

#include "clients/cli/output/terminal.h"

#include <stdlib.h>
#include <string.h>

enum { RULE_COLUMNS = 23 };

struct totals {
    size_t models, severities[SEVERITY_COUNT], accepted, gone, skipped, unmeasured;
};

static struct totals count(const struct check *check)
{
    struct totals totals = {0};
    for (size_t i = 0; i < check->models.count; i++) {
        totals.models += check->findings[i].is_done;
        totals.skipped += check->findings[i].is_skipped;
        totals.unmeasured += check->findings[i].unmeasured;
        for (size_t k = 0; k < check->findings[i].count; k++)
            (*(check->findings[i].at[k].is_accepted ? &totals.accepted
                                                    : &totals.severities[check->findings[i].at[k].severity]))++;
    }
    for (size_t i = 0; i < check->baseline.count; i++)
        totals.gone += check->baseline.entries[i].is_gone;
    return totals;
}

/* --- for people --- */

/* Models that are refused for the same reason. */
struct reason {
    size_t first, count; /* the first of them, and their number */
};

/* Returns whether the only findings say why the model cannot be read. */
static bool is_refused(const struct findings *findings)
{
    return findings->is_unreadable && findings->count == 1 && !findings->at[0].is_accepted;
}

/* Accepted findings are shown only with -v. */
static bool is_told(const struct finding *finding) { return !finding->is_accepted || terminal.is_verbose; }

/* Finds the reason among `reasons` for which the model is refused. NULL: it is not among them. */
static struct reason *find_reason(const struct check *check, size_t model, struct reason *reasons, size_t count)
{
    const char *message = check->findings[model].at[0].message;
    for (size_t i = 0; i < count; i++)
        if (strcmp(check->findings[reasons[i].first].at[0].message, message) == 0)
            return &reasons[i];
    return NULL;
}

/* Fills reasons[models], and returns their number. With -v there are none, because -v shows everything about each
 * model. */
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
        const bool is_accepted = findings->at[k].is_accepted;
        if (!is_told(&findings->at[k]))
            continue;
        text_printf(out, "  %s", colour(is_accepted ? COLOUR_DIM : COLOURS[findings->at[k].severity]));
        text_put_column(out, is_accepted ? "accepted" : severity_name(findings->at[k].severity), 9);
        text_put(out, colour(COLOUR_NONE));
        text_put_column(out, RULES[findings->at[k].rule].name, RULE_COLUMNS);
        text_put_printable(out, findings->at[k].message);
        text_put(out, "\n");
    }
    for (size_t k = 0; k < findings->note_count && terminal.is_verbose; k++) {
        text_printf(out, "  %snote     %s", colour(COLOUR_DIM), colour(COLOUR_NONE));
        text_put_column(out, RULES[findings->notes[k].rule].name, RULE_COLUMNS);
        text_put_printable(out, findings->notes[k].message);
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
        size_t told = terminal.is_verbose ? findings->note_count : 0;
        for (size_t k = 0; k < findings->count; k++)
            told += is_told(&findings->at[k]);
        if (told == 0 || (reason != NULL && reason->first != i))
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

/* Puts the accepted findings that no longer occur. */
static void put_gone(const struct check *check, size_t count, struct text *out)
{
    const struct baseline *baseline = &check->baseline;
    if (count == 0)
        return;
    text_put_printable(out, baseline->file);
    text_printf(out, ": %zu accepted finding%s no longer there, --write-baseline removes %s\n", count,
                count == 1 ? " is" : "s are", count == 1 ? "it" : "them");
    for (size_t i = 0; i < baseline->count; i++) {
        if (!baseline->entries[i].is_gone)
            continue;
        text_put(out, "  gone     ");
        text_put_column(out, baseline->entries[i].rule, RULE_COLUMNS);
        text_put_printable(out, baseline->entries[i].model);
        text_put(out, ": ");
        text_put_printable(out, baseline->entries[i].subject);
        text_put(out, "\n");
    }
}

static void put_count(struct text *out, size_t count, const char *what)
{
    text_printf(out, ", %zu %s%s", count, what, count == 1 ? "" : "s");
}

void check_report_text(const struct check *check, struct text *out)
{
    const struct totals totals = count(check);
    put_models(check, out);
    put_gone(check, totals.gone, out);
    if (terminal.is_quiet)
        return;
    text_printf(out, "%zu model%s: %zu error%s", totals.models, totals.models == 1 ? "" : "s",
                totals.severities[SEVERITY_ERROR], totals.severities[SEVERITY_ERROR] == 1 ? "" : "s");
    put_count(out, totals.severities[SEVERITY_WARNING], "warning");
    put_count(out, totals.severities[SEVERITY_INFO], "info");
    if (totals.accepted > 0)
        text_printf(out, ", %zu accepted", totals.accepted);
    if (totals.skipped > 0)
        text_printf(out, ", %zu skipped", totals.skipped);
    if (check->ignored > 0)
        put_count(out, check->ignored, "ignored model");
    if (totals.unmeasured > 0) {
        put_count(out, totals.unmeasured, "joint");
        text_put(out, terminal.is_verbose ? " not measured" : " not measured (-v names them)");
    }
    text_put(out, "\n");
}

static cJSON *json_of_finding(const struct finding *finding)
{
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddStringToObject(entry, "rule", RULES[finding->rule].name);
    cJSON_AddStringToObject(entry, "severity", severity_name(finding->severity));
    cJSON_AddStringToObject(entry, "subject", finding->subject);
    cJSON_AddStringToObject(entry, "message", finding->message);
    if (finding->is_accepted)
        cJSON_AddTrueToObject(entry, "accepted");
    return entry;
}

static void put_notes(const struct findings *findings, cJSON *model)
{
    cJSON *notes = cJSON_AddArrayToObject(model, "notes");
    for (size_t k = 0; k < findings->note_count; k++) {
        cJSON *note = cJSON_CreateObject();
        cJSON_AddStringToObject(note, "rule", RULES[findings->notes[k].rule].name);
        cJSON_AddStringToObject(note, "message", findings->notes[k].message);
        cJSON_AddItemToArray(notes, note);
    }
    cJSON_AddBoolToObject(model, "skipped", findings->is_skipped);
}

static cJSON *json_of_gone(const struct accepted *accepted)
{
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddStringToObject(entry, "model", accepted->model);
    cJSON_AddStringToObject(entry, "rule", accepted->rule);
    cJSON_AddStringToObject(entry, "subject", accepted->subject);
    return entry;
}

void check_report_json(const struct check *check, struct text *out)
{
    const struct totals totals = count(check);
    cJSON *json = cJSON_CreateObject();
    cJSON *list = cJSON_AddArrayToObject(json, "models");
    for (size_t i = 0; i < check->models.count; i++) {
        if (!check->findings[i].is_done)
            continue;
        cJSON *model = cJSON_CreateObject();
        cJSON_AddStringToObject(model, "model", check->models.items[i].model);
        cJSON *findings = cJSON_AddArrayToObject(model, "findings");
        for (size_t k = 0; k < check->findings[i].count; k++)
            cJSON_AddItemToArray(findings, json_of_finding(&check->findings[i].at[k]));
        put_notes(&check->findings[i], model);
        cJSON_AddItemToArray(list, model);
    }
    cJSON *gone = cJSON_AddArrayToObject(json, "gone");
    for (size_t i = 0; i < check->baseline.count; i++)
        if (check->baseline.entries[i].is_gone)
            cJSON_AddItemToArray(gone, json_of_gone(&check->baseline.entries[i]));
    cJSON *sums = cJSON_AddObjectToObject(json, "totals");
    cJSON_AddNumberToObject(sums, "models", (double)totals.models);
    for (int i = SEVERITY_INFO; i < SEVERITY_COUNT; i++)
        cJSON_AddNumberToObject(sums, severity_name((enum severity)i), (double)totals.severities[i]);
    cJSON_AddNumberToObject(sums, "accepted", (double)totals.accepted);
    cJSON_AddNumberToObject(sums, "ignored", (double)check->ignored);
    cJSON_AddNumberToObject(sums, "skipped", (double)totals.skipped);
    if (check->is_flex)
        cJSON_AddNumberToObject(sums, "not_measured", (double)totals.unmeasured);
    json_put_indented(out, json);
}

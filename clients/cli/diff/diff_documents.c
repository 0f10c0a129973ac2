/* Reports of posectl diff for other programs. In JUnit XML each model is a test case and a difference is a failure. In
 * SARIF 2.1.0 (OASIS) each kind of difference is a rule. */
#include "clients/cli/diff/diff.h"
#include "clients/cli/output/junit.h"
#include "clients/cli/output/sarif.h"
#include "clients/cli/output/terminal.h"

#include <string.h>

/* The rules for models that are not compared. They follow the kinds of differences. */
static const struct {
    const char *name, *text;
    enum diff_state state;
} OTHER_RULES[] = {
    {"model_added", "there is no such model among the old files", DIFF_ADDED},
    {"model_removed", "there is no such model among the new files", DIFF_REMOVED},
    {"model_failed", "a model could not be compared", DIFF_FAILED},
};

static const struct {
    const char *name, *text;
} KINDS[] = {
#define X(symbol, name, text) {name, text},
#include "protocol/differences.def"
#undef X
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS, OTHER_COUNT = sizeof OTHER_RULES / sizeof *OTHER_RULES };

/* Returns the rule of a pair without a list of differences. NULL: it has one. */
static const char *rule_of(const struct diff_pair *pair, const char **said)
{
    for (int i = 0; i < OTHER_COUNT; i++)
        if (OTHER_RULES[i].state == pair->state) {
            *said = pair->message != NULL ? pair->message : OTHER_RULES[i].text;
            return OTHER_RULES[i].name;
        }
    return NULL;
}

static int index_of(const char *rule)
{
    for (int i = 0; i < KIND_COUNT; i++)
        if (strcmp(KINDS[i].name, rule) == 0)
            return i;
    for (int i = 0; i < OTHER_COUNT; i++)
        if (strcmp(OTHER_RULES[i].name, rule) == 0)
            return KIND_COUNT + i;
    return -1; /* a newer server sent it */
}

static void put_failure(const struct diff_pair *pair, struct text *out)
{
    const char *said = NULL, *rule = rule_of(pair, &said);
    const cJSON *list = json_get(pair->answer, "differences"), *first = cJSON_GetArrayItem(list, 0), *difference;
    text_put(out, "      <failure type=\"");
    text_put_xml(out, rule != NULL ? rule : member_text(first, "kind"));
    text_put(out, "\" message=\"");
    text_put_xml(out, rule != NULL ? said : member_text(first, "message"));
    text_put(out, "\">");
    cJSON_ArrayForEach(difference, list)
    {
        text_put_xml(out, member_text(difference, "kind"));
        text_put(out, ": ");
        text_put_xml(out, member_text(difference, "message"));
        text_put(out, "\n");
    }
    text_put(out, "</failure>\n");
}

void diff_report_junit(const struct diff *diff, struct text *out)
{
    size_t states[DIFF_STATES];
    struct junit_counts counts = {.tests = diff->count};
    diff_count(diff, states, &counts.skipped);
    counts.failures = diff->count - counts.skipped - states[DIFF_EQUAL];
    junit_begin(out, "posectl diff", &counts, diff->seconds);
    for (size_t i = 0; i < diff->count; i++) {
        const struct diff_pair *pair = &diff->pairs[i];
        const bool is_empty = pair->is_done && pair->state == DIFF_EQUAL;
        junit_put_case(out, "posectl.diff", pair->name, is_empty);
        if (!pair->is_done)
            text_put(out, "      <skipped message=\"interrupted\"/>\n");
        else if (!is_empty)
            put_failure(pair, out);
        if (!is_empty)
            junit_end_case(out);
    }
    junit_end(out);
}

static void add_results(const struct diff_pair *pair, cJSON *results)
{
    const char *said = NULL, *rule = rule_of(pair, &said);
    const cJSON *difference;
    if (rule != NULL)
        cJSON_AddItemToArray(results, sarif_result(rule, index_of(rule),
                                                   pair->state == DIFF_FAILED ? "error" : "warning", said, pair->name));
    cJSON_ArrayForEach(difference, json_get(pair->answer, "differences"))
    {
        const char *kind = member_text(difference, "kind");
        cJSON_AddItemToArray(
            results, sarif_result(kind, index_of(kind), "warning", member_text(difference, "message"), pair->name));
    }
}

void diff_report_sarif(const struct diff *diff, struct text *out)
{
    cJSON *run, *rules, *json = sarif_new(&run, &rules);
    for (int i = 0; i < KIND_COUNT; i++)
        sarif_add_rule(rules, KINDS[i].name, KINDS[i].text, "warning", true);
    for (int i = 0; i < OTHER_COUNT; i++)
        sarif_add_rule(rules, OTHER_RULES[i].name, OTHER_RULES[i].text,
                       OTHER_RULES[i].state == DIFF_FAILED ? "error" : "warning", true);
    cJSON_AddStringToObject(run, "columnKind", "unicodeCodePoints");
    cJSON *results = cJSON_AddArrayToObject(run, "results");
    for (size_t i = 0; i < diff->count; i++)
        if (diff->pairs[i].is_done)
            add_results(&diff->pairs[i], results);
    json_put_indented(out, json);
}

/* Reports of posectl diff for other programs. In JUnit XML each model is a test case, and its failure lists its
 * changes. In SARIF 2.1.0 (OASIS) each kind of difference is a rule, and a change of several models is one result. */
#include "clients/cli/diff_report/diff_report.h"
#include "clients/cli/diff_report/changes.h"
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

/* Puts a change, and how many models share it. */
static void put_change(const struct changes *changes, const struct change *change, struct text *out)
{
    const size_t others = changes->groups[change->group].pair_count - 1;
    text_put(out, change->text);
    if (others > 0)
        text_printf(out, " (the same in %zu other model%s)", others, others == 1 ? "" : "s");
}

/* `pair`: an index in diff->pairs. */
static void put_failure(const struct diff *diff, const struct changes *changes, size_t pair, struct text *out)
{
    const size_t first = changes->pair_firsts[pair], end = changes->pair_firsts[pair + 1];
    const char *said = NULL, *rule = rule_of(&diff->pairs[pair], &said);
    struct text line = {0};
    text_put(&line, rule != NULL || first == end ? "" : changes->items[first].text);
    text_put(out, "      <failure type=\"");
    text_put_xml(out, rule != NULL ? rule : first == end ? "" : change_kind(&changes->items[first]));
    text_put(out, "\" message=\"");
    text_put_xml(out, rule != NULL ? said : line.at);
    text_put(out, "\">");
    text_free(&line);
    for (size_t i = first; i < end; i++) {
        text_put_xml(out, change_kind(&changes->items[i]));
        put_change(changes, &changes->items[i], &line);
        text_put(out, ": ");
        text_put_xml(out, line.at);
        text_put(out, "\n");
        text_free(&line);
    }
    text_put(out, "</failure>\n");
}

void diff_report_junit(const struct diff *diff, struct text *out)
{
    size_t states[DIFF_STATES];
    struct junit_counts counts = {.tests = diff->count};
    struct changes changes;
    changes_find(diff, &changes);
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
            put_failure(diff, &changes, i, out);
        if (!is_empty)
            junit_end_case(out);
    }
    junit_end(out);
    changes_free(&changes);
}

/* Adds a result for a model that is not compared. */
static void add_other(const struct diff_pair *pair, cJSON *results)
{
    const char *said = NULL, *rule = rule_of(pair, &said);
    if (rule != NULL)
        cJSON_AddItemToArray(results, sarif_result(rule, index_of(rule),
                                                   pair->state == DIFF_FAILED ? "error" : "warning", said, pair->name));
}

/* Adds a result for a change. Its location is the first model that has it, and the others are related locations. */
static void add_group(const struct diff *diff, const struct change_group *group, cJSON *results)
{
    const char *kind = change_kind(group->change);
    struct text message = {0};
    text_put(&message, group->change->text);
    if (group->pair_count > 1) {
        text_printf(&message, " (in %zu models: ", group->pair_count);
        changes_put_models(&message, diff, group);
        text_put(&message, ")");
    }
    cJSON *result = sarif_result(kind, index_of(kind), "warning", message.at, diff->pairs[group->pairs[0]].name);
    for (size_t i = 1; i < group->pair_count; i++)
        sarif_add_related(result, diff->pairs[group->pairs[i]].name);
    cJSON_AddItemToArray(results, result);
    text_free(&message);
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
    struct changes changes;
    changes_find(diff, &changes);
    for (size_t g = 0; g < changes.group_count; g++)
        add_group(diff, &changes.groups[g], results);
    for (size_t i = 0; i < diff->count; i++)
        if (diff->pairs[i].is_done)
            add_other(&diff->pairs[i], results);
    changes_free(&changes);
    json_put_indented(out, json);
}

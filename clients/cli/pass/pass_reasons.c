/* Reports failures and warnings of a pass, a line for each reason: pass.h. */
#include "clients/cli/pass/pass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A failure or a warning of a model. */
struct remark {
    const cJSON *what;   /* {"code", "message"} */
    const char *message; /* without the model's name, if it begins with that */
    size_t index;        /* of the model */
};

struct remarks {
    struct remark *items;
    size_t count;
};

/* Remarks for the same reason, which are neighbours in a sorted list. */
struct reason {
    const struct remark *first;
    size_t count;
};

/* Returns what a message says behind the name of its model, in quotes: "'a.bvh': hips is unknown". */
static const char *without_name(const char *message, const char *name)
{
    const size_t size = strlen(name);
    return message[0] == '\'' && strncmp(message + 1, name, size) == 0 && message[size + 1] == '\'' ? message + size + 2
                                                                                                    : message;
}

static void add(struct remarks *remarks, const struct pass *pass, const cJSON *what, size_t index)
{
    const char *message = without_name(member_text(what, "message"), pass->models.items[index].source);
    remarks->items = must_grow(remarks->items, (remarks->count + 1) * sizeof *remarks->items);
    remarks->items[remarks->count++] = (struct remark){what, message, index};
}

static int compare_codes(const struct remark *x, const struct remark *y)
{
    return strcmp(member_text(x->what, "code"), member_text(y->what, "code"));
}

static int by_index(const struct remark *x, const struct remark *y)
{
    return x->index != y->index ? (x->index < y->index ? -1 : 1) : 0;
}

static int by_message(const void *a, const void *b)
{
    const struct remark *x = a, *y = b;
    const int code = compare_codes(x, y), message = strcmp(x->message, y->message);
    return code != 0 ? code : message != 0 ? message : by_index(x, y);
}

static int by_code(const void *a, const void *b)
{
    const int code = compare_codes(a, b);
    return code != 0 ? code : by_index(a, b);
}

/* Sorts reasons of more models first; equal ones keep the models' order. */
static int by_count(const void *a, const void *b)
{
    const struct reason *x = a, *y = b;
    return x->count != y->count ? (x->count > y->count ? -1 : 1) : by_index(x->first, y->first);
}

static void report_reason(const struct pass *pass, const char *word, enum colour shade, const struct reason *reason)
{
    const struct listed_model *items = pass->models.items;
    const char *first = items[reason->first->index].model;
    struct text what = {0};
    if (reason->count == 1)
        text_put(&what, first);
    else if (terminal.is_verbose)
        text_printf(&what, "%zu models", reason->count);
    else
        text_printf(&what, "%zu models, %s among them", reason->count, first);
    pass_report_line(word, shade, what.at, reason->first->what);
    text_free(&what);
    for (size_t i = 0; reason->count > 1 && terminal.is_verbose && i < reason->count; i++) {
        struct text name = {0};
        text_put_printable(&name, items[reason->first[i].index].model);
        printf("          %s\n", name.at);
        text_free(&name);
    }
}

/* Sorts the remarks, and returns the reasons, the most frequent one first. The caller frees them. */
static struct reason *find_reasons(struct remarks *remarks, int (*order)(const void *, const void *), bool by_text,
                                   size_t *count)
{
    struct reason *reasons = must_alloc((remarks->count + 1) * sizeof *reasons);
    *count = 0;
    if (remarks->count > 0)
        qsort(remarks->items, remarks->count, sizeof *remarks->items, order);
    for (size_t i = 0; i < remarks->count; i++) {
        const struct remark *item = &remarks->items[i];
        if (i == 0 || compare_codes(item - 1, item) != 0 || (by_text && strcmp(item[-1].message, item->message) != 0))
            reasons[(*count)++] = (struct reason){item, 0};
        reasons[*count - 1].count++;
    }
    if (*count > 0)
        qsort(reasons, *count, sizeof *reasons, by_count);
    return reasons;
}

void pass_report_failures(const struct pass *pass)
{
    struct remarks failures = {0};
    size_t remembered = 0, reason_count;
    for (size_t i = 0; i < pass->models.count; i++) {
        const cJSON *error = json_error(pass->entries[i]);
        remembered += error != NULL && pass_is_remembered(pass, i);
        if (error != NULL)
            add(&failures, pass, error, i);
    }
    struct reason *reasons = find_reasons(&failures, by_message, true, &reason_count);
    for (size_t i = 0; i < reason_count; i++)
        report_reason(pass, "failed", COLOUR_RED, &reasons[i]);
    if (remembered > 0 && !terminal.is_quiet)
        printf("%zu of %zu failed in an earlier run and were not tried again: --retry does\n", remembered,
               failures.count);
    free(reasons);
    free(failures.items);
}

/* Returns whether an earlier warning of the list has the same code, so that the model counts once. */
static bool is_repeated(const cJSON *list, const cJSON *warning)
{
    for (const cJSON *other = list->child; other != warning; other = other->next)
        if (strcmp(member_text(other, "code"), member_text(warning, "code")) == 0)
            return true;
    return false;
}

/* Prints each remark of a list, with its own words. */
static void report_each(const struct pass *pass, const char *member, const char *word)
{
    for (size_t i = 0; i < pass->models.count; i++) {
        const cJSON *entry = pass_entry(pass, i), *list = json_get(entry, member), *remark;
        if (json_error(entry) != NULL)
            continue;
        cJSON_ArrayForEach(remark, list) { pass_report_line(word, COLOUR_YELLOW, pass->models.items[i].model, remark); }
    }
}

static void report_by_code(const struct pass *pass)
{
    struct remarks warnings = {0};
    size_t reason_count;
    for (size_t i = 0; i < pass->models.count; i++) {
        const cJSON *entry = pass_entry(pass, i), *list = json_get(entry, "warnings"), *warning;
        if (json_error(entry) != NULL)
            continue;
        cJSON_ArrayForEach(warning, list)
        {
            if (!is_repeated(list, warning))
                add(&warnings, pass, warning, i);
        }
    }
    struct reason *reasons = find_reasons(&warnings, by_code, false, &reason_count);
    for (size_t i = 0; i < reason_count; i++)
        report_reason(pass, "warning", COLOUR_YELLOW, &reasons[i]);
    free(reasons);
    free(warnings.items);
}

void pass_report_warnings(const struct pass *pass)
{
    if (terminal.is_verbose) {
        report_each(pass, "warnings", "warning");
        report_each(pass, "approximations", "approximated");
        report_each(pass, "dropped", "dropped");
    } else if (!terminal.is_quiet) {
        report_by_code(pass);
    }
}

/* baseline.h - accepted findings, in a JSON file with one finding a line. Model, rule and subject identify a finding.
 * Its text, with its numbers, does not count. A finding that occurs several times has as many lines. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct check;

struct accepted {
    char *model; /* relative to the folder of the file, or to the root of a running server */
    char *rule, *subject;
    bool is_found; /* This run has the same finding. */
    bool is_gone;  /* This run looked for it and has no such finding, or the model has gone. */
};

struct baseline {
    const char *file; /* as on the command line; NULL without --baseline */
    struct accepted *entries;
    size_t count;
};

/* Reads --baseline. Returns 0, or STATUS_USAGE after printing the error. The caller calls baseline_free() in any case.
 */
int baseline_read(struct baseline *baseline, const char *file);
/* Marks the findings that are accepted, and the entries that are gone. `root`: as in struct rule_sets. */
void baseline_apply(struct check *check, const char *root);
/* Writes all findings, and keeps the accepted ones of models that this run has not checked, and of rules of the other
 * command. Returns 0 or an exit status. */
int baseline_write(const struct check *check, const char *root, const char *file);
void baseline_free(struct baseline *baseline);

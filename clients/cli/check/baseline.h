/* baseline.h - accepted findings: a JSON file with one of them a line, by model, rule and subject. Texts and their
 * numbers do not count. A finding that is there several times has as many lines. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct check;

struct accepted {
    char *model; /* from the folder of the file; of a running server from its root */
    char *rule, *subject;
    bool is_found; /* a finding of this run is the same */
    bool is_gone;  /* none is, although the model was checked or is no longer there */
};

struct baseline {
    const char *file; /* of the command line; NULL: there is none */
    struct accepted *entries;
    size_t count;
};

/* Reads --baseline. Returns 0 or STATUS_USAGE after printing what is wrong; baseline_free() in any case. */
int baseline_read(struct baseline *baseline, const char *file);
/* Marks the findings that are accepted, and the entries that are gone. `root`: as in struct rule_sets. */
void baseline_apply(struct check *check, const char *root);
/* Writes all findings, and the accepted ones of models that this run has not looked at. Returns 0 or an exit status. */
int baseline_write(const struct check *check, const char *root, const char *file);
void baseline_free(struct baseline *baseline);

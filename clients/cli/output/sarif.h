/* sarif.h - writes the frame of SARIF 2.1.0 (OASIS) for code scanning: one run of posectl with rules and results. */
#pragma once

#include "clients/cli/output/json.h"

#include <stdbool.h>

/* Makes a document with one run. *run and *rules point into it. */
cJSON *sarif_new(cJSON **run, cJSON **rules);
/* `level`: "error", "warning" or "note". */
void sarif_add_rule(cJSON *rules, const char *name, const char *text, const char *level, bool is_enabled);
/* Makes a result about a file. The caller adds it to "results" of the run. `index`: of the rule. */
cJSON *sarif_result(const char *rule, int index, const char *level, const char *message, const char *path);
/* Adds a file to the related locations of a result (3.27.22). */
void sarif_add_related(cJSON *result, const char *path);
cJSON *sarif_message(const char *text);

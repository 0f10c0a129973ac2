/* diff.h - posectl diff: pairs of models, the server's answer about each pair, and the reports. diff_pair_compare()
 * runs in one thread of a pool. Everything else runs in the main thread. */
#pragma once

#include "clients/cli/diff_report/diff_report.h"
#include "clients/cli/server/model_list.h"

/* diff_pairs.c: lists the pairs of two models, or of two folders by their relative paths. Returns 0 or an exit status.
 */
int diff_list_pairs(struct diff *diff);
void diff_free_pairs(struct diff *diff);

/* diff_files.c: returns whether both are one file, or have the same bytes and no files beside them. */
bool diff_is_same_file(const struct diff *diff, const struct diff_pair *pair);

/* markdown_tables.h - the differences of models as tables of a page of GitHub's Markdown. One thread. */
#pragma once

#include "clients/cli/diff_report/changes.h"

/* Puts a table for each area, with a row for each group of changes. */
void markdown_put_groups(struct text *out, const struct diff *diff, const struct changes *changes);
/* Puts all differences of a model, ungrouped, under its name. */
void markdown_put_all(struct text *out, const struct diff_pair *pair);
/* Puts the numbers of differences that the server did not list or examine. */
void markdown_put_left_out(struct text *out, const struct diff *diff);
/* Puts a list of what the server notes about models and counts as no difference. */
void markdown_put_notes(struct text *out, const struct diff *diff);

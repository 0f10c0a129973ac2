/* summary.h - the first two sentences of a report. One thread. */
#pragma once

#include "clients/cli/diff_report/changes.h"

/* Puts both sentences. Not escaped. */
void summary_put(struct text *out, const struct diff *diff, const struct changes *changes);
/* Puts "4 of 12 models changed: motion in 3, materials in 2; 1 added", without a full stop and not escaped. */
void summary_put_changed(struct text *out, const struct diff *diff, const struct changes *changes);
/* Puts "The worst is hero.glb: 'hand' of 'run' is 0.12 m (6 % of its size) elsewhere at 0.43 s.", or, where nothing
 * moved, the first change. Puts nothing if no model changed. */
void summary_put_worst(struct text *out, const struct diff *diff, const struct changes *changes);
/* Fills in how many models have changes of each area. */
void summary_count(const struct diff *diff, const struct changes *changes, size_t models[AREA_COUNT]);

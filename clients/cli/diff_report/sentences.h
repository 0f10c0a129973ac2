/* sentences.h - says differences in words for reviewers. The texts are not escaped yet. Pure. */
#pragma once

#include "clients/cli/output/json.h"

#include <stdbool.h>

/* Returns whether the difference is about the place of a joint, or of its vertices, in a clip or at rest. */
bool sentence_is_shift(const cJSON *difference);
/* Puts "joint 'hand' is 0.12 m (6 % of the size) elsewhere and turned by 8 degrees at 0.43 s". answer: the one that
 * contains the difference, after sentences_prepare(). */
void sentence_put_shift(struct text *out, const cJSON *answer, const cJSON *difference);
/* Puts "joint 'head' 0.1 m (5 %) at 0.5 s", for a list that begins with a shift in full. */
void sentence_put_short_shift(struct text *out, const cJSON *answer, const cJSON *difference);
/* Puts "clip 'run'", or "clip 'run' by phase" where the server has compared its poses so, or "at rest". */
void sentence_put_where(struct text *out, const cJSON *answer, const cJSON *difference);
/* Puts "'hand' of 'run' is 0.12 m (6 % of its size) elsewhere at 0.43 s", for the model of which is spoken. */
void sentence_put_worst(struct text *out, const cJSON *answer, const cJSON *difference);
/* Puts text for one sentence: what is very long is cut. */
void sentence_put_name(struct text *out, const char *name);

/* Prepares an answer of /v1/compare for reports: sorts its differences by area, and says in each "area" and, for what
 * is elsewhere, in "message". unit_m: metres of a unit of the old model; NaN: the file states none. */
void sentences_prepare(cJSON *answer, double unit_m);

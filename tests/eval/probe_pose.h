/* probe_pose.h - given poses of eval_probe: nodes, weights, expressions and a look are collected, then a layer or a
 * motion takes them. */
#pragma once

#include "clients/eval/posed_eval.h"

/* words: NODE PARTS and 10 numbers (translation, rotation, scale). Adds a node. */
void probe_give(char *words);
/* words: NODE TARGET WEIGHT. */
void probe_give_weight(const char *words);
/* words: EXPRESSION WEIGHT. */
void probe_give_expression(const char *words);
/* words: KIND, yaw and pitch, and a point. */
void probe_give_look(const char *words);
/* words: INDEX NAME. A motion names its node INDEX so. */
void probe_give_name(const char *words);
/* Returns what was given since the last call, which stays as long as the process. */
const struct pe_pose *probe_pose(int relative_to);
/* What was given since the last call becomes a frame, at a time (negative: by the rate). */
void probe_frame(double time_s);
/* Makes a motion of the frames. Returns the index of it, or a negative status. */
int probe_motion(const struct pe_model *model, double rate, int relative_to, struct pe_error *error);
const struct pe_given *probe_motion_at(int index);
void probe_motions_free(void);

/* sample.h - evaluates one animation channel at one time (glTF 2.0, 3.11 and appendix C).
 *
 * Pure; any thread. LINEAR: component-wise, rotations by slerp along the shorter arc. STEP: the last key at or before
 * the time. CUBICSPLINE: Hermite with tangents scaled by the key distance, rotations normalised, no shortest-path rule.
 * Before the first and after the last key the nearest value holds. At a key its value is exact. */
#pragma once

#include "anim/model/model.h"

/* Returns the index of the last key time <= time_s, or 0 when all are later. times[count] rises strictly; count >= 1.
 */
uint32_t sample_key(const double *times, uint32_t count, double time_s);

/* Writes channel->component_count doubles to out. */
void sample_channel(const struct model *model, const struct channel *channel, double time_s, double *out);

/* The same where sample_key() of the time is known. */
void sample_channel_at(const struct model *model, const struct channel *channel, uint32_t key, double time_s,
                       double *out);

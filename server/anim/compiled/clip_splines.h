/* clip_splines.h - chooses the frames of a clip with cubic splines. Pure; any thread. For clip_plan.h's users.
 *
 * Splines have keys at times of their own, and together these may be many. A frame has the value and the slope of all
 * splines; between two frames the kernels draw one cubic through both. Where a spline has no key between them, that
 * cubic is the spline itself. Elsewhere it may pass by the keys at most at the spline's tolerance, which is proven, not
 * sampled: the difference of two cubics lies within the convex hull of its Bezier points (G. Farin, "Curves and
 * Surfaces for CAGD", 2002, 5.1). */
#pragma once

#include "anim/compiled/clip_plan.h"

/* The frames whose slopes differ on their two sides come twice (compiled_clip.h). */
enum frame_sides { FRAME_LEFT = 1, FRAME_RIGHT = 2, FRAME_BOTH = FRAME_LEFT | FRAME_RIGHT };

/* Sets the plan's sides by its times: of two frames at one time, and at jumps, each has one side. */
void clip_splines_find_sides(struct clip_plan *plan);

/* Replaces the plan's times by those of frames: all keys of other channels, and as few keys of splines as the tolerance
 * permits. Rotations may be off by `tolerance`; translations, after the scales of their ancestors, by as many times the
 * model's size; scales relative to their greatest value. At most frame_limit frames. *looks_left bounds the work:
 * how many keys may be compared, less those that were. False, and the plan must not be used: there would be too many
 * frames or too much work, or a rotation passes by 0. */
bool clip_splines_choose(struct clip_plan *plan, double tolerance, double size, uint64_t frame_limit,
                         uint64_t *looks_left);

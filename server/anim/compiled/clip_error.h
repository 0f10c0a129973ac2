/* clip_error.h - the largest error of a compiled clip's palettes against those in double precision. Pure; any thread.
 */
#pragma once

#include "anim/compiled/clip_blend.h"
#include "anim/pose/pose.h"

/* What the clips of a model are measured by, and working memory. */
struct clip_error {
    double size;       /* of the model: the longest side of its rest bounds, or of the box around its joints */
    struct box *boxes; /* [skin_count], bind space: around the vertices that the skin moves, or its joints */
    float *rows;       /* of the largest skin */
    struct clip_palette palette;
    struct clip_blend blend;
    struct pose pose;
    struct blend exact_blend;
};

/* Measures the model, which is borrowed for the call. */
void clip_error_init(struct clip_error *measure, const struct model *model);
void clip_error_fini(struct clip_error *measure);

/* Compares both at up to `moment_count` times, frames and between frames (at least two), for every joint of every skin.
 * Returns, in units of the model's size, the largest of
 * - the way between the two places of a corner of the skin's box, and
 * - the difference of two elements of a 3x3 part, of the largest element of that part, times the model's size.
 * Not finite where the size is 0. `model` may be another view of what clip_error_init() was given. */
double clip_error_measure(struct clip_error *measure, const struct model *model, uint32_t clip, uint32_t moment_count);

/* The same of blends with the clip, which has rig_parts: with itself at another time, the rest pose and the clip
 * `other`, in shares of all sizes. errors: multiplied in float, and in double precision. */
void clip_error_measure_blends(struct clip_error *measure, const struct model *model, uint32_t clip, uint32_t other,
                               uint32_t moment_count, double errors[2]);

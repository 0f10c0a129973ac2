/* clip_error.h - measures the largest error of a compiled clip's palettes against double precision. Pure; any thread.
 */
#pragma once

#include "anim/compiled/clip_blend.h"
#include "anim/pose/pose.h"

/* The boxes by which the clips of a model are measured, and working memory. */
struct clip_error {
    double size;       /* longest side of the model's rest bounds, or of the box around its joints */
    struct box *boxes; /* [skin_count], bind space: boxes around the skin's vertices, or around its joints */
    float *rows;       /* a palette of the largest skin */
    struct clip_palette palette;
    struct clip_blend blend;
    struct pose pose;
    struct blend exact_blend;
};

/* Prepares for a model, which is borrowed for the call. */
void clip_error_init(struct clip_error *measure, const struct model *model);
void clip_error_fini(struct clip_error *measure);

/* Compares both evaluations for every joint of every skin, at up to `moment_count` times (at least two), at frames and
 * between frames. Returns the largest of two values, in units of the model's size: the distance between the two places
 * of a corner of the skin's box, and the difference of two elements of a 3x3 part relative to the largest element of
 * that part. Not finite where the size is 0. `model` may be another view of the model that clip_error_init() got. */
double clip_error_measure(struct clip_error *measure, const struct model *model, uint32_t clip, uint32_t moment_count);

/* Measures in the same way blends of the clip, which must have rig_parts, with itself at another time, with the rest
 * pose, and with the clip `other`, at weights over the whole range. errors: multiplied in float, and in double
 * precision. */
void clip_error_measure_blends(struct clip_error *measure, const struct model *model, uint32_t clip, uint32_t other,
                               uint32_t moment_count, double errors[2]);

/* clip_error.h - the largest error of a compiled clip's palettes against those in double precision. Pure; any thread.
 */
#pragma once

#include "anim/compiled/clip_palette.h"
#include "anim/pose/pose.h"

/* What the clips of a model are measured by, and working memory. */
struct clip_error {
    double size;       /* of the model: the longest side of its rest bounds, or of the box around its joints */
    struct box *boxes; /* [skin_count], bind space: around the vertices that the skin moves, or its joints */
    float *rows;       /* of the largest skin */
    struct clip_palette palette;
    struct pose pose;
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

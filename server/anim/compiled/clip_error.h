/* clip_error.h - measures the largest error of a compiled clip's palettes against double precision. Pure; any thread.
 */
#pragma once

#include "anim/compiled/clip_blend.h"
#include "anim/pose/pose.h"

/* The boxes by which the clips of a model are measured, and working memory. */
struct clip_error {
    double size;         /* longest side of the model's rest bounds, or of the box around its joints */
    struct box *boxes;   /* [skin_count], bind space: boxes around the skin's vertices, or around its joints */
    float *rows;         /* a palette of the largest skin */
    struct dmat4 *exact; /* the exact palettes of all skins at the time that is measured */
    struct clip_palette palette;
    struct clip_blend blend;
    struct pose pose;
    struct blend exact_blend;
};

/* Prepares for a model, which is borrowed for the call. */
void clip_error_init(struct clip_error *measure, const struct model *model);
void clip_error_fini(struct clip_error *measure);

/* How many times of a clip `expected` is for. */
#define CLIP_ERROR_TIMES 10000

/* In units of the model's size; not finite where that is 0. */
struct clip_error_found {
    double largest;  /* at the times that were measured */
    double expected; /* the largest that CLIP_ERROR_TIMES times would have, by the distribution of those measured */
};

/* Compares both evaluations for every joint of every skin, at up to `moment_count` times (at least two), at frames and
 * between frames. The error of a time is the larger of two values: the distance between the two places of a corner of
 * the skin's box, and the difference of two elements of a 3x3 part relative to the largest element of that part.
 * Measures at each time as if each of flags[way_count] were those of the clip: found[way_count]. `model` may be another
 * view of the model that clip_error_init() got. */
enum { CLIP_ERROR_WAYS_MAX = 5 };
void clip_error_measure(struct clip_error *measure, const struct model *model, uint32_t clip, uint32_t moment_count,
                        const uint32_t *flags, uint32_t way_count, struct clip_error_found *found);

/* Measures in the same way blends of the clip, which must have rig_parts, with itself at another time, with the rest
 * pose, and with the clip `other`, at weights over the whole range. errors: multiplied in float, and in double
 * precision. */
void clip_error_measure_blends(struct clip_error *measure, const struct model *model, uint32_t clip, uint32_t other,
                               uint32_t moment_count, double errors[2]);

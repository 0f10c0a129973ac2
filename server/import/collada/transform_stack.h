/* transform_stack.h - a node's transform in one clip: its elements, each at rest or driven by samplers. One thread.
 *
 * Every element is evaluated by itself, so an angle turns as far as the file says. A <matrix> between keys whose
 * interpolation is LINEAR is interpolated as translation, rotation and scale, as exporters of baked matrices mean it;
 * with any other interpolation each of its numbers follows its own curve. */
#pragma once

#include "import/collada/collada.h"

#include "anim/model/mat.h"

struct transform_stack_part {
    const struct collada_step *step;
    const uint32_t *channels; /* [channel_count], into collada->channels, in the file's order: the last one counts */
    uint32_t channel_count;
    double *times_s; /* of a driven <matrix>: its keys, rising; [time_count] */
    uint32_t time_count;
};

struct transform_stack {
    const struct collada *collada;
    struct transform_stack_part *parts;
    uint32_t part_count;
    double *times_s; /* of all keys, rising; [time_count], 0 when nothing moves */
    uint32_t time_count;
    bool is_trs; /* its product is always a translation, rotation and scale: then no matrix is taken apart */
};

/* Of node `n`; clip NULL: at rest. Borrows collada. */
void transform_stack_init(struct transform_stack *stack, const struct collada *collada, uint32_t n,
                          const struct collada_clip *clip);
void transform_stack_fini(struct transform_stack *stack);

/* parent_from_node at a time. */
struct dmat4 transform_stack_matrix(const struct transform_stack *stack, double time_s);
/* Likewise in parts, the rotation with either sign. False when it skews, which the parts cannot say. */
bool transform_stack_trs(const struct transform_stack *stack, double time_s, struct trs *trs);
/* The clip's channels of a transform element or a source of weights, as indices into collada->channels. */
const uint32_t *clip_channels_of(const struct collada *collada, const struct collada_clip *clip, uint32_t element,
                                 uint32_t *count);
/* The key times of channels[count], rising, each once (heap, with room for one more). */
double *channels_times(const struct collada *collada, const uint32_t *channels, uint32_t count, uint32_t *time_count);

/* How far its rotations turn between two neighbouring times, in radians, all together: an estimate. */
double transform_stack_turn(const struct transform_stack *stack, double from_s, double to_s);

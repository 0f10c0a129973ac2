/* transform_stack.h - a node's transform in one clip: its transform elements, each at rest or driven by samplers. One
 * thread.
 *
 * Each element is evaluated separately, so rotations over 180 degrees keep their full angle. A <matrix> with LINEAR
 * interpolation is interpolated as translation, rotation and scale, as exporters of baked matrices intend. With any
 * other interpolation each of its numbers follows its own curve. */
#pragma once

#include "import/collada/collada.h"

#include "anim/model/mat.h"

struct transform_stack_part {
    const struct collada_step *step;
    const uint32_t *channels; /* [channel_count], into collada->channels, in the file's order: the last channel wins */
    uint32_t channel_count;
    double *times_s; /* [time_count], rising: key times of a driven <matrix> */
    uint32_t time_count;
};

struct transform_stack {
    const struct collada *collada;
    struct transform_stack_part *parts;
    uint32_t part_count;
    double *times_s; /* [time_count], rising: times of all keys; time_count is 0 without animation */
    uint32_t time_count;
    bool is_trs; /* the product is always a translation, rotation and scale, so no matrix needs decomposition */
};

/* Prepares the transform of node `n`; clip NULL means at rest. Borrows collada. */
void transform_stack_init(struct transform_stack *stack, const struct collada *collada, uint32_t n,
                          const struct collada_clip *clip);
void transform_stack_fini(struct transform_stack *stack);

/* Returns parent_from_node at a time. */
struct dmat4 transform_stack_matrix(const struct transform_stack *stack, double time_s);
/* Does the same as translation, rotation and scale; the quaternion may have either sign. Returns false for a shear,
 * which these parts cannot express. */
bool transform_stack_trs(const struct transform_stack *stack, double time_s, struct trs *trs);
/* Returns the clip's channels of a transform element or a source of weights, as indices into collada->channels. */
const uint32_t *clip_channels_of(const struct collada *collada, const struct collada_clip *clip, uint32_t element,
                                 uint32_t *count);
/* Returns the distinct key times of channels[count], rising. The heap array has capacity for one more. */
double *channels_times(const struct collada *collada, const uint32_t *channels, uint32_t count, uint32_t *time_count);

/* Estimates the total rotation between two neighbouring times, in radians. */
double transform_stack_turn(const struct transform_stack *stack, double from_s, double to_s);

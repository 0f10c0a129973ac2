/* entity_sampler.h - the poses of an entity's motion, one after the other, as rows of floats: for entity_clip.c. Pure;
 * any thread.
 *
 * A row has ten numbers of each node (translation, rotation, scale), then all morph weights, then those of materials
 * (entity_looks.h). Rotations are on the side of those of the row before. */
#pragma once

#include "anim/entity/entity_clip.h"
#include "anim/entity/entity_looks.h"

/* How a path of a node, or a part of a material, differs from rest. */
enum entity_moves { MOVES_NOT, MOVES_FROM_REST, MOVES_IN_TIME };

struct entity_sampler {
    const struct entity_motion *motion;
    const struct model *model;
    struct entity_work *work;
    struct entity_looks looks;
    float *rows;
    float *first, *before, *row, *rest; /* [row_values], in rows */
    uint8_t *moves;                     /* [node_count][PATH_WEIGHTS + 1]: enum entity_moves */
    uint8_t *look_moves;                /* [looks.count][LOOKS_PARTS]: likewise */
    struct scale_frame *frames;         /* [node_count] of a model with MODEL_OWN_SCALES; or NULL */
    size_t row_values, looks_first;     /* numbers of a row, and of them those before the materials */
};

/* Call entity_sampler_fini() in any case. Returns 0 or ERR_NO_MEMORY. */
int entity_sampler_init(struct entity_sampler *sampler, struct entity_work *work, const struct entity_motion *motion,
                        struct err *err);
void entity_sampler_fini(struct entity_sampler *sampler);

/* Evaluates all times, and finds what moves. Returns the errors of entity_clip_init(). */
int entity_sampler_find_moves(struct entity_sampler *sampler, struct err *err);
/* Fills sampler->row for a time; times come in order, from the first on. Returns the same errors. */
int entity_sampler_evaluate(struct entity_sampler *sampler, uint32_t time, struct err *err);

/* Returns the place in a row of a path of a node, and how many numbers it has; and of a part of material i of the
 * looks.
 */
size_t entity_sampler_path(const struct entity_sampler *sampler, uint32_t node, uint32_t path, uint32_t *count);
size_t entity_sampler_part(const struct entity_sampler *sampler, uint32_t i, const struct looks_part *part);

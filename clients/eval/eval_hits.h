/* eval_hits.h - shared by rays at volumes and rays at meshes. */
#pragma once

#include "anim/hits/hit_scene.h"
#include "clients/eval/eval_internal.h"
#include "clients/eval/posed_eval_hits.h"

/* One or two poses of an entity, each in its own scene space, and where that space is. They point into the evaluator.
 */
struct eval_poses {
    struct entity entities[2];
    struct scene_pose begin, end; /* end: only with a second pose */
};
/* Checks and copies both entities; end may be NULL. Returns 0, PE_E_ARGUMENT or PE_E_RESERVE. */
int eval_take_poses(struct pe_evaluator *evaluator, const struct pe_model *model, const struct pe_entity *begin,
                    const struct pe_entity *end, struct eval_poses *out, struct pe_error *error);

/* Makes a checked copy of ray `index`. Returns 0 or PE_E_ARGUMENT. */
int eval_take_ray(const struct pe_ray *ray, uint32_t index, struct hit_ray *out, struct pe_error *error);

static inline uint32_t eval_mask(uint32_t mask) { return mask == 0 ? UINT32_MAX : mask; }

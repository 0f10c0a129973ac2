/* limb_angles.h - how far arms and legs of a retargeted clip point from the source's. Pure; one thread per struct. */
#pragma once

#include "anim/retarget/rest_motion.h"

enum { LIMB_COUNT = 8 };
extern const int8_t LIMB_ROLES[LIMB_COUNT]; /* a limb begins at this role's joint and ends at the next role's */

enum { LIMB_WARNED_DEG = 3 };

/* The largest angle of each limb in the poses that were seen; 0 for a limb that one of the two rigs lacks. */
struct limb_angles {
    double most_deg[LIMB_COUNT];
};

/* Compares a pose of the model with motion->source_pose. Directions of the source's scene become the model's by the
 * axes of both rigs; a source whose rest does not stand, but is taken for one, is compared by the axes of its scene. */
void limb_angles_see(struct limb_angles *angles, const struct rest_motion *motion, const struct pose *pose);
/* Takes the larger angle of each limb. */
void limb_angles_join(struct limb_angles *angles, const struct limb_angles *other);

static inline bool limb_is_leg(int limb) { return LIMB_ROLES[limb] <= ROLE_RIGHT_LOWER_LEG; }
/* Returns the number of limbs above LIMB_WARNED_DEG. has_locked_feet: legs do not count, because the lock bends them.
 */
uint32_t limb_angles_count(const struct limb_angles *angles, bool has_locked_feet);

/* rest_motion.h - the pose of a rig that does what another rig does: rotations relative to each rig's rest, in scene
 * space. Pure; one thread a struct.
 *
 * Of a joint j with partner s: let O be the orthogonal part of a scene matrix, O0 the same at rest, and
 * A = axes(model) * transpose(axes(source)), which takes directions of the source's scene to the model's (rest_rig.h).
 * Since its rest the source's joint has turned by O_s(t) * O0_s^-1, seen in its scene. The same turn in the model's:
 *
 *   O_j(t) = A * O_s(t) * O0_s^-1 * A^-1 * C_j * O0_j
 *
 * C_j brings the model's rest to the source's. With C_j = 1 an arm that hangs down would cross the body of a model
 * whose rest has it half down already (A against T). So for bones of arms, legs and fingers C_j is that of the joint
 * above, followed by the smallest rotation M_j that turns the bone, as it then lies, to the direction that the source's
 * has at rest: with d the unit vector from a joint to the next,
 *
 *   M_j * C_parent * d_j = A * d_s      C_j = M_j * C_parent      so that O_j(t) * O0_j^-1 * d_j = A * d_s(t)
 *
 * A limb of the model points where that of the source does, at all times and whatever the rests. The smallest rotation
 * leaves the twist about the bone as the rest has it. The trunk, the head and the shoulders have C_j = 1: how these
 * joints lie is anatomy, not pose. So does a foot, whose sole is flat at rest, but for its turn about the up axis. All
 * other joints have that of the joint above.
 * The local rotation follows from the scene's: with p the parent, and R0 the rest's local rotation, K = (O0_p R0)^-1 O0
 * holds the signs of scales, and R_j(t) = O_p(t)^-1 * O_j(t) * K^-1. Joints without a partner keep their local rest.
 *
 * The hips, and partners above them, move by k = leg length of the model / that of the source:
 *
 *   place_j(t) = place_j(rest) + k * A * (place_s(t) - place_s(rest))
 *
 * where the rest is the model's in the source's stance: as much higher than its own as its feet would be lower. A rest
 * that lies more than half a leg under the scene's ground, as that of motion files does whose root is at the origin,
 * is taken to stand on it. Other translations and scales are the model's own. */
#pragma once

#include "anim/retarget/rest_rig.h"

struct rest_joint {
    uint32_t node, source;
    bool has_translation;
    struct mat3 source_from_joint;        /* O0_s^-1 * A^-1 * C_j * O0_j */
    double model_rest[3], source_rest[3]; /* scene places; with has_translation */
};

struct rest_motion {
    struct rest_rig model, source;
    struct mat3 model_from_source; /* A */
    double scale;                  /* k */
    struct rest_joint *joints;     /* [joint_count], parents first */
    uint32_t joint_count;
    uint32_t node_count;    /* of the model */
    int32_t *joint_of_node; /* [node_count]: into joints, or -1 */
    struct mat3 *turns;     /* [node_count of the model], of the pose evaluated last: O_j(t) */
    struct pose source_pose;
};

/* partners: [node_count of the source], as retarget.h has them by name; gets the partners by role. Both models are
 * borrowed. rest_motion_fini() in any case. Returns 0 or ERR_NO_HUMANOID. */
int rest_motion_init(struct rest_motion *motion, const struct model *model, const struct humanoid *model_humanoid,
                     const struct model *source, const struct humanoid *source_humanoid, int32_t *partners,
                     struct err *err);
void rest_motion_fini(struct rest_motion *motion);

/* Nothing is evaluated any more: frees all but joints and scale. */
void rest_motion_trim(struct rest_motion *motion);
/* What a trimmed one holds, beside itself. */
uint64_t rest_motion_held_bytes(const struct rest_motion *motion);

/* What rest_motion_evaluate() takes, in nodes that are looked at: every node of the source once, and of the model to
 * sample, turn and compose; of a model with scales of its own all of them for each joint that is moved. */
uint64_t rest_motion_steps(const struct rest_motion *motion);
/* The source's pose at a time of a clip of it, or POSE_REST, to motion->source_pose, and what the model then does:
 * local transforms and scene matrices. */
void rest_motion_evaluate(struct rest_motion *motion, int32_t clip, double clip_time_s, struct pose *pose);
/* scene_from_node of a pose whose local transforms alone are good. */
struct dmat4 rest_motion_scene(const struct model *model, struct pose *pose, int32_t node);

/* rest_motion.h - poses a rig like another rig: rotations relative to each rig's rest, in scene space. Pure; one thread
 * per struct.
 *
 * For a joint j with partner s, let O be the orthogonal part of a scene matrix, O0 the same at rest, and A =
 * axes(model) * transpose(axes(source)), which converts directions of the source's scene to the model's (rest_rig.h).
 * Since rest the source's joint has turned by O_s(t) * O0_s^-1, in its scene. The same turn in the model's scene is:
 *
 *   O_j(t) = A * O_s(t) * O0_s^-1 * A^-1 * C_j * O0_j
 *
 * C_j brings the model's rest to the source's. With C_j = 1, an arm that hangs down would cross the body of a model
 * whose rest has the arm half down already (A-pose against T-pose). So for bones of arms, legs and fingers, C_j is that
 * of the joint above, followed by the smallest rotation M_j that then turns the bone to the direction that the source's
 * has at rest. With d the unit vector from a joint to the next:
 *
 *   M_j * C_parent * d_j = A * d_s      C_j = M_j * C_parent      so that O_j(t) * O0_j^-1 * d_j = A * d_s(t)
 *
 * A limb of the model points where the source's does, at all times and for all rests. The smallest rotation keeps the
 * rest's twist about the bone. The trunk, the head and the shoulders have C_j = 1, because the directions of these
 * bones are anatomy, not pose. The same holds for a foot, whose sole is flat at rest, except for its turn about the up
 * axis. All other joints have the C of the joint above.
 *
 * The local rotation follows from the scene's: with p the parent and R0 the rest's local rotation, K = (O0_p R0)^-1 O0
 * holds the signs of scales, and R_j(t) = O_p(t)^-1 * O_j(t) * K^-1. Joints without a partner keep their local rest.
 *
 * The hips, and partners above them, move scaled by k = leg length of the model / leg length of the source:
 *
 *   place_j(t) = place_j(rest) + k * A * (place_s(t) - place_s(rest))
 *
 * Here the model's rest is raised to the source's stance, by as much as its feet would otherwise be lower. A rest that
 * lies more than half a leg under the scene's ground is taken to stand on it; motion files with the root at the origin
 * have such rests. Other translations and all scales are the model's own. A foot that does not hang below its leg
 * (humanoid_foot_is_loose()) is moved as if it did.
 *
 * Where the source's rest does not stand, a frame of its motion takes its place (rest_reference.h). That frame has a
 * pose of its own, so C_j of the trunk then turns the model's line of the trunk, and of the hips or shoulders, to the
 * frame's. A then leads from the axes of the source's scene. */
#pragma once

#include "anim/retarget/rest_reference.h"

struct rest_joint {
    uint32_t node, source;
    bool has_translation;
    int32_t carrier; /* of a loose foot: the node of the lower leg; else -1 */
    double carrier_from_place[3];
    struct mat3 source_from_joint;        /* O0_s^-1 * A^-1 * C_j * O0_j */
    double model_rest[3], source_rest[3]; /* in scene space; with has_translation */
};

struct rest_motion {
    struct rest_rig model, source;
    struct mat3 model_from_source;   /* A */
    struct mat3 seen_from_source;    /* A, or by the scene's axes where the source's rest does not give any */
    double scale;                    /* k */
    bool is_face_alone;              /* the source has no human (rest_face.h): there are no joints, and no feet */
    bool is_by_t_pose;               /* t_pose.h leads: both files promise VRM's T-pose, and their rests serve */
    struct rest_reference reference; /* the source's pose that stands for its rest */
    enum rest_swap swap;             /* NONE also where the source's rest does not stand or is not taken */
    double hips_turned_deg;          /* with reference.is_posed: how far the hips have turned there since a rest */
    struct rest_joint *joints;       /* [joint_count], parents first */
    uint32_t joint_count;
    uint32_t node_count;    /* of the model */
    int32_t *joint_of_node; /* [node_count]: index into joints, or -1 */
    struct mat3 *turns;     /* [node_count of the model]: O_j(t) of the last pose */
    struct pose source_pose;
};

/* choice: the source's rest. max_steps: limit on the choice's work; 0: no limit. partners: [node_count of the source],
 * by name as in retarget.h on input, by role on output. A source_humanoid without nodes is that of a face that is alone
 * (rest_face.h): then no joint moves. Both models are borrowed. Call rest_motion_fini() in any case.
 * Returns 0, ERR_NO_HUMANOID, or what rest_reference_find() returns. */
int rest_motion_init(struct rest_motion *motion, const struct model *model, const struct humanoid *model_humanoid,
                     const struct model *source, const struct humanoid *source_humanoid,
                     const struct rest_choice *choice, uint64_t max_steps, int32_t *partners, struct err *err);
void rest_motion_fini(struct rest_motion *motion);

/* Frees all but joints and scale; nothing can be evaluated afterwards. */
void rest_motion_trim(struct rest_motion *motion);
/* Returns the memory that a trimmed one holds, besides itself. */
uint64_t rest_motion_held_bytes(const struct rest_motion *motion);

/* Returns the cost of rest_motion_evaluate(), in node visits: every node of the source once, and those of the model to
 * sample, turn and compose. A model with scales of its own costs all nodes for each joint that is moved. */
uint64_t rest_motion_steps(const struct rest_motion *motion);
/* Evaluates the source at a time of one of its clips, or POSE_REST, into motion->source_pose, and fills *pose with the
 * model's local transforms and scene matrices. */
void rest_motion_evaluate(struct rest_motion *motion, int32_t clip, double clip_time_s, struct pose *pose);
/* Puts loose feet at the ends of their legs, in a pose of which only the local transforms are valid. */
void rest_motion_carry(const struct rest_motion *motion, struct pose *pose);
/* Returns scene_from_node from a pose of which only the local transforms are valid. */
struct dmat4 rest_motion_scene(const struct model *model, struct pose *pose, int32_t node);

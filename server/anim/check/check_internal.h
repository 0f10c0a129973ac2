/* check_internal.h - what the rules about a clip share. Private to this folder. Pure. */
#pragma once

#include "anim/check/check.h"
#include "anim/pose/pose.h"
#include "anim/pose/root_motion.h"

/* The distance of vertices from the node that moves them, as a share of the size: a head that turns counts as motion,
 * although its joint stays where it is. */
#define NODE_REACH 0.1

enum {
    ENDS_AND_BETWEEN = 17, /* poses that are looked at in any clip */
    FRAME_RATE = 60,
};

struct clip_check {
    const struct model *model;
    int32_t clip; /* -1: the rest pose */
    const struct check_options *options;
    struct check_report *report;
    struct err *err;
    double size, duration_s;
    double up[3];        /* unit vector, scene space */
    struct pose pose;    /* evaluated last */
    struct dmat4 *first; /* [node_count]: scene_from_node at the start of the clip */
    double moved;        /* greatest motion of a node from there so far */
    uint32_t counts[MOTION_RULE_COUNT];
};

/* Returns 0, or ERR_REQUEST_TIMEOUT once the check is stopped. */
int check_is_stopped(struct clip_check *check);
/* Evaluates the clip at a time. Returns 0 or the code of check->err. */
int check_evaluate(struct clip_check *check, double time_s);
/* The same for some nodes only; check_evaluate() came before. */
int check_evaluate_nodes(struct clip_check *check, const struct node_list *list, double time_s);
/* The same for the rest pose, without a clip. */
int check_evaluate_rest(struct clip_check *check);
/* Counts work of other kinds, in evaluations of a node. Returns 0 or the code of check->err. */
int check_count_steps(struct clip_check *check, uint64_t steps);
/* Returns the rate at which the clip may be evaluated, at most FRAME_RATE, and *count, the number of poses, so that
 * both ends are among them and the budget allows for `share` of it. */
double check_rate(const struct clip_check *check, uint32_t frames_most, uint32_t *count);
/* Returns the time of pose `i` of `count`, evenly over the clip. */
static inline double check_time(const struct clip_check *check, uint32_t i, uint32_t count)
{
    return i + 1 == count ? check->duration_s : check->duration_s * i / (count - 1);
}

/* Returns how far a node moves from one place to the other: its origin, and the points that are `reach` scene units
 * away along its axes. Its scale does not change that distance: joints may be in centimetres under a root in metres. */
double node_motion(const struct dmat4 *a, const struct dmat4 *b, double reach);
/* Returns the greatest such motion of all nodes from check->first to the evaluated pose, and the node. */
double node_motion_most(const struct clip_check *check, uint32_t *node);

/* Returns a name of the model, without a NUL at its end, and its size. short_name() cuts it for messages; what a name
 * means, and what identifies a finding, is told by all of it. */
const char *whole_name(const struct model *model, struct str name, size_t *size_bytes);

/* Adds a finding of this clip; without a message yet. NULL: the rule has its most. node: or -1. */
struct finding *finding_add(struct clip_check *check, enum motion_rule rule, int32_t node, double time_s);
/* Sets what was measured, and its limit. */
void finding_measure(struct finding *finding, double value, double limit, const char *unit);
/* Adds the node to the subject. */
void finding_name_joint(struct clip_check *check, struct finding *finding);
/* Makes the subject the mesh and the node, whatever the clip is. */
void finding_name_mesh(struct clip_check *check, struct finding *finding);
/* Writes the message: "clip 3 'walk'" and the text. */
void finding_say(struct clip_check *check, struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns the angle between two rotations, 0 to 180. They are unit quaternions. */
double turn_between_deg(const double a[4], const double b[4]);
/* Computes the turn from one to the other, by the shorter way: a unit axis times degrees. */
void turn_vector(const double a[4], const double b[4], double turn[3]);

/* Returns whether the clip's name ends as those of poses do: T-Pose, bind pose, Walk_Pose, TPose.001. Such a clip may
 * stand still. */
bool check_is_of_pose(const struct clip_check *check);
/* Returns whether one of these words is in the clip's name, in any case. */
bool check_is_named(const struct model *model, int32_t clip, const char *const *words, size_t count);

/* Returns the model's default root (root_motion_find_root()), or -1. It looks at the channels of all clips, once for a
 * report. */
int32_t check_default_root(const struct clip_check *check);

/* Starts the motion of the root (-1: the default one) at the evaluated pose. False: the model has no root. `moved`:
 * [node_count], zeros; the motion borrows it. */
bool check_start_motion(const struct clip_check *check, int32_t root, bool has_turn, uint8_t *moved,
                        struct root_motion *motion);

/* Each of these applies one or more rules. They return 0 or the code of check->err. */
int check_still(struct clip_check *check);   /* clip-without-motion */
int check_keys(struct clip_check *check);    /* pop, jitter, frozen-joint */
int check_loop(struct clip_check *check);    /* loop-jump */
int check_ground(struct clip_check *check);  /* not-in-place, no-root-motion */
int check_feet(struct clip_check *check);    /* foot-slide, through-floor, feet-off-ground */
int check_legs(struct clip_check *check);    /* frozen-joint, of a leg beside one that moves */
int check_weights(struct clip_check *check); /* stray-weight */

/* Finds the greatest distance that a vertex of a mesh with morph targets moves from the first to any other of `count`
 * times, and the mesh (-1: none). */
int morph_motion_most(struct clip_check *check, const double *times_s, uint32_t count, double *most, int32_t *mesh);

/* key_pose.h - the pose that represents a clip best. Pure; one thread.
 *
 * It is the pose furthest from the rest pose and, of equally far ones, the widest: with d the root mean square of its
 * points' distances from their places at rest, w that of their distances from their middle, it has the greatest
 * d / max d + w / (4 max w).
 *
 * Poses in which the model is invisible, for example scaled to nothing before it pops up, are not chosen: when the pose
 * has less than a quarter of the greatest area, one with at least half of that area is chosen instead.
 *
 * A file with a single long clip often has all its moves on one timeline, falls and jumps among them. Of such a clip it
 * is a pose that stands and is large: with u the cosine of the angle between the model's up axis and where the pose has
 * turned it, not below 0, it has the greatest u w / max w + d / (4 max d).
 *
 * A blink is a small part of a pose but spoils its picture: of poses that score nearly as high, one is chosen in which
 * everything is in its usual state: no joint is shrunk to less than half of its median size in
 * the clip, and no morph weight is further than 1/2 from its median. */
#pragma once

#include "anim/pose/pose.h"

enum { KEY_POSE_POSES_MAX = 482, KEY_POSE_WATCHED_MAX = 512 };

struct pose_score {
    double distance, width; /* as above */
    double area;            /* points_area() of all parts of the model together */
    double upright;         /* u, from -1 to 1; 1 where it cannot be told */
};

struct key_pose_search {
    double times_s[KEY_POSE_POSES_MAX];
    struct pose_score scores[KEY_POSE_POSES_MAX];
    uint32_t count;
    bool is_timeline;
    struct pose_watch {
        uint32_t node, weight; /* of `weight` UINT32_MAX: the node's scale, else a morph weight */
    } * watched;
    uint32_t watched_count;
    float *values; /* [KEY_POSE_POSES_MAX][watched_count] */
};

/* Looks up what the clip moves that can be out of its usual state; of very many things the first. Returns 0 or
 * ERR_NO_MEMORY. Zero-initialise *search. */
int key_pose_init(struct key_pose_search *search, const struct model *model, int32_t clip, struct err *err);
/* How much of points that lie about a part of a model is seen, from whichever side, up to a factor: the root of the sum
 * of the principal minors of their covariances. 0 for points on a line. */
double points_area(const struct vec3 *points, uint32_t count);
/* How upright a pose is: points that are higher at rest lie, as a linear fit has it, in some direction of the pose. The
 * cosine of the angle between it and `up`, a unit vector; 1 where the points do not tell. rest[count], points[count].
 */
double points_upright(const struct vec3 *rest, const struct vec3 *points, uint32_t count, const float up[3]);
/* Adds a pose, at most KEY_POSE_POSES_MAX. */
void key_pose_add(struct key_pose_search *search, const struct pose *pose, double time_s,
                  const struct pose_score *score);
/* The time of the most telling one up to end_s; otherwise_s when there is none. */
double key_pose_find(const struct key_pose_search *search, double end_s, double otherwise_s);
void key_pose_fini(struct key_pose_search *search);

/* key_pose.h - picks the pose that represents a clip best. Pure; one thread.
 *
 * It is the pose farthest from the rest pose and, of equally far ones, the widest: with d the root mean square of its
 * points' distances from their places at rest, and w that of their distances from their middle, it has the greatest d /
 * max d + w / (4 max w).
 *
 * Poses in which the model is invisible, for example scaled to nothing before it pops up, are not chosen: when the pose
 * has less than a quarter of the greatest area, one with at least half of that area is chosen instead.
 *
 * A file with a single long clip often has all its moves on one timeline, including falls and jumps. From such a clip
 * it picks a large pose that stands upright: with u the cosine of the angle between the model's up axis and that axis
 * as the pose turns it, not below 0, it has the greatest u w / max w + d / (4 max d).
 *
 * Captures often begin or end with a pose that calibrates them, which says nothing of what follows. Such poses at
 * either end (calibration_pose.h) are not chosen, and neither is the way from or to them. Where names do not tell the
 * joints, they are those before a jump near the beginning, and on a timeline those at rest.
 *
 * A blink is a small part of a pose but spoils its picture. So of poses with nearly equal scores it picks one in which
 * everything is in its usual state: no joint is shrunk to less than half of its median size in the clip, and no morph
 * weight differs by more than 1/2 from its median. */
#pragma once

#include "anim/pose/pose.h"
#include "render/camera/calibration_pose.h"

enum { KEY_POSE_POSES_MAX = 482, KEY_POSE_WATCHED_MAX = 512 };

struct pose_score {
    double distance, width; /* as above */
    double area;            /* points_area(), summed over all parts of the model */
    double upright;         /* u, from -1 to 1; 1 when unknown */
    double step;            /* root mean square of the points' distances from those of the pose before, without what all
                               have in common; 0 when unknown */
    enum calibration calibration;
};

struct key_pose_search {
    double times_s[KEY_POSE_POSES_MAX];
    struct pose_score scores[KEY_POSE_POSES_MAX];
    uint32_t count;
    bool is_timeline;
    struct pose_watch {
        uint32_t node, weight; /* UINT32_MAX: the node's scale, else the index of a morph weight */
    } * watched;
    uint32_t watched_count;
    float *values; /* [KEY_POSE_POSES_MAX][watched_count] */
};

/* Finds what the clip moves that could be in an unusual state, up to KEY_POSE_WATCHED_MAX things. Returns 0 or
 * ERR_NO_MEMORY. Zero-initialise *search. */
int key_pose_init(struct key_pose_search *search, const struct model *model, int32_t clip, struct err *err);
/* Estimates, up to a factor, the visible area of the points of a part of a model from any side: the root of the sum of
 * the principal minors of their covariances. 0 for points on a line. */
double points_area(const struct vec3 *points, uint32_t count);
/* Measures how upright a pose is. A linear fit finds the direction in which points of the pose lie that are higher at
 * rest. Returns the cosine of the angle between it and `up`, a unit vector; 1 where the points do not determine it.
 * rest[count], points[count]. */
double points_upright(const struct vec3 *rest, const struct vec3 *points, uint32_t count, const float up[3]);
/* Adds a pose; at most KEY_POSE_POSES_MAX. */
void key_pose_add(struct key_pose_search *search, const struct pose *pose, double time_s,
                  const struct pose_score *score);
/* Returns the time of the best pose up to end_s, or otherwise_s when there is none. */
double key_pose_find(const struct key_pose_search *search, double end_s, double otherwise_s);
void key_pose_fini(struct key_pose_search *search);

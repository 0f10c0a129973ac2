/* bounds.h - boxes around what a pose moves: vertices, joints, node origins. Pure; any thread.
 *
 * Boxes are aligned with the axes of their space, and tight: each side touches a point. */
#pragma once

#include "anim/pose/skin.h"

/* Returns the joint, as an index in the skin, with the greatest weight for vertex `vertex` of the model. The first of
 * equals wins; 0 for a vertex without influences. */
uint32_t bounds_main_joint(const struct model *model, uint32_t vertex);

/* A walk over the times that give a box over a whole clip: every key of every channel in from_s..to_s, both ends, and
 * `rate` times a second from from_s on. Of the latter, times closer than 1e-9 s to a key are skipped. */
struct bounds_times {
    const struct model *model;
    int32_t clip;        /* an index, or POSE_REST */
    double from_s, to_s; /* from_s <= to_s */
    double rate;         /* >= 0; 0: keys and ends only */
    /* private to the walk; zero at first */
    bool is_begun;
    double time_s;  /* the last time given */
    uint32_t count; /* times given so far */
};

/* Puts the next time into *time_s; false after the last one. Costs a search in every channel. */
bool bounds_times_next(struct bounds_times *walk, double *time_s);

/* --- boxes that grow from pose to pose: of everything, each draw, each joint --- */

/* The vertices that follow one joint most. */
struct joint_box {
    struct box scene;      /* of the vertices, scene space */
    struct box joint;      /* the same vertices in the joint's own space, without poses in which it has no inverse */
    uint32_t vertex_count; /* 0: the joint has no vertices */
    bool has_inverse;      /* for the current pose */
    struct dmat4 joint_from_scene;
};

/* The caller owns the arrays and sets the members marked so. */
struct bounds_sum {
    const struct model *model;   /* caller */
    const uint32_t *draws;       /* caller; [draw_count] */
    uint32_t draw_count;         /* caller */
    bool is_nodes;               /* caller: the model has only nodes, and the box is around their origins */
    struct box *entries;         /* caller: [draw_count] */
    struct joint_box *joints;    /* caller: [node_count], or NULL when not needed */
    struct skin_palette palette; /* caller: its arrays, scratch for the largest skin */
    struct vec3 *vertices;       /* caller: scratch for the largest primitive */
    struct box all;              /* union of the entries in the scene, or of all when none is */
    bool is_in_scene;            /* some entry or node is in the scene */
};

/* Empties the boxes and counts the vertices of the joints. */
void bounds_sum_start(struct bounds_sum *sum);
/* Empties the boxes. */
void bounds_sum_clear(struct bounds_sum *sum);
/* Extends the boxes to the evaluated pose. Returns 0, or ERR_NOT_FINITE naming the culprit. */
int bounds_sum_add(struct bounds_sum *sum, const struct pose *pose, struct err *err);

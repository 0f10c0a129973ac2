/* bounds.h - boxes around what a pose moves: vertices, joints, node origins. Pure; any thread.
 *
 * A box is aligned with the axes of the space it is in. Boxes are exact: their sides go through points. */
#pragma once

#include "anim/pose/skin.h"

/* The joint (its place in the skin) that moves vertex `vertex` of the model most: the first of those with the greatest
 * weight; 0 for a vertex without influences. */
uint32_t bounds_main_joint(const struct model *model, uint32_t vertex);

/* Which times of a clip are looked at for a box over all of it: every key of every channel in from_s..to_s, both ends,
 * and `rate` times a second from from_s on; of those the ones nearer than 1e-9 s to a key are left out. */
struct bounds_times {
    const struct model *model;
    int32_t clip;        /* or POSE_REST */
    double from_s, to_s; /* from_s <= to_s */
    double rate;         /* >= 0; 0: keys and ends only */
    /* the walk's own; zero at first */
    bool is_begun;
    double time_s;  /* the last one given */
    uint32_t count; /* times given so far */
};

/* Puts the next time into *time_s; false after the last. Costs a search in every channel. */
bool bounds_times_next(struct bounds_times *walk, double *time_s);

/* --- boxes that grow from pose to pose: around everything, each draw, each joint --- */

/* What belongs to one joint: the vertices that it moves most. */
struct joint_box {
    struct box scene;      /* of the vertices, scene space */
    struct box joint;      /* of the same, in the joint's own space; poses in which it has no inverse are left out */
    uint32_t vertex_count; /* 0: nothing belongs to it */
    bool has_inverse;      /* of the pose at hand */
    struct dmat4 joint_from_scene;
};

/* The caller fills in what is marked so; the arrays are the caller's. */
struct bounds_sum {
    const struct model *model;   /* caller */
    const uint32_t *draws;       /* caller; [draw_count] */
    uint32_t draw_count;         /* caller */
    bool is_nodes;               /* caller: there is nothing but nodes, the box is around their origins */
    struct box *entries;         /* caller: [draw_count] */
    struct joint_box *joints;    /* caller: [node_count], or NULL when they are not wanted */
    struct skin_palette palette; /* caller: its arrays, scratch for the largest skin */
    struct vec3 *vertices;       /* caller: scratch for the largest primitive */
    struct box all;              /* of the entries in the scene, of all of them when none is */
    bool is_in_scene;            /* some entry, or some node, is */
};

/* Empties the boxes and counts the joints' vertices. */
void bounds_sum_start(struct bounds_sum *sum);
/* Empties the boxes. */
void bounds_sum_clear(struct bounds_sum *sum);
/* Makes the boxes hold the evaluated pose too. Returns 0, or ERR_NOT_FINITE naming the culprit. */
int bounds_sum_add(struct bounds_sum *sum, const struct pose *pose, struct err *err);

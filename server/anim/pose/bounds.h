/* bounds.h - boxes around what a pose moves: vertices, joints, node origins. Pure; any thread.
 *
 * A box is aligned with the axes of the space it is in. Boxes are exact: their sides go through points. */
#pragma once

#include "anim/pose/pose.h"

struct box {
    double min[3], max[3]; /* min > max: empty */
};

extern const struct box BOX_EMPTY;
/* Boxes and points of one space; empty boxes add nothing. */
bool box_is_empty(const struct box *box);
void box_add(struct box *box, const double point[3]);
void box_join(struct box *box, const struct box *other);

/* The joint (its place in the skin) that moves vertex `vertex` of the model most: the first of those with the greatest
 * weight; 0 for a vertex without influences. */
uint32_t bounds_main_joint(const struct model *model, uint32_t vertex);

/* Positions of a draw's vertices in the evaluated pose, in scene space: out[vertex_count of the primitive].
 * palette: [joint_count of the draw's skin], written; it still holds that skin's palette when is_palette_set.
 * Returns 0, or ERR_NOT_FINITE naming the joint or the vertex. */
int bounds_deform(const struct pose *pose, const struct model *model, uint32_t draw, struct mat4 *palette,
                  bool is_palette_set, struct vec3 *out, struct err *err);

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

/* shared_view.h - the direction and the box of one camera for two models, each in the axes and units of its file. One
 * thread. */
#pragma once

#include "clients/cli/diff/moment_pictures.h"

/* How a camera sees a model from its front: rows right, up, towards the eye, in scene space. */
struct view_axes {
    double rows[3][3];
    double unit; /* what a unit of the scene is in common units */
};

struct shared_view {
    struct view_axes axes[SIDE_COUNT];
    double front_deg[SIDE_COUNT]; /* the yaw that looks at the front of the old model */
};

/* Asks how cameras stand before both models. Returns 0, or -1 with why in *problem. */
int shared_view_find(struct connection *connection, const struct compared *compared, struct shared_view *out,
                     struct text *problem);
/* The box around what a picture draws of a model that has no vertices: its bones, which are fewer than its nodes.
 * `when` selects the pose. Returns 0, or -1 with why in *problem. */
int shared_view_ask_bones(struct connection *connection, const char *model, const char *when, double box[6],
                          struct text *problem);
/* Widens the boxes of both scenes (min, max; min above max: nothing yet) to what the other holds too. */
void shared_view_join(const struct shared_view *view, double boxes[SIDE_COUNT][6]);

/* shared_view.h - finds the direction and the box of one camera for two models with different axes and units. One
 * thread. */
#pragma once

#include "clients/cli/moments/moment_pictures.h"

/* The axes of a camera that looks at the front of a model: right, up, towards the eye, as rows in scene space. */
struct view_axes {
    double rows[3][3];
    double unit; /* the length of a scene unit in common units */
};

struct shared_view {
    struct view_axes axes[SIDE_COUNT];
    double front_deg[SIDE_COUNT]; /* the yaw that looks at the front of the old model */
};

/* Asks the server how cameras see both models from the front. Returns 0, or -1 with a message in *problem. */
int shared_view_find(struct connection *connection, const struct compared *compared, struct shared_view *out,
                     struct text *problem);
/* Asks for the box around the bones that a picture draws of a model without vertices. Not every node has a bone. `when`
 * selects the pose. Returns 0, or -1 with a message in *problem. */
int shared_view_ask_bones(struct connection *connection, const char *model, const char *when, double box[6],
                          struct text *problem);
/* Widens the box of each scene to contain the other box. A box is min, max; min above max: empty. */
void shared_view_join(const struct shared_view *view, double boxes[SIDE_COUNT][6]);

/* check_rig.h - what the rules know of a model, whichever clip they look at: its feet, and vertices that follow a joint
 * far away. Private to this folder. Pure. */
#pragma once

#include "anim/check/check_internal.h"
#include "anim/humanoid/humanoid.h"

/* A foot touches the ground with two points of its sole: below the ankle, and below the ball. */
enum { FEET = 2, SOLE_HEEL = 0, SOLE_BALL = 1, SOLE_POINTS = 4 };

/* The soles of a human that stands at rest. Points: left heel, left ball, right heel, right ball. Without joints of
 * toes the balls are the heels. */
struct soles {
    bool is_known;
    uint32_t nodes[SOLE_POINTS];   /* foot or toes: moves the point */
    double points[SOLE_POINTS][3]; /* node space */
    double level;                  /* of the soles at rest, along up, scene space */
    uint32_t *chain;               /* [chain_count]: these nodes and what is above them, in the order of evaluation */
    uint8_t *is_in_chain;          /* [node_count] */
    uint32_t chain_count;
};

/* A vertex that follows a joint far away, which its neighbours do not follow. */
struct stray {
    uint32_t skin, joint, mesh;
    uint32_t vertex, neighbour; /* in the model */
    double weight;
    double distance, limit; /* from the bone, as shares of the mesh's size where it was bound */
};
enum { STRAYS_MOST = 64 };

struct check_rig {
    bool is_human;
    struct humanoid humanoid;
    struct soles soles;
    struct stray *strays; /* [stray_count] */
    uint32_t stray_count;
};

/* Sets check->report->rig, unless it is there. Returns 0 or the code of check->err. */
int check_find_rig(struct clip_check *check);
void check_rig_free(struct check_rig *rig); /* takes NULL */

/* check_weights.c: finds strays. Counts the work in the report, and finds none in a model that takes too much. */
void check_find_strays(struct clip_check *check, struct check_rig *rig);

/* pose_motion.h - frames of some nodes' transforms, from a file of arrays, and how a request says them. */
#pragma once

#include "clients/cli/output/text.h"

#include <stdbool.h>
#include <stddef.h>

enum { POSE_PARTS = 3, POSE_FRAMES_MAX = 10000 };
/* The most numbers of one array; a server takes fewer. */
static const size_t POSE_NUMBERS_MAX = 4000000;

/* The parts of a transform, and the numbers of each: translation 3, rotation (x y z w) 4, scale 3. */
struct pose_part {
    const char *name;
    size_t count;
};
extern const struct pose_part POSE_PART[POSE_PARTS];

/* {0} is an empty one. It owns all its memory. */
struct pose_motion {
    size_t node_count, frame_count;
    char **nodes;                /* [node_count]: a node as JSON, its index or its name */
    double *numbers[POSE_PARTS]; /* [frame_count][node_count][count]; NaN: not given; NULL: none is given */
    bool is_float[POSE_PARTS];   /* the numbers were float32, so nine digits say them */
    double *times_s;             /* [frame_count]; NULL: by the rate */
    double rate;                 /* frames a second; 0: the server's default */
    bool is_from_rest;           /* numbers are relative to the rest pose */
};

/* Appends the motion as the member "pose" of a layer (protocol/blending.md). Returns 0, or -1 with a message in
 * *problem that names array, frame, node and number: numbers have to be finite, a part is given whole or not at all,
 * and in all frames or in none, and a rotation has a length. */
int pose_motion_put(const struct pose_motion *motion, struct text *json, struct text *problem);
/* Appends a text as JSON. */
void pose_put_string(struct text *json, const char *text);
void pose_motion_free(struct pose_motion *motion);

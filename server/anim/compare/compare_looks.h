/* compare_looks.h - what a comparison keeps of the looks that clips move: numbers of materials, lights and cameras, and
 * the visibility of nodes. Private to the files compare_look*.c. */
#pragma once

#include "anim/compare/compare_drawn.h"
#include "anim/pose/appearance.h"

enum { NUMBERS_MOST = 6 };

/* The time at which a look differs most, as a multiple of what still counts as the same. */
struct look_worst {
    double apart, time_s;
    float values[COMPARE_SIDES][NUMBERS_MOST];
};

/* A number that a clip of either model moves, or a node whose visibility it moves. */
struct look {
    uint32_t id; /* PROPERTY_; PROPERTY_COUNT: the visibility of a node */
    uint32_t targets[COMPARE_SIDES];
    struct look_worst worsts[CLIP_MAPPINGS];
};

struct looks {
    /* of the objects of a side: the matching ones of the other side, or -1 */
    int32_t *materials[COMPARE_SIDES], *lights[COMPARE_SIDES], *cameras[COMPARE_SIDES];
    int32_t *meshes[COMPARE_SIDES]; /* [node_count]: of a node with a mesh; else -1 */
    struct look *list;
    size_t count, capacity;
    struct appearance appearances[COMPARE_SIDES];
    uint8_t *is_shown[COMPARE_SIDES]; /* [node_count] */
    bool has_nodes;                   /* the list has nodes */
};

/* Reads the numbers of a look from a model, or from the view of it that an appearance gives. Returns how many there
 * are. */
uint32_t look_numbers(const struct model *view, uint32_t id, uint32_t target, float out[NUMBERS_MOST]);

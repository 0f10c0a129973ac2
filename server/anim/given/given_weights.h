/* given_weights.h - the morph weights and materials that expressions of a given pose move, and those that are given
 * themselves. The caller owns the arrays: it gives them when the numbers of things are known. Pure; any thread. */
#pragma once

#include "anim/given/given_pose.h"

/* A morph weight of the model, and what moves it. */
struct given_target {
    uint32_t weight, node; /* of the model's weights; the node whose mesh has it */
    int32_t asked;         /* which of the given numbers it is; -1: it is of expressions */
};

/* An expression's part in a weight. */
struct given_bind {
    uint32_t target; /* of the targets */
    uint32_t expression;
    float weight;
};

/* An expression's part in a material. */
struct given_share {
    uint32_t item; /* of the materials */
    uint32_t expression;
    const float *values; /* [4] */
};

struct given_weights {
    const struct model *model;
    uint32_t number_count; /* of the numbers that a frame gives to morph targets and expressions */
    int32_t *expressions;  /* [entry_count]: of the given numbers, -1 for a morph target; then those of the look whose
                              number is not given, or -1 */
    uint32_t entry_count;  /* number_count + GAZE_LOOKS; 0: nothing is given, and no look */
    const int8_t *parts;   /* [expression_count of the model]: of expressions_show() */
    float *shown;          /* [expression_count of the model]: of the frame that was put last */
    struct given_target *items; /* by rising weight, when all are there */
    uint32_t count;
    struct given_bind *binds; /* [bind_count] */
    uint32_t bind_count;
    struct given_material *materials; /* [material_count], by rising material and part; `first` counts from the end of
                                         the weights */
    uint32_t material_count;
    struct given_share *shares; /* [share_count] */
    uint32_t share_count;
    int32_t looks[GAZE_LOOKS];       /* the expressions that the look sets, or -1 */
    double look_weights[GAZE_LOOKS]; /* to what; 0 for a point, where the head decides (pose_give_look()) */
};

/* Finds what a look (LOOK_; of LOOK_ANGLES its yaw and pitch) sets, and adds these expressions to `expressions`, where
 * number_count stand. Returns how many binds all expressions have. */
uint32_t given_weights_look(struct given_weights *weights, uint32_t kind, const double target[3]);

/* Adds what the expressions move to the morph targets, which items[count] has in any order, and puts all in order.
 * There has to be room for as many more items, and as many binds, materials and shares, as the expressions have binds.
 * Returns -1, or the given number of a morph target that is given twice. */
int32_t given_weights_bind(struct given_weights *weights);

/* Returns how many numbers of each frame these are. */
static inline uint32_t given_weights_values(const struct given_weights *weights)
{
    return weights->count + GIVEN_MATERIAL_VALUES * weights->material_count;
}

/* Fills out[given_weights_values()] for a frame of numbers[number_count]. Returns what its expressions leave of the
 * gaze, 0..1. */
double given_weights_put(struct given_weights *weights, const double *numbers, double *out);

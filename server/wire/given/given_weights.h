/* given_weights.h - the morph weights that names of targets and expressions of a given pose move. Private to
 * wire. Pure; any thread. */
#pragma once

#include "anim/given/given_pose.h"
#include "anim/humanoid/gaze.h"
#include "wire/request/request_given.h"

/* A morph weight of the model, and what moves it. */
struct given_target {
    uint32_t weight, node; /* of the model's weights; the node whose mesh has it */
    int32_t asked;         /* the morph target of the request whose number it is; -1: it is of expressions */
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
    const struct request_given *asked;
    struct given_target *items; /* [count], by rising weight */
    uint32_t count;
    struct given_bind *binds; /* [bind_count] */
    uint32_t bind_count;
    struct given_material *materials; /* [material_count], by rising material and part; `first` counts from the end of
                                         the weights */
    uint32_t material_count;
    struct given_share *shares; /* [share_count] */
    uint32_t share_count;
    int32_t *expressions; /* [entry_count]: of the request's weights, -1 for a morph target; then those of the look that
                             the request does not name, or -1 */
    uint32_t entry_count;
    int8_t *parts;                   /* [expression_count of the model]: of expressions_show() */
    float *shown;                    /* [expression_count of the model] */
    int32_t looks[GAZE_LOOKS];       /* the expressions that the look sets, or -1 */
    double look_weights[GAZE_LOOKS]; /* to what; 0 for a point, where the head decides (pose_give_look()) */
    double left;
};

/* Returns 0, ERR_MORPH_NOT_FOUND, ERR_EXPRESSION_NOT_FOUND or ERR_DUPLICATE_PARAMETER. The caller ends it in any case.
 */
int given_weights_find(struct given_weights *weights, const struct model *model, const struct request_given *asked,
                       struct err *err);
void given_weights_fini(struct given_weights *weights);

/* Returns how many numbers of each frame these are. */
static inline uint32_t given_weights_values(const struct given_weights *weights)
{
    return weights->count + GIVEN_MATERIAL_VALUES * weights->material_count;
}

/* Returns what the expressions of the frame that was put last leave of the gaze, 0..1. */
double given_weights_left(const struct given_weights *weights);

/* Fills out[given_weights_values()] for a frame. numbers: [asked->weight_count], as the request has them. */
void given_weights_put(struct given_weights *weights, const double *numbers, double *out);

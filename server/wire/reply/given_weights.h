/* given_weights.h - the morph weights that names of targets and expressions of a given pose move. Private to
 * wire/reply. Pure; any thread. */
#pragma once

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

struct given_weights {
    const struct model *model;
    const struct request_given *asked;
    struct given_target *items; /* [count], by rising weight */
    uint32_t count;
    struct given_bind *binds; /* [bind_count] */
    uint32_t bind_count;
    int32_t *expressions; /* [asked->weight_count]: an expression, or -1 for a morph target */
    int8_t *parts;        /* [expression_count]: of expressions_show() */
    float *shown;         /* [expression_count] */
};

/* Returns 0, ERR_MORPH_NOT_FOUND, ERR_EXPRESSION_NOT_FOUND or ERR_DUPLICATE_PARAMETER. The caller ends it in any case.
 */
int given_weights_find(struct given_weights *weights, const struct model *model, const struct request_given *asked,
                       struct err *err);
void given_weights_fini(struct given_weights *weights);

/* Fills out[count] for a frame. numbers: [asked->weight_count], as the request has them. */
void given_weights_put(struct given_weights *weights, const double *numbers, double *out);

/* no_allocation.h - the common parts of no_allocation. A call that must succeed and fails ends the program with status
 * 1. */
#pragma once

#include "clients/eval/posed_eval_hits.h"

enum { FLOATS_MAX = 1 << 21 };

/* An open model, and room for all calls about it. */
struct walk {
    struct pe_model *model;
    const struct pe_model *stranger; /* the first file */
    struct pe_evaluator *evaluator;
    struct pe_info info;
    float *floats; /* [FLOATS_MAX] */
};

/* Fills a pose of up to NODES_MAX nodes in falling order, some of whose parts are given, of the morph weights of
 * the last node that has some, of all expressions, and of a look at a point where the model has a gaze. */
enum { NODES_MAX = 4096, WEIGHTS_MAX = 256, EXPRESSIONS_MAX = 64 };
struct filled_pose {
    struct pe_given_node nodes[NODES_MAX];
    struct pe_given_weight weights[WEIGHTS_MAX];
    struct pe_given_expression expressions[EXPRESSIONS_MAX];
    struct pe_pose pose;
    uint32_t weights_most; /* morph weights, with those that expressions and the look move */
};
void fill_pose(const struct walk *walk, struct filled_pose *out);

/* Library calls between the two must not allocate. */
void counting_start(void);
void counting_stop(void);
extern unsigned long long evaluations;

/* Casts rays at volumes of each kind, and at triangles. */
void play_hits(const struct walk *walk);
void play_meshes(const struct walk *walk);
/* Evaluates many entities at once. They must have the floats of single ones. */
void play_crowd(const struct walk *walk);

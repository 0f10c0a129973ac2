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

/* Library calls between the two must not allocate. */
void counting_start(void);
void counting_stop(void);
extern unsigned long long evaluations;

/* Casts rays at volumes of each kind, and at triangles. */
void play_hits(const struct walk *walk);
void play_meshes(const struct walk *walk);
/* Evaluates many entities at once. They must have the floats of single ones. */
void play_crowd(const struct walk *walk);

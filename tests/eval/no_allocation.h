/* no_allocation.h - what the parts of no_allocation share. What must succeed and fails ends the program with status 1.
 */
#pragma once

#include "clients/eval/posed_eval_hits.h"

enum { FLOATS_MAX = 1 << 21 };

/* A model that is open, and room for whatever is asked of it. */
struct walk {
    struct pe_model *model;
    struct pe_evaluator *evaluator;
    struct pe_info info;
    float *floats; /* [FLOATS_MAX] */
};

/* Calls of the library between these two allocate nothing. */
void counting_start(void);
void counting_stop(void);
extern unsigned long long evaluations;

/* Rays at volumes of each kind, and at triangles. */
void play_hits(const struct walk *walk);
void play_meshes(const struct walk *walk);
/* Many entities at once; they have the floats of each alone. */
void play_crowd(const struct walk *walk);

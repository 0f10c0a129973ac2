/* kernel.h - the arithmetic of compiled clips (model.h), once in plain C and once for each width of vectors.
 *
 * Pure; any thread. All kernels give the same bits: each result comes from the same float operations in the same order,
 * without contraction to fused multiply-adds and without approximate instructions, and what is constant is decided by
 * the data, not by the width. Nothing is checked here: bake_check_compiled() has shown that indices fit and that no
 * result is too large for a float.
 *
 * Rotations between two frames go along the arc: weights sin((1-u)a)/sin a and sin(u a)/sin a, where only their ratio
 * matters because the matrix is made of q with 2/|q|^2. So sin is taken as S(y) = sin(sqrt y)/sqrt y, of y = (u a)^2,
 * and a^2 = x Q(x) of x = 1 - dot; both are analytic, and polynomials of x in 0..1 and y in 0..(pi/2)^2 reach float's
 * precision (the way without acos, sqrt and division: D. Eberly, "A Fast and Accurate Algorithm for Computing SLERP",
 * 2011). The coefficients are least-squares fits, weighted towards the largest error. */
#pragma once

#include "anim/model/model.h"

#include <stdbool.h>

/* a^2 / x by powers of x = 1 - cos a: at most 1.5e-7 off. */
#define KERNEL_ARC                                                                                                     \
    1.999999934f, .3333417863f, .08871448641f, .02991963671f, .005153942202f, .01358926173f, -.008310922947f,          \
        .004992857004f
/* sin(sqrt y) / sqrt y by powers of y. */
#define KERNEL_SINE .9999999957f, -.1666665795f, .008333050171f, -.0001980901741f, 2.605107635e-6f

/* Floats from one matrix in scratch to the next: three rows, and a row of 0. */
enum { KERNEL_MATRIX = 16 };

/* Moving nodes between two frames. */
struct kernel_lanes {
    const struct lane_block *blocks;
    uint32_t block_count;
    const float *values;    /* model->lane_values: the constants */
    const float *from, *to; /* the frames before and after; the same at both ends of a clip */
    float u;                /* 0..1 from one to the other */
    float *weights;         /* scratch: 2 * LANE_WIDTH a block */
    float *local;           /* out: KERNEL_MATRIX a rig node, parent_from_node; and one more for unused lanes */
    double *f64;            /* NULL, or where they go instead, 12 a node, in double precision from the quaternions on */
};

/* The nodes of the rig, of which a palette is made. */
struct kernel_rig {
    const struct rig_node *nodes;
    uint32_t count;
    float *matrices; /* KERNEL_MATRIX a node; in: parent_from_node; out: scene_from_node */
    double *f64;     /* NULL, or what is in instead: 12 a node; out: scene_from_node before it is rounded to matrices */
};

/* The palette of one skin: scene_from_joint * joint_from_bind, by the skin's own order of joints. */
struct kernel_palette {
    const struct rig_output *outputs;
    uint32_t count, lag;
    bool is_mat4; /* 16 floats a joint, column-major; else 12, the upper three rows */
    float *out;
};

struct kernel {
    const char *name;
    void (*lanes)(const struct kernel_lanes *lanes);
    void (*compose)(const struct kernel_rig *rig, const struct kernel_palette *palette);
    /* The palette of another skin, of the same scene_from_node. */
    void (*palette)(const float *scene_from_node, const struct kernel_palette *palette);
};

extern const struct kernel KERNEL_SCALAR; /* the reference */
#if defined(__x86_64__)
extern const struct kernel KERNEL_SSE2, KERNEL_AVX2, KERNEL_AVX512;
#elif defined(__aarch64__)
extern const struct kernel KERNEL_NEON;
#endif

/* Those that this program has and this processor runs: kernel_at(0) is the scalar one, the last one is the fastest. */
const struct kernel *kernel_at(uint32_t index); /* NULL behind the last */
const struct kernel *kernel_best(void);
/* By name, or "auto" for the best; NULL when this processor or program has no such kernel. */
const struct kernel *kernel_find(const char *name);

/* Names that an option may have. */
#define KERNEL_NAMES "auto|scalar|sse2|avx2|avx512|neon"

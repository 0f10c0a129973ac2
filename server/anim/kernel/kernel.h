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
#include <stddef.h>

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
    float *parts;           /* NULL, or where what moves goes instead: KERNEL_PART a node, as struct rig_part */
};

/* Floats of a struct rig_part: a row of four for the rotation, one for the translation, one for the scale. */
enum { KERNEL_PART = 12 };

/* One layer of a blend. Its arrays have a whole number of LANE_WIDTHs of nodes: KERNEL_PADDED(rig nodes). */
struct kernel_layer {
    const float *parts;     /* KERNEL_PART a rig node */
    const float *reference; /* NULL: the layer overrides; else it adds what `parts` differ by from these */
    const float *weights;   /* what it may not move has 0: one a rig node, or LANE_WIDTH equal ones for all */
    const uint8_t *blocks; /* NULL: those equal ones; else for LANE_WIDTH nodes each: 0, when all their weights are 0 */
    const uint8_t *is_moved; /* of a group, with `blocks`: 1 for each rig node that the layer may move, else 0 */
};

/* As many entities as a group may have. */
enum { KERNEL_GROUP_MAX = 16 };

/* Local transforms of all rig nodes, mixed as blend.h says. Layers that override come first; the mean of three and more
 * rotations is found by steps, until they are too small to matter. */
struct kernel_mix {
    const struct kernel_layer *layers;
    uint32_t count, override_count;
    const float *rest; /* where no layer overrides; NULL: the first one does everywhere, by equal weights */
    bool is_sized;     /* else all scales are 1 */
    uint32_t node_count;
    float *local; /* out: KERNEL_MATRIX a rig node, parent_from_node */
    double *f64;  /* NULL, or where they go instead: 12 a node */
    /* Of a group: floats from the parts and references of one entity to those of the next; all share `rest`. Weights
     * are one for each of its entities. `local` is as struct kernel_group has its matrices; f64 is NULL. */
    size_t stride;
};

/* kernel->group_width entities of one rig at once, each in a lane of its own. Where there are fewer, the others have
 * any values, and room for what comes of them. */
struct kernel_group {
    const struct rig_node *nodes;
    uint32_t count;
    float *matrices;     /* [count][12][group_width]: rows; in: parent_from_node; out: scene_from_node */
    const float *locals; /* NULL, or what is in instead: KERNEL_MATRIX a node, then those of the next entity */
    size_t local_stride; /* floats from one entity's to those of the next */
    const struct rig_output *outputs;
    uint32_t output_count;
    bool is_mat4;                 /* out: as struct kernel_palette has it */
    float *out[KERNEL_GROUP_MAX]; /* of each entity */
};

/* Where palettes go: world_from_scene in front of each. */
struct kernel_move {
    const double *world_from_scene; /* three rows */
    const double *world_from_still; /* NULL, or for outputs that is_moved marks */
    const uint8_t *is_moved;        /* [count] */
    const float *rows;              /* 12 floats each */
    uint32_t count;
    bool is_mat4; /* out: as struct kernel_palette has it */
    float *out;
};

/* Node counts, as arrays for struct kernel_mix have them. */
#define KERNEL_PADDED(count) (((count) + LANE_WIDTH - 1) / LANE_WIDTH * LANE_WIDTH)

/* Two rotations whose dot product is nearer to 0 than this are half a turn apart, but for rounding: which way is the
 * shorter one then hangs on their last bits. */
#define KERNEL_DOT_MIN 1e-5f
/* Three and more rotations are mixed when the dot product of each with their mean is at least this: their mean is the
 * only one, and near. */
#define KERNEL_SPREAD_MIN .75f
/* Scales divided by those of a reference may be as large as this. */
#define KERNEL_RATIO_MAX 4.f
/* Steps to a mean, and the square of one after which there is no next. */
enum { KERNEL_STEPS_MAX = 12 };
#define KERNEL_STEP_MIN 1.6e-13f

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
    /* False: some rotations or scales are beyond the KERNEL_ limits above, and what is out is not to be used. */
    bool (*mix)(const struct kernel_mix *mix);
    void (*move)(const struct kernel_move *move);
    /* Groups of entities, with the bits of one after the other. mix_group() tells by bits whose rotations or scales
     * are beyond the limits, compose_group() who has a palette that is not finite. */
    uint32_t group_width;
    uint32_t (*mix_group)(const struct kernel_mix *mix);
    uint32_t (*compose_group)(const struct kernel_group *group);
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

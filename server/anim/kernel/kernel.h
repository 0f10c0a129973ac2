/* kernel.h - the arithmetic of compiled clips (model.h), in plain C and for each vector width.
 *
 * Pure; any thread. All kernels give the same bits: each result comes from the same float operations in the same order,
 * without contraction to fused multiply-adds and without approximate instructions. Shortcuts for constant values depend
 * on the data, not on the width. Kernels check nothing: bake_check_compiled() has ensured that indices are valid and
 * that no result overflows a float.
 *
 * Values and rotations of splines are interpolated component by component, with weights that all lanes share (struct
 * kernel_spline). Other rotations between two frames are interpolated along the arc (slerp) with the weights
 * sin((1-u)a)/sin a and sin(u a)/sin a. Only their ratio matters, because the matrix is made from q with 2/|q|^2. So
 * sin is replaced by S(y) = sin(sqrt y)/sqrt y with y = (u a)^2, and a^2 = x Q(x) with x = 1 - dot. Both functions are
 * analytic, and polynomials of x in 0..1 and y in 0..(pi/2)^2 reach float precision. This avoids acos, sqrt and
 * division (D. Eberly, "A Fast and Accurate Algorithm for Computing SLERP", 2011). The coefficients are least-squares
 * fits, weighted towards the largest error. */
#pragma once

#include "anim/model/model.h"

#include <stdbool.h>
#include <stddef.h>

/* Coefficients of a^2 / x in powers of x = 1 - cos a; the error is at most 1.5e-7. */
#define KERNEL_ARC                                                                                                     \
    1.999999934f, .3333417863f, .08871448641f, .02991963671f, .005153942202f, .01358926173f, -.008310922947f,          \
        .004992857004f
/* Coefficients of sin(sqrt y) / sqrt y in powers of y. */
#define KERNEL_SINE .9999999957f, -.1666665795f, .008333050171f, -.0001980901741f, 2.605107635e-6f

/* Floats of a matrix in scratch memory: three rows, and a row of 0. */
enum { KERNEL_MATRIX = 16 };

/* The weights of a cubic Hermite spline between two frames: value = from + (step * (to - from) + (slope_from * from's
 * slope + slope_to * to's slope)). */
struct kernel_spline {
    float step;                 /* 3 u^2 - 2 u^3 */
    float slope_from, slope_to; /* u^3 - 2 u^2 + u and u^3 - u^2, times the seconds between the frames */
};

/* The moving nodes between two frames. */
struct kernel_lanes {
    const struct lane_block *blocks;
    uint32_t block_count;
    const float *values;    /* model->lane_values: the constants */
    const float *from, *to; /* the frames before and after; the same frame at either end of a clip */
    float u;                /* 0..1, from `from` to `to` */
    struct kernel_spline spline;
    float *weights;  /* scratch: 2 * LANE_WIDTH a block */
    float *local;    /* out: parent_from_node, KERNEL_MATRIX a rig node; and one more for unused lanes */
    double *f64;     /* NULL, or the output instead: 12 a node, computed in double precision from the quaternions on */
    float *parts;    /* NULL, or the output instead: KERNEL_PART a moving node, as struct rig_part */
    bool is_precise; /* `local` is computed in double precision from the quaternions on, and rounded */
};

/* Floats of a struct rig_part: rows of four for rotation, translation and scale. */
enum { KERNEL_PART = 12 };

/* One layer of a blend. Its arrays are padded to a whole number of LANE_WIDTHs of nodes: KERNEL_PADDED(rig nodes). For
 * groups, parts and references of an entity follow those of the one before (struct kernel_mix), or is_across is set. */
struct kernel_layer {
    const float *parts;      /* KERNEL_PART a rig node */
    const float *reference;  /* NULL: the layer overrides; else it adds the difference of `parts` from these */
    const float *weights;    /* one a rig node, 0 where it may not move; or LANE_WIDTH equal ones for all nodes */
    const uint8_t *blocks;   /* NULL: equal weights; else one per LANE_WIDTH nodes, 0 when all their weights are 0 */
    const uint8_t *is_moved; /* for groups, with `blocks`: 1 for each rig node that the layer may move, else 0 */
    bool is_across;          /* for groups: parts and reference are [rig nodes][KERNEL_PART][group_width] */
};

/* Greatest number of entities in a group. */
enum { KERNEL_GROUP_MAX = 8 };

/* The nodes of entities that play one clip, each between two frames of its own. Arrays that are written have room for
 * one node more, for unused lanes of blocks. */
struct kernel_group_lanes {
    const struct kernel_lanes *lanes; /* [count]: with the same blocks and values; their outputs are not used */
    uint32_t count;                   /* <= group_width; other entities may get any values */
    float *matrices;                  /* out: as in struct kernel_group; all lanes of still[still_count] too */
    const struct still_node *still;
    uint32_t still_count;
    float *parts;                /* NULL, or the output instead: [node][KERNEL_PART][group_width], only what moves */
    const struct rig_part *rest; /* [rest_count]: first written to all lanes of `parts` */
    uint32_t rest_count;
};

/* Mixes local transforms of all rig nodes as blend.h defines. Overriding layers come first. The mean of three or more
 * rotations is found by iteration, until the steps are negligible. */
struct kernel_mix {
    const struct kernel_layer *layers;
    uint32_t count, override_count;
    const float *rest; /* base of nodes that no layer overrides; NULL: the first overrides all, with equal weights */
    bool is_sized;     /* false: all scales are 1 */
    uint32_t node_count;
    float *local; /* out: KERNEL_MATRIX a rig node, parent_from_node */
    double *f64;  /* NULL, or the output instead: 12 a node */
    /* For groups: floats between the parts and references of neighbouring entities, without is_across. They share
     * `rest`. Weights are one for each entity. `local` has the layout of struct kernel_group's matrices; f64 is NULL.
     */
    size_t stride;
};

/* Evaluates kernel->group_width entities of one rig at once, one per lane. Unused lanes may have any values, and need
 * room for their results. */
struct kernel_group {
    const struct rig_node *nodes;
    uint32_t count;
    float *matrices;     /* [count][12][group_width]: rows; in: parent_from_node; out: scene_from_node */
    const float *locals; /* NULL, or the input instead: KERNEL_MATRIX a node, entity after entity */
    size_t local_stride; /* floats between neighbouring entities */
    const struct rig_output *outputs;
    uint32_t output_count;
    bool is_mat4;                 /* as in struct kernel_palette */
    float *out[KERNEL_GROUP_MAX]; /* one for each entity */
};

/* Moves palettes to the world: multiplies each matrix by world_from_scene from the left. */
struct kernel_move {
    const double *world_from_scene; /* three rows */
    const double *world_from_still; /* NULL, or the matrix for outputs that is_moved marks */
    const uint8_t *is_moved;        /* [count] */
    const float *rows;              /* 12 floats each */
    uint32_t count;
    bool is_mat4; /* as in struct kernel_palette */
    float *out;
};

/* Pads a node count for the arrays of struct kernel_mix. */
#define KERNEL_PADDED(count) (((count) + LANE_WIDTH - 1) / LANE_WIDTH * LANE_WIDTH)

/* Two rotations whose dot product is closer to 0 than this are practically half a turn apart, and rounding decides
 * which way is shorter. */
#define KERNEL_DOT_MIN 1e-5f
/* Three or more rotations are mixed only when the dot product of each with their mean is at least this. Then the mean
 * is unique and close. */
#define KERNEL_SPREAD_MIN .75f
/* Greatest ratio of a scale to that of a reference. */
#define KERNEL_RATIO_MAX 4.f
/* Greatest number of steps towards a mean, and the square of a step after which iteration stops. */
enum { KERNEL_STEPS_MAX = 12 };
#define KERNEL_STEP_MIN 1.6e-13f

/* The nodes of the rig that a palette is made of. */
struct kernel_rig {
    const struct rig_node *nodes;
    uint32_t count;
    float *matrices; /* KERNEL_MATRIX a node; in: parent_from_node; out: scene_from_node */
    double *f64;     /* NULL, or the input instead: 12 a node; out: scene_from_node before rounding to `matrices` */
    bool is_widened; /* with f64: the input is in `matrices` all the same */
};

/* The palette of one skin: scene_from_joint * joint_from_bind, in the skin's order of joints. */
struct kernel_palette {
    const struct rig_output *outputs;
    uint32_t count, lag;
    bool is_mat4; /* 16 floats a joint, column-major; else 12, the upper three rows */
    float *out;
};

/* Whole local transforms that become matrices at once. */
enum { KERNEL_WHOLE = 4 };
/* Rotations are normalized by 2 / |q|^2, except those that quat_repair() leaves as they are: the square of their length
 * is between the last two. For squares as near to 1 as the first, a polynomial gives the quotient. */
#define KERNEL_UNIT_ERROR 2e-6
#define KERNEL_KEPT_LEAST (0.999 * 0.999)
#define KERNEL_KEPT_MOST  (1.001 * 1.001)

struct kernel {
    const char *name;
    void (*lanes)(const struct kernel_lanes *lanes);
    void (*compose)(const struct kernel_rig *rig, const struct kernel_palette *palette);
    /* Makes the palette of another skin from the same scene_from_node. */
    void (*palette)(const float *scene_from_node, const struct kernel_palette *palette);
    /* False: some rotations or scales are beyond the KERNEL_ limits above, and the output must not be used. */
    bool (*mix)(const struct kernel_mix *mix);
    void (*move)(const struct kernel_move *move);
    /* Evaluates groups, with the same bits as one entity after the other. mix_group() returns a bit for each entity
     * with rotations or scales beyond the limits, compose_group() for each with a palette that is not finite. */
    uint32_t group_width; /* 1: there are no groups, and no lanes_group() */
    void (*lanes_group)(const struct kernel_group_lanes *group);
    uint32_t (*mix_group)(const struct kernel_mix *mix);
    uint32_t (*compose_group)(const struct kernel_group *group);
    /* Makes the three rows of parent_from_node of each, 12 floats, from its translation, rotation x, y, z, w and scale:
     * ten doubles, of which the square of the rotation's length is no rounded 0. In double precision, then rounded. */
    void (*whole)(const double *const from[KERNEL_WHOLE], float *const to[KERNEL_WHOLE]);
};

extern const struct kernel KERNEL_SCALAR; /* the reference */
#if defined(__x86_64__)
extern const struct kernel KERNEL_SSE2, KERNEL_AVX2, KERNEL_AVX512;
#elif defined(__aarch64__)
extern const struct kernel KERNEL_NEON;
#endif

/* Returns the kernels that this program has and this processor runs: kernel_at(0) is the scalar one, the last is the
 * fastest. */
const struct kernel *kernel_at(uint32_t index); /* NULL behind the last */
const struct kernel *kernel_best(void);
/* Finds a kernel by name; "auto" is the best. NULL when this processor or program has no such kernel. */
const struct kernel *kernel_find(const char *name);

/* The names that an option accepts. */
#define KERNEL_NAMES "auto|scalar|sse2|avx2|avx512|neon"

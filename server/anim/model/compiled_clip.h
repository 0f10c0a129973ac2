/* compiled_clip.h - the form in which bake_finish() stores a model's joints and clips, so that palettes need no search
 * for keys and no walk over the tree.
 *
 * The rig is all joints and their ancestors. A compiled clip stores still nodes as matrices and moving ones as frames.
 * A frame has all moving nodes at one time, in blocks of LANE_WIDTH nodes side by side. These sections are not part of
 * the content hash. anim/compiled/clip_compile.h makes them, anim/compiled/clip_palette.h evaluates them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { MODEL_COMPILED_ID = 64 };

/* A joint of some skin, or an ancestor of one. Nodes are in breadth-first order, so that a node seldom follows its own
 * parent directly. */
struct rig_node {
    uint32_t node;
    int32_t parent; /* index into rig_nodes, smaller than its own; -1 for roots, which come first */
};

/* A skin's outputs are rig_outputs[output_first .. + joint_count), sorted by rig node. Output i of the skin needs no
 * rig node beyond i + lag. */
struct rig_skin {
    uint32_t output_first;
    uint32_t lag;
};

struct rig_output {
    uint32_t rig_node;
    uint32_t joint;            /* its index in the skin and the palette */
    float joint_from_bind[12]; /* the upper three rows */
};

enum compiled_flags {
    COMPILED_F64 = 1,          /* long chains: matrices and their products are in double precision */
    COMPILED_CUBIC = 2,        /* some blocks have LANES_CUBIC flags, and two frames may have the same time */
    COMPILED_F64_PRODUCTS = 4, /* only the products are in double precision */
    COMPILED_F64_MATRICES = 8, /* only the matrices are, and are rounded before their products */
    COMPILED_F64_ANY = COMPILED_F64 | COMPILED_F64_PRODUCTS | COMPILED_F64_MATRICES,
};

/* A clip with frame_count 0 is not compiled. Frame f is at frame_times[frame_first + f]; its values are the
 * frame_floats elements of lane_values from index value_first + f * frame_floats on. Between frames, values are
 * interpolated linearly and rotations along arcs, by u: 0 at a frame, 1 at the next; or, where a block's flags say so,
 * by cubic Hermite splines. Where a value jumps, or its slope does, two frames have the same time: the first ends what
 * lies before it, the second begins what follows. */
struct compiled_clip {
    uint32_t frame_first, frame_count;
    uint32_t value_first, frame_floats; /* multiples of 16 */
    uint32_t block_first, block_count;
    uint32_t still_first, still_count;
    float error;           /* measured at import, relative to the model's size */
    uint32_t flags;        /* COMPILED_ */
    double frames_per_s;   /* of evenly spaced frames; otherwise a first guess */
    uint32_t part_first;   /* its set of rig_parts, if the model has any */
    uint32_t sized_count;  /* rig nodes whose scale differs from 1 at some time, or at rest */
    float blend_errors[2]; /* like `error`, for blends with the clip: [0] multiplied in float, [1] in double */
};

enum { LANE_WIDTH = 16, LANE_WIDTH_HALF = 8 };
enum lane_flags {
    LANES_ROTATE = 1,      /* rotations are in the frames; else 3x3 matrices are in the constants */
    LANES_TRANSLATE = 2,   /* translations are in the frames; else in the constants */
    LANES_SCALE = 4,       /* scales are in the frames */
    LANES_FIXED_SCALE = 8, /* scales are in the constants; with neither flag they are 1, or within the 3x3 matrices */
    LANES_STEP = 16,       /* the constants end in factors of u: 0 for values that hold until the next frame, else 1 */
    LANES_CUBIC_ROTATE = 32,    /* rotations are splines: their slopes follow them in the frames */
    LANES_CUBIC_TRANSLATE = 64, /* likewise */
    LANES_CUBIC_SCALE = 128,
    LANES_CUBIC = LANES_CUBIC_ROTATE | LANES_CUBIC_TRANSLATE | LANES_CUBIC_SCALE,
};

/* Up to 16 moving nodes of a clip, component by component. In a frame, a block has 4 * width floats of
 * rotations, 3 * width of translations and 3 * width of scales, in this order, each only where the flags say so. Those
 * of splines are followed by as many slopes per second. Neighbouring rotations have a dot product >= 0 unless they are
 * splines, which have any length but 0. From constant_first on follow the constants: 9 * width floats of 3x3
 * matrices (row-major), 3 * width of translations, 3 * width of scales and 3 * width of factors (for translations,
 * rotations, scales), each only where the flags say so. */
struct lane_block {
    uint32_t flags;        /* LANES_ */
    uint32_t width;        /* LANE_WIDTH or LANE_WIDTH_HALF */
    uint32_t frame_offset; /* within a frame */
    uint32_t constant_first;
    uint32_t rig_nodes[LANE_WIDTH]; /* rig_node_count for an unused lane */
};

/* Returns the number of vectors of the block's width that rotations, translations or scales take in each frame. */
static inline uint32_t block_rotation_vectors(uint32_t flags)
{
    return (flags & LANES_ROTATE) == 0 ? 0u : (flags & LANES_CUBIC_ROTATE) != 0 ? 8u : 4u;
}

static inline uint32_t block_translation_vectors(uint32_t flags)
{
    return (flags & LANES_TRANSLATE) == 0 ? 0u : (flags & LANES_CUBIC_TRANSLATE) != 0 ? 6u : 3u;
}

static inline uint32_t block_scale_vectors(uint32_t flags)
{
    return (flags & LANES_SCALE) == 0 ? 0u : (flags & LANES_CUBIC_SCALE) != 0 ? 6u : 3u;
}

/* True when rotations are interpolated along arcs. */
static inline bool block_has_arcs(uint32_t flags)
{
    return (flags & (LANES_ROTATE | LANES_CUBIC_ROTATE)) == LANES_ROTATE;
}

/* Returns the number of vectors in each frame. */
static inline uint32_t block_frame_vectors(uint32_t flags)
{
    return block_rotation_vectors(flags) + block_translation_vectors(flags) + block_scale_vectors(flags);
}

/* Returns where the factors of u begin in the constants, in vectors. */
static inline uint32_t block_factors_at(uint32_t flags)
{
    return ((flags & LANES_ROTATE) != 0 ? 0u : 9u) + ((flags & LANES_TRANSLATE) != 0 ? 0u : 3u) +
           ((flags & LANES_FIXED_SCALE) != 0 ? 3u : 0u);
}

/* Returns the number of vectors of constants. */
static inline uint32_t block_constant_vectors(uint32_t flags)
{
    return block_factors_at(flags) + ((flags & LANES_STEP) != 0 ? 3u : 0u);
}

/* A rig node that the clip does not move, with the upper three rows of parent_from_node. */
struct still_node {
    uint32_t rig_node;
    float parent_from_node[12];
};

/* The local transform of a rig node, for blends: rows of four floats. */
struct rig_part {
    float rotation[4]; /* unit quaternion */
    float translation[3];
    float is_animated; /* 1: a channel of the clip moves the node; else 0 */
    float scale[3];
    float zero;
};

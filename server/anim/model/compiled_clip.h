/* compiled_clip.h - what bake_finish() makes of a model's joints and clips, so that palettes need no search and no walk
 * over the tree.
 *
 * The rig is the nodes that joints hang from. A compiled clip gives its still nodes as matrices and the moving ones as
 * frames: all of them at one time, LANE_WIDTH nodes side by side in a block. These sections are not part of the content
 * hash. anim/compiled/clip_compile.h makes them, anim/compiled/clip_palette.h evaluates them. */
#pragma once

#include <stdint.h>

enum { MODEL_COMPILED_ID = 64 };

/* A joint of some skin, or an ancestor of one. Breadth first, so that a node seldom follows its own parent. */
struct rig_node {
    uint32_t node;
    int32_t parent; /* in rig_nodes, smaller than the own index; -1 for roots, which come first */
};

/* A skin's outputs are rig_outputs[output_first .. + joint_count), by rising rig node. Output number i of the skin
 * needs no rig node behind i + lag. */
struct rig_skin {
    uint32_t output_first;
    uint32_t lag;
};

struct rig_output {
    uint32_t rig_node;
    uint32_t joint;            /* within the skin: its place in the palette */
    float joint_from_bind[12]; /* the upper three rows */
};

enum compiled_flags {
    COMPILED_F64 = 1, /* matrices and products of parents and children are in double precision: for long chains */
};

/* frame_count 0: the clip is not compiled. Frame f is at frame_times[frame_first + f], its values are frame_floats
 * lane_values from value_first + f * frame_floats on. Between frames: straight lines and, for rotations, arcs. */
struct compiled_clip {
    uint32_t frame_first, frame_count;
    uint32_t value_first, frame_floats; /* multiples of 16 */
    uint32_t block_first, block_count;
    uint32_t still_first, still_count;
    uint32_t sampled_first, sampled_count;
    float error;         /* as measured at import, of the model's size */
    uint32_t flags;      /* COMPILED_ */
    double frames_per_s; /* of evenly spaced frames; elsewhere a first guess */
    uint32_t part_first;   /* its set of rig_parts, if the model has any */
    uint32_t sized_count;  /* of the rig's nodes: those whose scale is not 1 at all times, and at rest */
    float blend_errors[2]; /* like `error`, of blends with the clip: multiplied in float, and in double precision */
};

enum { LANE_WIDTH = 16, LANE_WIDTH_HALF = 8 };
enum lane_flags {
    LANES_ROTATE = 1,      /* rotations are in the frames; else 3x3 matrices are in the constants */
    LANES_TRANSLATE = 2,   /* translations are in the frames; else in the constants */
    LANES_SCALE = 4,       /* scales are in the frames */
    LANES_FIXED_SCALE = 8, /* scales are in the constants; with neither flag they are 1, or within the 3x3 matrices */
    LANES_STEP = 16,       /* the constants end in factors of u: 0 for what holds until the next frame, else 1 */
};

/* Up to 16 moving nodes of a clip, component by component. A frame has, of those that are in it and in this order,
 * 4 * width rotations, 3 * width translations, 3 * width scales. Neighbouring rotations have a dot product of 0 or
 * more. The constants from constant_first on: 9 * width of 3x3 matrices (by rows), 3 * width translations, 3 * width
 * scales, 3 * width factors (for translations, rotations, scales), each where the flags say so. */
struct lane_block {
    uint32_t flags;        /* LANES_ */
    uint32_t width;        /* LANE_WIDTH or LANE_WIDTH_HALF */
    uint32_t frame_offset; /* within a frame */
    uint32_t constant_first;
    uint32_t rig_nodes[LANE_WIDTH]; /* rig_node_count for a lane that is not used */
};

/* How many vectors of its width a block with these flags has in each frame. */
static inline uint32_t block_frame_vectors(uint32_t flags)
{
    return ((flags & LANES_ROTATE) != 0 ? 4u : 0u) + ((flags & LANES_TRANSLATE) != 0 ? 3u : 0u) +
           ((flags & LANES_SCALE) != 0 ? 3u : 0u);
}

/* Where its factors of u begin among its constants, in vectors. */
static inline uint32_t block_factors_at(uint32_t flags)
{
    return ((flags & LANES_ROTATE) != 0 ? 0u : 9u) + ((flags & LANES_TRANSLATE) != 0 ? 0u : 3u) +
           ((flags & LANES_FIXED_SCALE) != 0 ? 3u : 0u);
}

/* How many vectors its constants are. */
static inline uint32_t block_constant_vectors(uint32_t flags)
{
    return block_factors_at(flags) + ((flags & LANES_STEP) != 0 ? 3u : 0u);
}

/* A rig node that the clip does not move: the upper three rows of parent_from_node. */
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

/* A rig node whose channels are evaluated as they are, in double precision: cubic splines. -1: the rest value. */
struct sampled_node {
    uint32_t rig_node;
    int32_t channels[3]; /* by PATH_: translation, rotation, scale */
};

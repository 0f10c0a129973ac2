/* Evaluates sixteen nodes at once, or eight in a block of half the width. Groups have eight entities: sixteen are no
 * faster where the processor splits the vectors, and a small crowd would fill half of the lanes. Compiled for AVX-512
 * F, VL and DQ (Makefile). */
#if defined(__x86_64__)

#define LANES 16
#include "anim/kernel/kernel_lanes.h"
#include "anim/kernel/kernel_mix.h"
#undef LANES
#define LANES 8
#include "anim/kernel/kernel_lanes.h"
#include "anim/kernel/kernel_group_lanes.h"
#include "anim/kernel/kernel_mix.h"
#include "anim/kernel/kernel_group.h"
#define ROWS 4
#include "anim/kernel/kernel_rows.h"

KERNEL_INLINE void all_blocks(const struct kernel_lanes *lanes, enum lanes_way way)
{
    for (uint32_t b = 0; b < lanes->block_count; b++) {
        float *weights = lanes->weights + 2 * (size_t)LANE_WIDTH * b;
        if (!block_has_arcs(lanes->blocks[b].flags))
            continue;
        if (lanes->blocks[b].width == LANE_WIDTH)
            lanes_weights_16(lanes, &lanes->blocks[b], 0, weights);
        else
            lanes_weights_8(lanes, &lanes->blocks[b], 0, weights);
    }
    for (uint32_t b = 0; b < lanes->block_count; b++) {
        const float *weights = lanes->weights + 2 * (size_t)LANE_WIDTH * b;
        const bool is_full = lanes->blocks[b].width == LANE_WIDTH;
        if (is_full)
            lanes_out_16(lanes, &lanes->blocks[b], 0, weights, way);
        else
            lanes_out_8(lanes, &lanes->blocks[b], 0, weights, way);
    }
}

#include "anim/kernel/kernel_ways.h"
#include "anim/kernel/kernel_whole.h"

const struct kernel KERNEL_AVX512 = {"avx512", lanes,         compose,     write_palette,   mix_all_16, move,
                                     8,        lanes_group_8, mix_group_8, compose_group_8, whole};

#endif

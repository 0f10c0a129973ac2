/* Evaluates eight nodes at once. Compiled for AVX2 without FMA (Makefile). */
#if defined(__x86_64__)

#define LANES 8
#include "anim/kernel/kernel_lanes.h"
#include "anim/kernel/kernel_group_lanes.h"
#include "anim/kernel/kernel_mix.h"
#include "anim/kernel/kernel_group.h"
#define ROWS 2
#include "anim/kernel/kernel_rows.h"

KERNEL_INLINE void all_blocks(const struct kernel_lanes *lanes, enum lanes_way way) { lanes_all_8(lanes, way); }

#include "anim/kernel/kernel_ways.h"
#include "anim/kernel/kernel_whole.h"

const struct kernel KERNEL_AVX2 = {"avx2", lanes,         compose,     write_palette,   mix_all_8, move,
                                   8,      lanes_group_8, mix_group_8, compose_group_8, whole};

#endif

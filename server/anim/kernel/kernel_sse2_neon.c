/* Evaluates four nodes at once, on every x86-64 and every AArch64. */
#if defined(__x86_64__) || defined(__aarch64__)

#define LANES 4
#include "anim/kernel/kernel_lanes.h"
#include "anim/kernel/kernel_group_lanes.h"
#include "anim/kernel/kernel_mix.h"
#include "anim/kernel/kernel_group.h"
#define ROWS 1
#include "anim/kernel/kernel_rows.h"

KERNEL_INLINE void all_blocks(const struct kernel_lanes *lanes, enum lanes_way way) { lanes_all_4(lanes, way); }

#include "anim/kernel/kernel_ways.h"
#include "anim/kernel/kernel_whole.h"

#if defined(__x86_64__)
const struct kernel KERNEL_SSE2 = {"sse2", lanes,         compose,     write_palette,   mix_all_4, move,
                                   4,      lanes_group_4, mix_group_4, compose_group_4, whole};
#else
const struct kernel KERNEL_NEON = {"neon", lanes,         compose,     write_palette,   mix_all_4, move,
                                   4,      lanes_group_4, mix_group_4, compose_group_4, whole};
#endif

#endif

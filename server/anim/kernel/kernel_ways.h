/* kernel_ways.h - a function for each output of the kernels, for kernel_*.c, which define all_blocks() with a constant
 * `way`. In one function for all of them, the largest would take the registers of the others. */
#include "anim/kernel/kernel_simd.h"

__attribute__((noinline)) static void lanes_of_parts(const struct kernel_lanes *lanes)
{
    all_blocks(lanes, LANES_TO_PARTS);
}

__attribute__((noinline)) static void lanes_of_f64(const struct kernel_lanes *lanes)
{
    all_blocks(lanes, LANES_TO_F64);
}

__attribute__((noinline)) static void lanes_of_rounded(const struct kernel_lanes *lanes)
{
    all_blocks(lanes, LANES_TO_ROUNDED);
}

static void lanes(const struct kernel_lanes *lanes)
{
    if (lanes->parts != NULL)
        lanes_of_parts(lanes);
    else if (lanes->f64 != NULL)
        lanes_of_f64(lanes);
    else if (lanes->is_precise)
        lanes_of_rounded(lanes);
    else
        all_blocks(lanes, LANES_TO_MATRICES);
}

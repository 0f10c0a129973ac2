/* measure.h - tools for measurements of the bench: a clock, an order, random numbers that are the same in each run. */
#pragma once

#include <stdint.h>
#include <time.h>

/* CLOCK_PROCESS_CPUTIME_ID and _THREAD_ measure the processor time of the process or thread, CLOCK_MONOTONIC the
 * elapsed time. */
static inline double clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Compares doubles in ascending order, for qsort(). */
static inline int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Returns a number from 0 to below 1: the next of xorshift64* (S. Vigna, "An experimental exploration of Marsaglia's
 * xorshift generators, scrambled", 2016). */
static inline double next_random(void)
{
    static uint64_t state = 0x9E3779B97F4A7C15u;
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (double)((state * 0x2545F4914F6CDD1Du) >> 11) / 9007199254740992.0;
}

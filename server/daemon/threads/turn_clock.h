/* turn_clock.h - how much processor time a turn of an event loop takes: from when the loop is about to wait to when it
 * is again. One for each loop; its thread only. */
#pragma once

#include <stdint.h>

/* A turn above this is counted as long: ten times what one request may keep a loop busy. */
enum { TURN_LONG_NS = 20000000 };

/* Zeroed at first. */
struct turn_clock {
    uint64_t looked_ns; /* of uv_hrtime() */
    uint64_t cpu_ns;    /* of the thread, then */
};

/* Processor time of this thread since it began. */
uint64_t thread_cpu_ns(void);

/* The loop is about to wait: counts the turn that ends. */
void turn_clock_tick(struct turn_clock *clock);

/* turn_clock.h - measures the processor time of a turn of an event loop: from one wait of the loop to the next. One for
 * each loop; its thread only. */
#pragma once

#include <stdint.h>

/* A turn above this counts as long: ten times the time that one request may take on a loop. */
enum { TURN_LONG_NS = 20000000 };

/* Zeroed at first. */
struct turn_clock {
    uint64_t looked_ns; /* of uv_hrtime() */
    uint64_t cpu_ns;    /* of the thread, at that time */
};

/* Returns the processor time of this thread since its start. */
uint64_t thread_cpu_ns(void);

/* Counts the turn that ends, when the loop is about to wait. */
void turn_clock_tick(struct turn_clock *clock);

/* run_loop.h - runs a loop until something has happened. */
#pragma once

#include <uv.h>

/* Until *count is at least `least`; fails the test when that takes 20 s. */
void run_loop_until(uv_loop_t *loop, const int *count, int least);
/* For about so long. */
void run_loop_for(uv_loop_t *loop, uint64_t time_ms);
/* Until nothing is left in it, then closes it. */
void run_loop_fini(uv_loop_t *loop);

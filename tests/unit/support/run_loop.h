/* run_loop.h - runs a loop until something has happened. */
#pragma once

#include <uv.h>

/* Runs until *count is at least `least`. Fails the test after 20 s. */
void run_loop_until(uv_loop_t *loop, const int *count, int least);
/* Runs for about that long. */
void run_loop_for(uv_loop_t *loop, uint64_t time_ms);
/* Runs until the loop is empty, then closes it. */
void run_loop_fini(uv_loop_t *loop);

#include "tests/unit/support/run_loop.h"

#include "tests/unit/support/check.h"

#include "daemon/threads/work.h"

static void on_tick(uv_timer_t *timer) { (void)timer; }

static void run(uv_loop_t *loop, uint64_t time_ms, const int *count, int least)
{
    uv_timer_t timer; /* so that uv_run() returns now and then */
    uv_timer_init(loop, &timer);
    uv_timer_start(&timer, on_tick, 10, 10);
    uv_update_time(loop);
    const uint64_t end_ms = uv_now(loop) + time_ms;
    while ((count == NULL || *count < least) && uv_now(loop) < end_ms)
        uv_run(loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(loop, UV_RUN_NOWAIT);
}

void run_loop_until(uv_loop_t *loop, const int *count, int least)
{
    run(loop, 20000, count, least);
    assert_true(*count >= least);
}

void run_loop_for(uv_loop_t *loop, uint64_t time_ms) { run(loop, time_ms, NULL, 0); }

void run_loop_fini(uv_loop_t *loop)
{
    uv_run(loop, UV_RUN_DEFAULT);
    work_loop_close(loop);
    assert_int_equal(uv_loop_close(loop), 0);
}

#include "daemon/listen/watchdog.h"

#include "base/mem.h"
#include "daemon/support/log.h"
#include "daemon/support/notify.h"

#include <stdlib.h>

enum { US_PER_MS = 1000, LATE_SHARE = 8, LOOP_MIN_MS = 1500 };

struct watchdog {
    uv_timer_t timer;
    const struct loops *loops;
    uint64_t half_ms;
    bool is_late; /* a loop is stuck */
};

/* While a loop is stuck it looks more often: the loop may have had to wait for a processor. */
static void on_timer(uv_timer_t *timer)
{
    struct watchdog *watchdog = timer->data;
    const uint64_t half_ms = watchdog->half_ms;
    const uint64_t silent_ms = loops_longest_silence_ms(watchdog->loops);
    const bool is_late = silent_ms > (half_ms > LOOP_MIN_MS ? half_ms : LOOP_MIN_MS);
    if (is_late && !watchdog->is_late)
        log_warn("an event loop has not turned for %llu ms: the watchdog is not told that the server lives",
                 (unsigned long long)silent_ms);
    watchdog->is_late = is_late;
    if (!is_late)
        notify_state("WATCHDOG=1");
    const uint64_t wait_ms = is_late ? half_ms / LATE_SHARE : half_ms;
    uv_timer_start(timer, on_timer, wait_ms > 0 ? wait_ms : 1, 0);
}

struct watchdog *watchdog_new(uv_loop_t *loop, const struct loops *loops, uint64_t every_us)
{
    struct watchdog *watchdog = mem_zalloc(1, sizeof *watchdog);
    watchdog->loops = loops;
    watchdog->half_ms = every_us / US_PER_MS / 2;
    watchdog->timer.data = watchdog;
    uv_timer_init(loop, &watchdog->timer);
    uv_unref((uv_handle_t *)&watchdog->timer);
    on_timer(&watchdog->timer);
    return watchdog;
}

static void on_closed(uv_handle_t *timer) { free(timer->data); }

void watchdog_free(struct watchdog *watchdog)
{
    if (watchdog != NULL)
        uv_close((uv_handle_t *)&watchdog->timer, on_closed);
}

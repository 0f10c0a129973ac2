#include "daemon/threads/turn_clock.h"

#include "daemon/support/stats.h"

#include <time.h>
#include <uv.h>

/* Reading a thread's processor time is a system call, and a busy loop has a turn for each request: turns that end so
 * soon after the last look are counted with the next one. */
enum { LOOK_EVERY_NS = 100000, NS_PER_US = 1000 };

uint64_t thread_cpu_ns(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0 ? (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec
                                                             : 0;
}

void turn_clock_tick(struct turn_clock *clock)
{
    const uint64_t now_ns = uv_hrtime();
    if (now_ns - clock->looked_ns < LOOK_EVERY_NS)
        return;
    const uint64_t cpu_ns = thread_cpu_ns(), turn_ns = cpu_ns - clock->cpu_ns;
    if (clock->looked_ns != 0) { /* else it is the start of the server */
        stats_add(STAT_LOOPS_LONG_TURNS, turn_ns > TURN_LONG_NS);
        stats_raise(STAT_LOOPS_LONGEST_TURN_US, turn_ns / NS_PER_US);
    }
    clock->looked_ns = now_ns;
    clock->cpu_ns = cpu_ns;
}

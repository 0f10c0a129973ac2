#include "daemon/threads/thread_priority.h"

#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NICE = 10, SLICE_NS = 100000 };

/* man 2 sched_setattr; glibc 2.36 has neither the call nor its struct. */
struct attributes {
    uint32_t size_bytes, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns, deadline_ns, period_ns;
};

void thread_priority_background(void)
{
    setpriority(PRIO_PROCESS, (id_t)gettid(), NICE); /* a failure costs speed, not answers */
}

/* A thread with a shorter slice goes before one with a longer slice when it wakes (EEVDF, Linux 6.12; before that the
 * slice is ignored). */
void thread_priority_prompt(void)
{
    const struct attributes attributes = {
        .size_bytes = sizeof attributes,
        .policy = SCHED_OTHER,
        .flags = 1, /* SCHED_FLAG_RESET_ON_FORK */
        .nice = getpriority(PRIO_PROCESS, 0),
        .runtime_ns = SLICE_NS,
    };
    if (sched_getscheduler(0) != SCHED_OTHER)
        return;                                           /* the starter of the daemon has chosen a policy */
    (void)syscall(SYS_sched_setattr, 0, &attributes, 0u); /* a failure costs speed, not answers */
}

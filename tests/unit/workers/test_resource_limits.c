/* When a worker gives way to other processes. */
#include "tests/unit/support/check.h"

#include "worker/resource_limits.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static _Atomic pid_t driver_thread;

static void *drive(void *unused)
{
    atomic_store(&driver_thread, gettid());
    for (;;)
        pause();
    return unused;
}

static int nice_of(pid_t thread) { return getpriority(PRIO_PROCESS, (id_t)thread); }

/* In a process of its own. Exit status 0: it went as it should. */
static int yield_in_child(bool has_group)
{
    const struct resource_limits none = {0};
    struct err err;
    pthread_t thread;
    const int before = nice_of(0);
    setpgid(0, 0);
    if (pthread_create(&thread, NULL, drive, NULL) != 0)
        return 1;
    while (atomic_load(&driver_thread) == 0)
        usleep(1000);
    if (resource_limits_set(&none, &err) < 0 || nice_of(0) != before)
        return 2; /* it starts as fast as whoever started it */
    if (resource_limits_yield(has_group, &err) < 0 || nice_of(0) != RESOURCE_LIMITS_NICE)
        return 3;
    return nice_of(atomic_load(&driver_thread)) == (has_group ? RESOURCE_LIMITS_NICE : before) ? 0 : 4;
}

TEST(resource_limits_yield_is_of_the_thread_or_of_the_group)
{
    const int before = nice_of(0);
    for (int has_group = 0; has_group < 2; has_group++) {
        int status = -1;
        const pid_t child = fork();
        if (child == 0)
            _exit(yield_in_child(has_group));
        assert_true(child > 0 && waitpid(child, &status, 0) == child);
        assert_int_equal(status, 0);
        assert_int_equal(nice_of(0), before);
    }
}

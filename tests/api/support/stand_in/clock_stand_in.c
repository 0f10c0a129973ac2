/* For LD_PRELOAD: clocks that are ahead of the real ones, or behind them. The file that POSED_TEST_CLOCKS names has two
 * numbers of seconds (int64), which may change at any time: for the wall clock, and for the monotonic one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t none[2], *ahead_s = none;

__attribute__((constructor)) static void open_clocks(void)
{
    const char *path = getenv("POSED_TEST_CLOCKS");
    const int fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    void *mapping = mmap(NULL, sizeof none, PROT_READ, MAP_SHARED, fd, 0);
    if (mapping != MAP_FAILED)
        ahead_s = mapping;
    close(fd);
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    static int (*real)(clockid_t, struct timespec *);
    if (real == NULL)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    const int rc = real(clock, out);
    const int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
    const int is_monotonic = clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE;
    if (rc == 0 && (is_wall || is_monotonic))
        out->tv_sec += ahead_s[is_monotonic];
    return rc;
}

time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out != NULL)
        *out = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *out, void *zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *out = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

/* source_access.c - keeps the start time of the current call and the first error of each thread. */
#include "daemon/model/source_access.h"

#include "base/err.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <uv.h>

/* More threads than the process has; two that share a place could only hide how long one of them waits. */
enum { THREADS_MAX = 256, PATH_SIZE = 4096 };

static atomic_uint_fast64_t entered_ns[THREADS_MAX]; /* 0: no call is under way */
static atomic_uint_fast32_t thread_count;

static _Thread_local atomic_uint_fast64_t *own_entered_ns;
static _Thread_local int first_error;
static _Thread_local char first_path[PATH_SIZE];

void source_enter(void)
{
    if (own_entered_ns == NULL)
        own_entered_ns = &entered_ns[atomic_fetch_add(&thread_count, 1) % THREADS_MAX];
    atomic_store_explicit(own_entered_ns, uv_hrtime(), memory_order_relaxed);
}

void source_leave(int error, const char *path)
{
    const int kept = errno;
    atomic_store_explicit(own_entered_ns, 0, memory_order_relaxed);
    if (first_error == 0 && err_is_source(error)) {
        first_error = error;
        snprintf(first_path, sizeof first_path, "%s", path);
    }
    errno = kept;
}

struct dirent *source_readdir(DIR *dir, const char *path)
{
    source_enter();
    errno = 0;
    struct dirent *entry = readdir(dir);
    source_leave(entry == NULL ? errno : 0, path);
    return entry;
}

void source_forget_error(void) { first_error = 0; }
int source_error(void) { return first_error; }
const char *source_error_path(void) { return first_path; }

uint64_t source_longest_call_ms(uint64_t since_ns)
{
    const uint64_t now_ns = uv_hrtime();
    uint64_t longest_ns = 0;
    for (size_t i = 0; i < THREADS_MAX; i++) {
        const uint64_t call_ns = atomic_load_explicit(&entered_ns[i], memory_order_relaxed);
        if (call_ns > since_ns && call_ns < now_ns && now_ns - call_ns > longest_ns)
            longest_ns = now_ns - call_ns;
    }
    return longest_ns / 1000000;
}

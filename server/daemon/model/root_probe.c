/* root_probe.c - checks the root by a timer and a new thread for each check: a work thread would be blocked while a
 * mount hangs, and would keep the loop from ending. */
#include "daemon/model/root_probe.h"

#include "base/mem.h"
#include "daemon/support/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { PAUSE_MS = 2000, PATIENCE_MS = 3000, STACK_BYTES = 1 << 20, NS_PER_MS = 1000000 };

/* Shared by the thread and the loop; the last of them frees it. */
struct root_look {
    atomic_uint refs;
    pthread_mutex_t mutex;
    bool is_running; /* under the mutex, as is the rest */
    uint64_t started_ns;
    int error; /* errno of the last finished check; 0: the root is readable */
    char path[];
};

struct root_probe {
    uv_timer_t timer;
    struct root_look *look;
};

static void unref(struct root_look *look)
{
    if (atomic_fetch_sub(&look->refs, 1) > 1)
        return;
    pthread_mutex_destroy(&look->mutex);
    free(look);
}

/* Reading one name reaches a server that opening does not. */
static int read_a_name(const char *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
    DIR *names = fd_open_names(fd); /* keeps errno */
    if (names == NULL)
        return errno;
    errno = 0;
    const int error = readdir(names) == NULL ? errno : 0;
    closedir(names);
    return error;
}

static void *run(void *user)
{
    struct root_look *look = user;
    const int error = read_a_name(look->path);
    pthread_mutex_lock(&look->mutex);
    look->error = error;
    look->is_running = false;
    pthread_mutex_unlock(&look->mutex);
    unref(look);
    return NULL;
}

/* Without a thread the last result stays. */
static bool start_thread(struct root_look *look)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the main loop */
    const int rc = pthread_create(&thread, &attributes, run, look);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return rc == 0;
}

static void on_timer(uv_timer_t *timer)
{
    struct root_look *look = ((struct root_probe *)timer->data)->look;
    pthread_mutex_lock(&look->mutex);
    if (!look->is_running) {
        atomic_fetch_add(&look->refs, 1);
        look->started_ns = uv_hrtime();
        look->is_running = start_thread(look);
        if (!look->is_running)
            atomic_fetch_sub(&look->refs, 1);
    }
    pthread_mutex_unlock(&look->mutex);
}

int root_probe_check(const struct root_probe *probe, struct err *err)
{
    struct root_look *look = probe->look;
    pthread_mutex_lock(&look->mutex);
    const uint64_t taken_ms = look->is_running ? (uv_hrtime() - look->started_ns) / NS_PER_MS : 0;
    const int error = look->error;
    pthread_mutex_unlock(&look->mutex);
    if (taken_ms > PATIENCE_MS)
        return err_set(err, ERR_UNAVAILABLE, "%s has not answered for %llu s", look->path,
                       (unsigned long long)taken_ms / 1000);
    return error == 0 ? 0 : err_set(err, ERR_UNAVAILABLE, "%s: %s", look->path, strerror(error));
}

struct root_probe *root_probe_new(uv_loop_t *loop, const char *path)
{
    struct root_probe *probe = mem_zalloc(1, sizeof *probe);
    probe->look = mem_zalloc(1, sizeof *probe->look + strlen(path) + 1);
    strcpy(probe->look->path, path);
    probe->look->refs = 1;
    pthread_mutex_init(&probe->look->mutex, NULL);
    probe->timer.data = probe;
    uv_timer_init(loop, &probe->timer);
    uv_timer_start(&probe->timer, on_timer, 0, PAUSE_MS);
    uv_unref((uv_handle_t *)&probe->timer);
    return probe;
}

static void on_closed(uv_handle_t *timer)
{
    struct root_probe *probe = timer->data;
    unref(probe->look);
    free(probe);
}

void root_probe_free(struct root_probe *probe)
{
    if (probe != NULL)
        uv_close((uv_handle_t *)&probe->timer, on_closed);
}

/* root_monitor.c - a timer and a work thread that compare the folder at the path of the root with the one that is
 * open. */
#include "daemon/model/root_monitor.h"

#include "base/mem.h"
#include "daemon/support/log.h"
#include "daemon/support/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct root_monitor {
    uv_timer_t timer;
    uv_work_t work;
    bool is_working, is_closed, is_freed;
    char *path;
    int fds[ROOT_MONITOR_FDS];
    dev_t device;
    ino_t inode;
    int found_fd; /* of another folder, or -1 */
    int error;    /* errno of the last look, 0 = the folder is there */
    bool is_missing;
    void (*moved)(void *user);
    void *user;
};

static void look(uv_work_t *work)
{
    struct root_monitor *guard = work->data;
    struct stat stat;
    guard->found_fd = -1;
    guard->error = 0;
    const int fd = open(guard->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &stat) != 0)
        guard->error = errno;
    else if (stat.st_dev != guard->device || stat.st_ino != guard->inode)
        guard->found_fd = fd;
    if (fd >= 0 && guard->found_fd < 0)
        close(fd);
}

static void release(struct root_monitor *guard)
{
    if (!guard->is_closed || guard->is_working)
        return;
    free(guard->path);
    free(guard);
}

static void take(struct root_monitor *guard)
{
    struct stat stat;
    if (fstat(guard->found_fd, &stat) != 0)
        return;
    for (int i = 0; i < ROOT_MONITOR_FDS; i++)
        dup3(guard->found_fd, guard->fds[i], O_CLOEXEC);
    guard->device = stat.st_dev;
    guard->inode = stat.st_ino;
    log_info("the root %s is another folder now", guard->path);
    guard->moved(guard->user);
}

static void on_looked(uv_work_t *work, int status __attribute__((unused)))
{
    struct root_monitor *guard = work->data;
    guard->is_working = false;
    if (!guard->is_freed && guard->found_fd >= 0)
        take(guard);
    fd_close(guard->found_fd);
    if (!guard->is_freed && guard->error != 0 && !guard->is_missing)
        log_warn("the root %s is not there: %s", guard->path, strerror(guard->error));
    guard->is_missing = guard->error != 0;
    release(guard);
}

static void on_timer(uv_timer_t *timer)
{
    struct root_monitor *guard = timer->data;
    if (guard->is_working)
        return;
    guard->is_working = uv_queue_work(timer->loop, &guard->work, look, on_looked) == 0;
}

struct root_monitor *root_monitor_new(uv_loop_t *loop, const char *path, uint64_t interval_ms,
                                      const int fds[ROOT_MONITOR_FDS], void (*moved)(void *user), void *user)
{
    struct root_monitor *guard = mem_zalloc(1, sizeof *guard);
    struct stat stat = {0};
    fstat(fds[0], &stat);
    guard->path = mem_strdup(path);
    memcpy(guard->fds, fds, sizeof guard->fds);
    guard->device = stat.st_dev;
    guard->inode = stat.st_ino;
    guard->moved = moved;
    guard->user = user;
    guard->timer.data = guard->work.data = guard;
    uv_timer_init(loop, &guard->timer);
    uv_timer_start(&guard->timer, on_timer, interval_ms, interval_ms);
    uv_unref((uv_handle_t *)&guard->timer);
    return guard;
}

static void on_closed(uv_handle_t *handle)
{
    struct root_monitor *guard = handle->data;
    guard->is_closed = true;
    release(guard);
}

void root_monitor_free(struct root_monitor *guard)
{
    if (guard == NULL)
        return;
    guard->is_freed = true;
    uv_close((uv_handle_t *)&guard->timer, on_closed);
}

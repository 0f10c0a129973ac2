/* root_monitor.c - compares the folder at the path of the root with the open one by a timer and a work thread, and
 * checks failed files. */
#include "daemon/model/root_monitor.h"

#include "base/err.h"
#include "base/mem.h"
#include "daemon/model/root_look.h"
#include "daemon/model/source_access.h"
#include "daemon/support/fd.h"
#include "daemon/support/log.h"
#include "daemon/support/stats.h"
#include "daemon/threads/work.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TICK_MS = 1000, WHY_SIZE = 256 };
static const char HANGS[] = "a call does not return";

enum root_state { ROOT_IS_FINE, ROOT_IS_FAILING, ROOT_IS_DOWN };

/* The findings of a work thread. */
struct root_look {
    struct root_place place; /* of the folder at the path */
    int found_fd;            /* of another folder, which may be taken, or -1 */
    int error;               /* errno of the check of the root, 0 = a folder is there */
    const char *refusal;     /* why the new folder is not accepted, or NULL */
    int probe_error;         /* of the failed file; 0 = it works again, or there was none */
    char failed_path[ROOT_LOOK_PATH_SIZE];
};

struct root_monitor {
    uv_timer_t timer;
    struct work work;
    bool is_working, is_closed, is_freed;
    char *path; /* a copy, as a thread that hangs may outlive the rest */
    uint64_t interval_ms, timeout_ms, looked_ms;
    bool follows; /* another folder at the path is noticed */
    int fds[ROOT_MONITOR_FDS];
    uint64_t moved_ns; /* when the folder became the root: calls from before are about another */
    struct root_place place;
    enum root_state state;
    uint64_t since_ms;
    uint64_t note_count, looked_count; /* failures noted; the number before the check */
    char failed_path[ROOT_LOOK_PATH_SIZE];
    char why[WHY_SIZE];
    struct root_look look;
    void (*changed)(void *user, enum root_event event);
    void *user;
};

static uint64_t now_ms(void) { return uv_hrtime() / 1000000; }

/* --- the work thread --- */

static void on_work(struct work *work)
{
    struct root_monitor *monitor = work->data;
    struct root_look *look = &monitor->look;
    look->found_fd = -1;
    look->refusal = NULL;
    look->probe_error = 0;
    source_enter();
    const int fd = open(monitor->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    look->error = fd < 0 ? errno : 0;
    source_leave(look->error, "");
    if (fd >= 0)
        look->error = root_place_of(fd, &look->place);
    const bool is_same = look->place.device == monitor->place.device && look->place.inode == monitor->place.inode;
    if (look->error == 0 && !is_same && monitor->follows)
        look->refusal = root_place_refusal(&monitor->place, &look->place, fd);
    if (look->error == 0 && look->refusal == NULL)
        look->probe_error = root_probe(fd, look->failed_path);
    if (look->error == 0 && look->refusal == NULL && !is_same && monitor->follows)
        look->found_fd = fd;
    else
        fd_close(fd);
}

/* --- the loop --- */

static void release(struct root_monitor *monitor)
{
    if (!monitor->is_closed || monitor->is_working)
        return;
    free(monitor->path);
    free(monitor);
}

static void enter(struct root_monitor *monitor, enum root_state state, const char *path, const char *why)
{
    const enum root_state before = monitor->state;
    const uint64_t now = now_ms();
    if (state != ROOT_IS_FINE)
        snprintf(monitor->why, sizeof monitor->why, "%s", why);
    if (state == before)
        return;
    monitor->state = state;
    stats_set(STAT_SOURCE_AVAILABLE, state == ROOT_IS_FINE);
    if (before == ROOT_IS_FINE)
        monitor->since_ms = now;
    if (state == ROOT_IS_FINE)
        log_info("the root %s can be read again, after %.1f s", monitor->path, (double)(now - monitor->since_ms) / 1e3);
    else if (before == ROOT_IS_FINE && path[0] != '\0')
        log_warn("the root %s cannot be read: '%s': %s", monitor->path, path, why);
    else if (before == ROOT_IS_FINE)
        log_warn("the root %s cannot be read: %s", monitor->path, why);
    if (state == ROOT_IS_FINE)
        monitor->since_ms = 0;
    if (state == ROOT_IS_DOWN)
        monitor->changed(monitor->user, ROOT_DOWN);
    else if (state == ROOT_IS_FINE)
        monitor->changed(monitor->user, ROOT_BACK);
}

static void take(struct root_monitor *monitor)
{
    for (int i = 0; i < ROOT_MONITOR_FDS; i++)
        dup3(monitor->look.found_fd, monitor->fds[i], O_CLOEXEC);
    monitor->place = monitor->look.place;
    monitor->moved_ns = uv_hrtime();
    log_info("the root %s is another folder now", monitor->path);
    monitor->changed(monitor->user, ROOT_MOVED);
}

static bool hangs(const struct root_monitor *monitor)
{
    return source_longest_call_ms(monitor->moved_ns) >= monitor->timeout_ms;
}

/* A lack of descriptors says nothing. */
static void judge(struct root_monitor *monitor)
{
    const struct root_look *look = &monitor->look;
    const bool is_noted = monitor->note_count > monitor->looked_count; /* since the look began */
    if (hangs(monitor))
        enter(monitor, ROOT_IS_DOWN, "", HANGS);
    else if (look->refusal != NULL)
        enter(monitor, ROOT_IS_DOWN, "", look->refusal);
    else if (look->error != 0 && !err_is_shortage(look->error))
        enter(monitor, ROOT_IS_DOWN, "", strerror(look->error));
    else if (look->probe_error != 0)
        enter(monitor, ROOT_IS_FAILING, look->failed_path, strerror(look->probe_error));
    else if (look->error == 0 && !is_noted)
        enter(monitor, ROOT_IS_FINE, "", "");
}

static void on_looked(struct work *work, int status)
{
    struct root_monitor *monitor = work->data;
    monitor->is_working = false;
    if (!monitor->is_freed && status == 0) {
        if (monitor->look.found_fd >= 0)
            take(monitor);
        if (monitor->look.probe_error == 0 && monitor->note_count == monitor->looked_count)
            monitor->failed_path[0] = '\0';
        judge(monitor);
    }
    if (status == 0)
        fd_close(monitor->look.found_fd);
    release(monitor);
}

static void look(struct root_monitor *monitor)
{
    if (monitor->is_working)
        return;
    monitor->looked_ms = now_ms();
    monitor->looked_count = monitor->note_count;
    snprintf(monitor->look.failed_path, sizeof monitor->look.failed_path, "%s", monitor->failed_path);
    monitor->is_working = true;
    work_start(monitor->timer.loop, WORK_FILES, &monitor->work, on_work, on_looked);
}

static void on_timer(uv_timer_t *timer)
{
    struct root_monitor *monitor = timer->data;
    if (hangs(monitor))
        enter(monitor, ROOT_IS_DOWN, "", HANGS);
    if (monitor->state != ROOT_IS_FINE || now_ms() - monitor->looked_ms >= monitor->interval_ms)
        look(monitor);
}

void root_monitor_note(struct root_monitor *monitor, const char *path, int error)
{
    monitor->note_count++;
    snprintf(monitor->failed_path, sizeof monitor->failed_path, "%s", path);
    if (monitor->state == ROOT_IS_FINE)
        enter(monitor, ROOT_IS_FAILING, path, strerror(error));
    look(monitor);
}

bool root_monitor_is_down(const struct root_monitor *monitor) { return monitor->state == ROOT_IS_DOWN; }
uint64_t root_monitor_since_ms(const struct root_monitor *monitor) { return monitor->since_ms; }
const char *root_monitor_why(const struct root_monitor *monitor) { return monitor->why; }

struct root_monitor *root_monitor_new(uv_loop_t *loop, const struct config *config, const int fds[ROOT_MONITOR_FDS],
                                      void (*changed)(void *user, enum root_event event), void *user)
{
    struct root_monitor *monitor = mem_zalloc(1, sizeof *monitor);
    monitor->path = mem_strdup(config->root);
    monitor->interval_ms = config->limits.value[LIMIT_WATCH_TIME_MS];
    monitor->timeout_ms = config->limits.value[LIMIT_SOURCE_TIME_MS];
    monitor->follows = config->watch != WATCH_OFF;
    memcpy(monitor->fds, fds, sizeof monitor->fds);
    root_place_of(fds[0], &monitor->place);
    monitor->changed = changed;
    monitor->user = user;
    monitor->looked_ms = now_ms();
    stats_set(STAT_SOURCE_AVAILABLE, 1);
    monitor->timer.data = monitor->work.data = monitor;
    const uint64_t tick_ms = monitor->interval_ms < TICK_MS ? monitor->interval_ms : TICK_MS;
    uv_timer_init(loop, &monitor->timer);
    uv_timer_start(&monitor->timer, on_timer, tick_ms, tick_ms);
    uv_unref((uv_handle_t *)&monitor->timer);
    return monitor;
}

static void on_closed(uv_handle_t *handle)
{
    struct root_monitor *monitor = handle->data;
    monitor->is_closed = true;
    release(monitor);
}

void root_monitor_free(struct root_monitor *monitor)
{
    if (monitor == NULL)
        return;
    monitor->is_freed = true;
    uv_close((uv_handle_t *)&monitor->timer, on_closed);
}

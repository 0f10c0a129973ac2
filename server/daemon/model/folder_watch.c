/* folder_watch.c - the inotify descriptor: events, the folders they concern, and the lives of folders and sets. */
#include "daemon/model/folder_watch_parts.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { EVENTS_SIZE = 65536 };

/* --- lives; the mutex is held where it says `locked` --- */

void folder_watch_lock(struct folder_watch *watch) { pthread_mutex_lock(&watch->mutex); }
void folder_watch_unlock(struct folder_watch *watch) { pthread_mutex_unlock(&watch->mutex); }

void folder_watch_add_ref(struct folder_watch *watch)
{
    folder_watch_lock(watch);
    watch->refs++;
    folder_watch_unlock(watch);
}

void folder_watch_unref(struct folder_watch *watch)
{
    if (watch == NULL)
        return;
    folder_watch_lock(watch);
    const bool is_last = --watch->refs == 0;
    folder_watch_unlock(watch);
    if (!is_last)
        return;
    close(watch->fd);
    pthread_mutex_destroy(&watch->mutex);
    free(watch);
}

void folder_watch_kill(struct folder_watch *watch, struct watched_folder *folder)
{
    if (atomic_load(&folder->is_dead))
        return;
    HASH_DELETE(hh_path, watch->by_path, folder);
    HASH_DELETE(hh_wd, watch->by_wd, folder);
    atomic_fetch_add(&folder->changes, 1);
    atomic_store(&folder->is_dead, true);
}

/* Locked. */
static void drop_folder(struct folder_watch *watch, struct watched_folder *folder)
{
    if (--folder->refs > 0)
        return;
    if (!atomic_load(&folder->is_dead)) {
        folder_watch_kill(watch, folder);
        inotify_rm_watch(watch->fd, folder->wd);
    }
    free(folder->path);
    free(folder);
}

struct folder_watch_set *folder_watch_set_ref(struct folder_watch_set *set)
{
    folder_watch_lock(set->watch);
    set->refs++;
    folder_watch_unlock(set->watch);
    return set;
}

void folder_watch_set_unref(struct folder_watch_set *set)
{
    if (set == NULL)
        return;
    struct folder_watch *watch = set->watch;
    folder_watch_lock(watch);
    const bool is_last = --set->refs == 0;
    for (uint32_t i = 0; is_last && i < set->count; i++)
        drop_folder(watch, set->folders[i]);
    folder_watch_unlock(watch);
    if (!is_last)
        return;
    free(set);
    folder_watch_unref(watch);
}

uint64_t folder_watch_set_count(const struct folder_watch_set *set)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < set->count; i++)
        sum += atomic_load(&set->folders[i]->changes);
    return sum;
}

bool folder_watch_set_is_live(const struct folder_watch_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (atomic_load(&set->folders[i]->is_dead))
            return false;
    return true;
}

bool folder_watch_set_is_unchanged(const struct folder_watch_set *set, uint64_t count)
{
    for (uint32_t i = 0; i < set->count; i++) {
        if (atomic_load(&set->folders[i]->is_dead))
            return false;
        count -= atomic_load(&set->folders[i]->changes);
    }
    return count == 0;
}

uint32_t watch_count(const struct folder_watch *watch)
{
    struct folder_watch *w = (struct folder_watch *)(uintptr_t)watch;
    folder_watch_lock(w);
    const uint32_t count = HASH_CNT(hh_path, w->by_path);
    folder_watch_unlock(w);
    return count;
}

/* --- events: loop thread --- */

/* Locked. The folder went elsewhere, and with it those beneath. */
static void kill_tree(struct folder_watch *watch, struct watched_folder *top)
{
    const size_t size = strlen(top->path);
    for (struct watched_folder *folder = watch->by_path, *next; folder != NULL; folder = next) {
        next = folder->hh_path.next;
        if (folder == top || size == 0 || (strncmp(folder->path, top->path, size) == 0 && folder->path[size] == '/')) {
            inotify_rm_watch(watch->fd, folder->wd);
            folder_watch_kill(watch, folder);
        }
    }
}

/* Locked. */
static void count_all(struct folder_watch *watch)
{
    for (struct watched_folder *folder = watch->by_path; folder != NULL; folder = folder->hh_path.next)
        atomic_fetch_add(&folder->changes, 1);
}

/* Locked. */
static void handle(struct folder_watch *watch, const struct inotify_event *event)
{
    struct watched_folder *folder;
    if ((event->mask & IN_Q_OVERFLOW) != 0) {
        count_all(watch);
        return;
    }
    HASH_FIND(hh_wd, watch->by_wd, &event->wd, sizeof event->wd, folder);
    if (folder == NULL)
        return;
    if ((event->mask & (IN_MOVE_SELF | IN_DELETE_SELF | IN_UNMOUNT)) != 0)
        kill_tree(watch, folder);
    else if ((event->mask & IN_IGNORED) != 0)
        folder_watch_kill(watch, folder);
    else
        atomic_fetch_add(&folder->changes, 1);
}

void folder_watch_drain(struct folder_watch *watch)
{
    static _Alignas(struct inotify_event) char events[EVENTS_SIZE]; /* of the loop thread */
    bool is_any = false;
    atomic_fetch_add(&watch->drains, 1);
    for (ssize_t got; (got = read(watch->fd, events, sizeof events)) > 0 || (got < 0 && errno == EINTR);) {
        folder_watch_lock(watch);
        for (ssize_t at = 0; at < got;) {
            struct inotify_event event;
            memcpy(&event, events + at, sizeof event);
            handle(watch, &event);
            at += (ssize_t)(sizeof event + event.len);
        }
        folder_watch_unlock(watch);
        is_any = true;
    }
    atomic_fetch_add(&watch->drains, 1);
    if (is_any)
        watch->changed(watch->user);
}

/* In this order: what is not in the queue any more was read after `drains` became odd. */
bool folder_watch_is_quiet(struct folder_watch *watch)
{
    int queued_bytes = 0;
    if (ioctl(watch->fd, FIONREAD, &queued_bytes) != 0 || queued_bytes > 0) /* man 7 inotify */
        return false;
    return atomic_load(&watch->drains) % 2 == 0;
}

bool folder_watch_set_is_quiet(const struct folder_watch_set *set) { return folder_watch_is_quiet(set->watch); }

static void on_readable(uv_poll_t *poll, int status __attribute__((unused)), int events __attribute__((unused)))
{
    folder_watch_drain(poll->data);
}

void folder_watch_reset(struct folder_watch *watch)
{
    folder_watch_lock(watch);
    for (struct watched_folder *folder = watch->by_path, *next; folder != NULL; folder = next) {
        next = folder->hh_path.next;
        inotify_rm_watch(watch->fd, folder->wd);
        folder_watch_kill(watch, folder);
    }
    folder_watch_unlock(watch);
}

struct folder_watch *folder_watch_new(uv_loop_t *loop, void (*changed)(void *user), void *user)
{
    const int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (fd < 0)
        return NULL;
    struct folder_watch *watch = mem_zalloc(1, sizeof *watch);
    watch->changed = changed;
    watch->user = user;
    watch->fd = fd;
    watch->refs = 1;
    pthread_mutex_init(&watch->mutex, NULL);
    if (uv_poll_init(loop, &watch->poll, fd) != 0) {
        folder_watch_unref(watch);
        return NULL;
    }
    watch->refs++;
    watch->poll.data = watch;
    uv_poll_start(&watch->poll, UV_READABLE, on_readable);
    uv_unref((uv_handle_t *)&watch->poll);
    return watch;
}

static void on_closed(uv_handle_t *handle) { folder_watch_unref(handle->data); }

void folder_watch_close(struct folder_watch *watch)
{
    if (watch != NULL)
        uv_close((uv_handle_t *)&watch->poll, on_closed);
}

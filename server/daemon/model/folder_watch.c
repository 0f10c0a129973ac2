/* folder_watch.c - the inotify descriptor: its events, the watched folders, and sets of the folders of some files. */
#include "daemon/model/folder_watch.h"

#include "base/mem.h"
#include "daemon/model/root.h"
#include "daemon/model/source_access.h"
#include "daemon/support/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <uthash.h>

enum { EVENTS_SIZE = 65536, FOLDERS_MAX = 8192, SET_MAX = 512, PATH_SIZE = 4096 };
static const uint32_t EVENTS = IN_CREATE | IN_DELETE | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVED_FROM |
                               IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK;

struct watched_folder {
    char *path; /* under the root; "" is the root */
    int wd;
    uint32_t refs; /* sets */
    atomic_uint_fast64_t changes;
    atomic_bool is_dead; /* and in no table any more */
    UT_hash_handle hh_path, hh_wd;
};

struct folder_watch {
    uv_poll_t poll;
    void (*changed)(void *user);
    void *user;
    int fd;
    atomic_uint_fast32_t drains; /* began and ended: odd while events are read and counted */
    atomic_uint_fast32_t refs;   /* owner, open handle, sets */
    pthread_mutex_t mutex;
    struct watched_folder *by_path, *by_wd;
};

struct folder_watch_set {
    struct folder_watch *watch;
    atomic_uint_fast32_t refs;
    uint32_t count, capacity; /* capacity: of a set under construction */
    struct watched_folder *folders[];
};

/* --- lives; the mutex is held where it says `locked` --- */

void folder_watch_unref(struct folder_watch *watch)
{
    if (watch == NULL || atomic_fetch_sub(&watch->refs, 1) > 1)
        return;
    close(watch->fd);
    pthread_mutex_destroy(&watch->mutex);
    free(watch);
}

/* Locked. No event will come from it any more. */
static void kill_folder(struct folder_watch *watch, struct watched_folder *folder)
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
        kill_folder(watch, folder);
        inotify_rm_watch(watch->fd, folder->wd);
    }
    free(folder->path);
    free(folder);
}

struct folder_watch_set *folder_watch_set_ref(struct folder_watch_set *set)
{
    atomic_fetch_add(&set->refs, 1);
    return set;
}

void folder_watch_set_unref(struct folder_watch_set *set)
{
    if (set == NULL || atomic_fetch_sub(&set->refs, 1) > 1)
        return;
    struct folder_watch *watch = set->watch;
    pthread_mutex_lock(&watch->mutex);
    for (uint32_t i = 0; i < set->count; i++)
        drop_folder(watch, set->folders[i]);
    pthread_mutex_unlock(&watch->mutex);
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

uint32_t folder_watch_count(struct folder_watch *watch)
{
    pthread_mutex_lock(&watch->mutex);
    const uint32_t count = HASH_CNT(hh_path, watch->by_path);
    pthread_mutex_unlock(&watch->mutex);
    return count;
}

/* --- the folders that decide about some files; work threads --- */

/* True for file systems that another machine or a FUSE server changes without this kernel's knowledge. overlayfs is not
 * one of them: the layers of a mounted overlay must not be changed (kernel, filesystems/overlayfs.rst). */
static bool has_events(int fd)
{
    static const unsigned long WITHOUT[] = {
        0x6969 /* NFS */,        0xff534d42 /* CIFS */,     0xfe534d42 /* SMB2 */,  0x517b /* SMB */,
        0x65735546 /* FUSE */,   0x01021997 /* 9P */,       0x00c36400 /* Ceph */,  0x0bd00bd0 /* Lustre */,
        0x5346414f /* AFS */,    0x6b414653 /* kAFS */,     0x73757245 /* Coda */,  0x786f4256 /* VirtualBox */,
        0xbacbacbc /* VMware */, 0x013661de /* OrangeFS */, 0x7461636f /* OCFS2 */, 0x01161970 /* GFS2 */,
    };
    struct statfs stat;
    source_enter();
    const int rc = fstatfs(fd, &stat);
    source_leave(rc != 0 ? errno : 0, "");
    if (rc != 0)
        return false;
    for (size_t i = 0; i < sizeof WITHOUT / sizeof *WITHOUT; i++)
        if (((unsigned long)stat.f_type & 0xffffffff) == WITHOUT[i])
            return false;
    return true;
}

enum taken { TAKEN, ABSENT, FAILED };

/* Locked. A watch on an inode that was known under another path has the same number: that path is gone. */
static struct watched_folder *enter(struct folder_watch *watch, const char *path, int wd)
{
    struct watched_folder *folder;
    HASH_FIND(hh_wd, watch->by_wd, &wd, sizeof wd, folder);
    if (folder != NULL)
        kill_folder(watch, folder);
    HASH_FIND(hh_path, watch->by_path, path, strlen(path), folder);
    if (folder != NULL)
        kill_folder(watch, folder);
    folder = mem_zalloc(1, sizeof *folder);
    folder->path = mem_strdup(path);
    folder->wd = wd;
    HASH_ADD_KEYPTR(hh_path, watch->by_path, folder->path, strlen(path), folder);
    HASH_ADD(hh_wd, watch->by_wd, wd, sizeof folder->wd, folder);
    return folder;
}

/* One folder, watched already or from now on, with a reference for the set. */
static enum taken take_folder(struct folder_watch *watch, int root_fd, const char *path, struct watched_folder **out)
{
    struct watched_folder *folder;
    pthread_mutex_lock(&watch->mutex);
    HASH_FIND(hh_path, watch->by_path, path, strlen(path), folder);
    if (folder != NULL)
        folder->refs++;
    const bool is_full = HASH_CNT(hh_path, watch->by_path) >= FOLDERS_MAX;
    pthread_mutex_unlock(&watch->mutex);
    *out = folder;
    if (folder != NULL)
        return TAKEN;
    const int fd = root_open_beneath(root_fd, path[0] != '\0' ? path : ".", O_PATH | O_DIRECTORY);
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == EXDEV ? ABSENT : FAILED;
    char name[32];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    const bool is_watchable = !is_full && has_events(fd); /* waits for the file system: without the lock */
    pthread_mutex_lock(&watch->mutex);
    errno = 0;
    const int wd = !is_watchable ? -1 : inotify_add_watch(watch->fd, name, EVENTS);
    if (wd >= 0) {
        *out = enter(watch, path, wd);
        (*out)->refs++;
    }
    pthread_mutex_unlock(&watch->mutex); /* keeps errno, too */
    fd_close(fd);
    return wd >= 0 ? TAKEN : FAILED;
}

static bool set_has(const struct folder_watch_set *set, const char *path)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (strcmp(set->folders[i]->path, path) == 0)
            return true;
    return false;
}

/* The folders on the way to `path`. False: one cannot be watched. */
static bool take_way(struct folder_watch_set *set, int root_fd, const char *path)
{
    char folder[PATH_SIZE];
    const char *slash = NULL;
    do {
        const size_t size = slash != NULL ? (size_t)(slash - path) : 0;
        if (size >= sizeof folder)
            return false;
        memcpy(folder, path, size);
        folder[size] = '\0';
        slash = strchr(slash != NULL ? slash + 1 : path, '/');
        if (set_has(set, folder))
            continue;
        if (set->count == SET_MAX)
            return false;
        const enum taken taken = take_folder(set->watch, root_fd, folder, &set->folders[set->count]);
        if (taken == FAILED)
            return false;
        if (taken == ABSENT)
            return true;
        set->count++;
    } while (slash != NULL);
    return true;
}

struct folder_watch_set *folder_watch_take(struct folder_watch *watch, int root_fd, const char *path,
                                           const struct sources *sources)
{
    struct folder_watch_set *set = mem_zalloc(1, sizeof *set + SET_MAX * sizeof *set->folders);
    atomic_fetch_add(&watch->refs, 1);
    set->watch = watch;
    set->refs = 1;
    bool is_taken = take_way(set, root_fd, path);
    for (uint32_t i = 0; is_taken && sources != NULL && i < sources->count; i++) {
        const struct source *source = &sources->items[i];
        is_taken = take_way(set, root_fd, source->path);
        if (is_taken && source_is_folder(source) && set->count < SET_MAX) {
            char inside[PATH_SIZE + 2]; /* its own names count */
            snprintf(inside, sizeof inside, "%s/.", source->path);
            is_taken = strcmp(source->path, ".") == 0 || take_way(set, root_fd, inside);
        }
    }
    if (is_taken)
        return mem_realloc(set, sizeof *set + set->count * sizeof *set->folders);
    const int error = errno;
    folder_watch_set_unref(set);
    errno = error;
    return NULL;
}

/* Folders of models have room beside those of such sets. */
struct folder_watch_set *folder_watch_begin(struct folder_watch *watch, uint32_t folders_max)
{
    const uint32_t most = folders_max < FOLDERS_MAX / 2 ? folders_max : FOLDERS_MAX / 2;
    struct folder_watch_set *set = mem_zalloc(1, sizeof *set + most * sizeof *set->folders);
    atomic_fetch_add(&watch->refs, 1);
    set->watch = watch;
    set->refs = 1;
    set->capacity = most;
    return set;
}

bool folder_watch_add(struct folder_watch_set *set, int root_fd, const char *path, uint64_t *count)
{
    struct watched_folder *folder = NULL;
    if (set->count == set->capacity)
        return false;
    const enum taken taken = take_folder(set->watch, root_fd, path, &folder);
    if (taken == TAKEN) {
        *count += atomic_load(&folder->changes);
        set->folders[set->count++] = folder;
    }
    return taken != FAILED;
}

/* --- events: loop thread --- */

/* Locked. The folder and those beneath are elsewhere, or gone. */
static void kill_tree(struct folder_watch *watch, const char *top)
{
    const size_t size = strlen(top);
    for (struct watched_folder *folder = watch->by_path, *next; folder != NULL; folder = next) {
        next = folder->hh_path.next;
        if (size == 0 ||
            (strncmp(folder->path, top, size) == 0 && (folder->path[size] == '/' || folder->path[size] == '\0'))) {
            inotify_rm_watch(watch->fd, folder->wd);
            kill_folder(watch, folder);
        }
    }
}

/* Locked. */
static void handle(struct folder_watch *watch, const struct inotify_event *event)
{
    struct watched_folder *folder;
    if ((event->mask & IN_Q_OVERFLOW) != 0) {
        for (folder = watch->by_path; folder != NULL; folder = folder->hh_path.next)
            atomic_fetch_add(&folder->changes, 1);
        return;
    }
    HASH_FIND(hh_wd, watch->by_wd, &event->wd, sizeof event->wd, folder);
    if (folder == NULL)
        return;
    if ((event->mask & (IN_MOVE_SELF | IN_DELETE_SELF | IN_UNMOUNT)) != 0)
        kill_tree(watch, folder->path);
    else if ((event->mask & IN_IGNORED) != 0)
        kill_folder(watch, folder);
    else
        atomic_fetch_add(&folder->changes, 1);
}

void folder_watch_drain(struct folder_watch *watch)
{
    static _Alignas(struct inotify_event) char events[EVENTS_SIZE]; /* of the loop thread */
    bool is_any = false;
    atomic_fetch_add(&watch->drains, 1);
    for (ssize_t got; (got = read(watch->fd, events, sizeof events)) > 0 || (got < 0 && errno == EINTR);) {
        pthread_mutex_lock(&watch->mutex);
        for (ssize_t at = 0; at < got;) {
            struct inotify_event event;
            memcpy(&event, events + at, sizeof event);
            handle(watch, &event);
            at += (ssize_t)(sizeof event + event.len);
        }
        pthread_mutex_unlock(&watch->mutex);
        is_any = true;
    }
    atomic_fetch_add(&watch->drains, 1);
    if (is_any)
        watch->changed(watch->user);
}

/* The order matters: events that left the queue were read after `drains` became odd. */
bool folder_watch_set_is_quiet(const struct folder_watch_set *set)
{
    int queued_bytes = 0;
    if (ioctl(set->watch->fd, FIONREAD, &queued_bytes) != 0 || queued_bytes > 0) /* man 7 inotify */
        return false;
    return atomic_load(&set->watch->drains) % 2 == 0;
}

static void on_readable(uv_poll_t *poll, int status __attribute__((unused)), int events __attribute__((unused)))
{
    folder_watch_drain(poll->data);
}

void folder_watch_reset(struct folder_watch *watch)
{
    pthread_mutex_lock(&watch->mutex);
    kill_tree(watch, "");
    pthread_mutex_unlock(&watch->mutex);
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

/* folder_watch_take.c - which folders decide about some files, and watching them. Work threads. */
#include "daemon/model/folder_watch_parts.h"

#include "base/mem.h"
#include "daemon/support/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { FOLDERS_MAX = 8192, SET_MAX = 512, PATH_SIZE = 4096 };
static const uint32_t EVENTS = IN_CREATE | IN_DELETE | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVED_FROM |
                               IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK;

/* File systems that others change, on another machine or behind FUSE, without this kernel's knowledge. overlayfs is
 * none of them: what lies below a mounted overlay may not be changed (kernel, filesystems/overlayfs.rst). */
static bool has_events(int fd)
{
    static const unsigned long WITHOUT[] = {
        0x6969 /* NFS */,        0xff534d42 /* CIFS */,     0xfe534d42 /* SMB2 */,  0x517b /* SMB */,
        0x65735546 /* FUSE */,   0x01021997 /* 9P */,       0x00c36400 /* Ceph */,  0x0bd00bd0 /* Lustre */,
        0x5346414f /* AFS */,    0x6b414653 /* kAFS */,     0x73757245 /* Coda */,  0x786f4256 /* VirtualBox */,
        0xbacbacbc /* VMware */, 0x013661de /* OrangeFS */, 0x7461636f /* OCFS2 */, 0x01161970 /* GFS2 */,
    };
    struct statfs stat;
    if (fstatfs(fd, &stat) != 0)
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
        folder_watch_kill(watch, folder);
    HASH_FIND(hh_path, watch->by_path, path, strlen(path), folder);
    if (folder != NULL)
        folder_watch_kill(watch, folder);
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
    folder_watch_lock(watch);
    HASH_FIND(hh_path, watch->by_path, path, strlen(path), folder);
    if (folder != NULL)
        folder->refs++;
    const bool is_full = HASH_CNT(hh_path, watch->by_path) >= FOLDERS_MAX;
    folder_watch_unlock(watch);
    *out = folder;
    if (folder != NULL)
        return TAKEN;
    const int fd = root_open_beneath(root_fd, path[0] != '\0' ? path : ".", O_PATH | O_DIRECTORY);
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == EXDEV ? ABSENT : FAILED;
    char name[32];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    folder_watch_lock(watch);
    errno = 0;
    const int wd = is_full || !has_events(fd) ? -1 : inotify_add_watch(watch->fd, name, EVENTS);
    if (wd >= 0) {
        *out = enter(watch, path, wd);
        (*out)->refs++;
    }
    folder_watch_unlock(watch); /* keeps errno, too */
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
    folder_watch_add_ref(watch);
    set->watch = watch;
    set->refs = 1;
    bool is_taken = take_way(set, root_fd, path);
    for (uint32_t i = 0; is_taken && sources != NULL && i < sources->count; i++) {
        const struct source *source = &sources->items[i];
        is_taken = take_way(set, root_fd, source->path);
        if (is_taken && source->role == SOURCE_FOLDER && set->count < SET_MAX) {
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

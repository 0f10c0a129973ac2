#include "daemon/model/root_look.h"

#include "daemon/model/root.h"
#include "daemon/model/source_access.h"
#include "daemon/support/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

int root_place_of(int fd, struct root_place *out)
{
    struct statx stat;
    char link[32];
    *out = (struct root_place){0};
    source_enter();
    const int rc = statx(fd, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &stat);
    source_leave(rc != 0 ? errno : 0, "");
    if (rc != 0)
        return errno;
    out->device = makedev(stat.stx_dev_major, stat.stx_dev_minor);
    out->inode = stat.stx_ino;
    out->is_mount = (stat.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t bytes = readlink(link, out->path, sizeof out->path - 1);
    out->path[bytes > 0 ? bytes : 0] = '\0';
    return 0;
}

static bool is_empty(int fd)
{
    DIR *dir = fd_open_names(root_open_folder(fd, ""));
    bool has_names = false;
    if (dir == NULL)
        return false;
    for (struct dirent *entry; !has_names && (entry = source_readdir(dir, "")) != NULL;)
        has_names = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return !has_names;
}

const char *root_place_refusal(const struct root_place *then, const struct root_place *now, int fd)
{
    const bool is_same_path = then->path[0] != '\0' && strcmp(then->path, now->path) == 0;
    if (is_same_path && then->is_mount && !now->is_mount && then->device != now->device)
        return "its mount is gone";
    return is_empty(fd) ? "another folder without anything in it is in its place" : NULL;
}

int root_probe(int folder_fd, const char *path)
{
    struct stat stat;
    char byte;
    source_forget_error();
    if (path[0] == '\0' || root_lstat(folder_fd, path, &stat) != 0)
        return source_error();
    const bool is_folder = S_ISDIR(stat.st_mode);
    if (!is_folder && !S_ISREG(stat.st_mode))
        return 0;
    const int fd = is_folder ? root_open_folder(folder_fd, path)
                             : root_open_beneath(folder_fd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (is_folder) {
        DIR *dir = fd_open_names(fd);
        if (dir != NULL)
            source_readdir(dir, path);
        if (dir != NULL)
            closedir(dir);
    } else if (fd >= 0) {
        source_enter();
        const ssize_t n = pread(fd, &byte, 1, 0);
        source_leave(n < 0 ? errno : 0, path);
        close(fd);
    }
    return source_error();
}

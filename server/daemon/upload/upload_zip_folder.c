#include "daemon/upload/upload_zip_folder.h"

#include "daemon/model/file_access.h"
#include "daemon/model/root.h"
#include "daemon/upload/upload_store_parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

int upload_lock(const struct upload_store *store, struct err *err)
{
    const int fd = openat(store->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = -1;
    while (fd >= 0 && (rc = flock(fd, LOCK_EX)) != 0 && errno == EINTR)
        ;
    if (rc == 0)
        return fd;
    upload_storage_error("the folder of uploads cannot be locked", err);
    if (fd >= 0)
        close(fd);
    return err->code;
}

bool upload_is_zip(int folder_fd, const char *path)
{
    char mark[PATH_MAX];
    struct stat stat;
    return (size_t)snprintf(mark, sizeof mark, "%s/" FILE_ACCESS_MARK, path) < sizeof mark &&
           root_lstat(folder_fd, mark, &stat) == 0 && S_ISREG(stat.st_mode);
}

int upload_check_way(const struct upload_store *store, const char *path, struct err *err)
{
    char above[PATH_MAX];
    for (const char *slash = path; (slash = strchr(slash, '/')) != NULL; slash++) {
        snprintf(above, sizeof above, "%.*s", (int)(slash - path), path);
        if (upload_is_zip(store->fd, above)) {
            errno = ENOTEMPTY;
            return err_set(
                err, ERR_CONFLICT,
                "'%.200s' lies in '%.200s', which came as a zip; send the zip anew, or delete the folder first", path,
                above);
        }
    }
    return 0;
}

/* True when the folder holds the mark of a zip and nothing else. */
static bool has_only_mark(int folder_fd, const char *name)
{
    const int fd = openat(folder_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    int marks = 0, others = 0;
    if (dir == NULL) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            strcmp(entry->d_name, FILE_ACCESS_MARK) == 0 ? marks++ : others++;
    closedir(dir);
    return marks == 1 && others == 0;
}

int upload_remove_if_empty(int folder_fd, const char *name)
{
    char mark[PATH_MAX + sizeof FILE_ACCESS_MARK + 1];
    if (unlinkat(folder_fd, name, AT_REMOVEDIR) == 0)
        return 0;
    if (!has_only_mark(folder_fd, name))
        return -1;
    snprintf(mark, sizeof mark, "%s/" FILE_ACCESS_MARK, name);
    return unlinkat(folder_fd, mark, 0) == 0 ? unlinkat(folder_fd, name, AT_REMOVEDIR) : -1;
}

/* upload_remove.c - deletes uploads, removes the remains of killed processes, and recognizes folders that came as
 * zips. */
#include "daemon/support/log.h"

#include "daemon/upload/remove_tree.h"
#include "daemon/model/root.h"
#include "daemon/upload/upload_store_internal.h"
#include "daemon/support/fd.h"
#include "daemon/model/file_access.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

int upload_storage_error(const char *what, struct err *err)
{
    const int error = errno;
    if (err_is_shortage(error))
        err_set(err, ERR_OVERLOADED, "%.300s: no file descriptor or memory is free; try again later", what);
    else if (err_is_source(error) && error != EIO) /* which a disk has, too */
        err_set(err, ERR_SOURCE_UNAVAILABLE, "%.300s: %s; try again later", what, strerror(error));
    else if (error == ENOSPC || error == EDQUOT)
        err_set(err, ERR_STORAGE, "%.300s: the disk is full", what);
    else if (error == ENAMETOOLONG)
        err_set(err, ERR_BAD_PATH, "'%.300s' has a longer name than the disk's file system takes", what);
    else
        err_set(err, ERR_STORAGE, "%.300s: %s", what, strerror(error));
    errno = error;
    return err->code;
}

int upload_stage_name(char name[UPLOAD_STAGE_SIZE], struct err *err)
{
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return upload_storage_error("no random name", err);
    snprintf(name, UPLOAD_STAGE_SIZE, UPLOAD_STAGE_PREFIX "%016" PRIx64, number);
    return 0;
}

int upload_open_folder(int folder_fd) { return openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); }

/* --- folders that came as zips --- */

int upload_lock(const struct upload_store *store, struct err *err)
{
    const int fd = upload_open_folder(store->fd);
    int rc = -1;
    while (fd >= 0 && (rc = flock(fd, LOCK_EX)) != 0 && errno == EINTR)
        ;
    if (rc == 0)
        return fd;
    upload_storage_error("the folder of uploads cannot be locked", err);
    fd_close(fd);
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

/* True if the folder contains only the mark of a zip. */
static bool has_only_mark(int folder_fd, const char *name)
{
    DIR *dir = fd_open_names(openat(folder_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    int marks = 0, others = 0;
    if (dir == NULL)
        return false;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            strcmp(entry->d_name, FILE_ACCESS_MARK) == 0 ? marks++ : others++;
    closedir(dir);
    return marks == 1 && others == 0;
}

/* Removes the folder `name` if it is empty, or contains only the mark of a zip. Call with the lock. Returns 0 if it was
 * removed, else -1. */
static int remove_if_empty(int folder_fd, const char *name)
{
    char mark[PATH_MAX + sizeof FILE_ACCESS_MARK + 1];
    if (unlinkat(folder_fd, name, AT_REMOVEDIR) == 0)
        return 0;
    if (!has_only_mark(folder_fd, name))
        return -1;
    snprintf(mark, sizeof mark, "%s/" FILE_ACCESS_MARK, name);
    return unlinkat(folder_fd, mark, 0) == 0 ? unlinkat(folder_fd, name, AT_REMOVEDIR) : -1;
}

/* --- remains of killed processes --- */

static bool is_stage(const char *name)
{
    return strncmp(name, UPLOAD_STAGE_PREFIX, sizeof UPLOAD_STAGE_PREFIX - 1) == 0;
}

/* Another process's upload is locked as long as it lives. */
static bool remove_leftover(int store_fd, const char *name)
{
    enum { FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
    struct err err;
    int stage = openat(store_fd, name, FLAGS);
    if (stage < 0 && errno == EACCES && remove_tree_open_up(store_fd, name) == 0)
        stage = openat(store_fd, name, FLAGS);
    if (stage < 0) {
        if (errno != ENOTDIR && errno != ELOOP && errno != ENOENT) /* a file that is not a folder is not ours */
            log_warn("%s, which a killed server left in the folder of uploads: %s", name, strerror(errno));
        return false;
    }
    if (flock(stage, LOCK_EX | LOCK_NB) != 0) {
        close(stage);
        return false;
    }
    if (remove_tree(store_fd, name, stage, &err) == 0)
        return true;
    log_warn("%s, which a killed server left in the folder of uploads: %s", name, err.message);
    return false;
}

void upload_store_sweep(const struct upload_store *store)
{
    DIR *dir = fd_open_names(upload_open_folder(store->fd));
    if (dir == NULL) {
        log_warn("what killed servers left in the folder of uploads cannot be looked for: %s", strerror(errno));
        return;
    }
    for (bool is_any = true; is_any;) { /* some file systems skip entries while others are removed */
        is_any = false;
        for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
            is_any |= is_stage(entry->d_name) && remove_leftover(dirfd(dir), entry->d_name);
        rewinddir(dir);
    }
    closedir(dir);
}

/* --- away --- */

void upload_store_remove_empty(const struct upload_store *store, const char *path)
{
    char folder[PATH_MAX];
    struct err err;
    const int lock = upload_lock(store, &err);
    int rc = lock < 0 ? -1 : 0;
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash; rc == 0 && (slash = strrchr(folder, '/')) != NULL;) {
        *slash = '\0';
        char *inner = strrchr(folder, '/');
        char above[PATH_MAX];
        snprintf(above, sizeof above, "%.*s", inner == NULL ? 1 : (int)(inner - folder), inner == NULL ? "." : folder);
        const int fd = root_open_beneath(store->fd, above, O_PATH | O_DIRECTORY);
        rc = fd < 0 ? -1 : remove_if_empty(fd, inner == NULL ? folder : inner + 1);
        fd_close(fd);
    }
    fd_close(lock);
}

/* Renames the folder to the name of a stage, which hides it atomically; the next start removes it if nothing else does.
 * Returns 0, or an error with its errno. */
static int set_aside(const struct upload_store *store, int parent_fd, const char *name, char aside[UPLOAD_STAGE_SIZE],
                     const char *path, struct err *err)
{
    const int store_fd = upload_open_folder(store->fd);
    if (store_fd < 0)
        return upload_storage_error(path, err);
    int rc = upload_stage_name(aside, err);
    if (rc == 0 && renameat2(parent_fd, name, store_fd, aside, RENAME_NOREPLACE) != 0 &&
        (errno != EACCES || remove_tree_open_up(parent_fd, name) != 0 ||
         renameat2(parent_fd, name, store_fd, aside, RENAME_NOREPLACE) != 0))
        rc = upload_storage_error(path, err);
    if (rc == 0 && (fsync(parent_fd) != 0 || fsync(store_fd) != 0)) {
        rc = upload_storage_error(path, err);
        renameat2(store_fd, aside, parent_fd, name, RENAME_NOREPLACE);
    }
    fd_close(store_fd);
    return rc;
}

/* Removes a file. `*is_folder` is set, and nothing removed, when there is a folder. The removal itself tells: another
 * program can make the folder between a look and the removal. Returns 0, or an error with its errno. */
static int delete_file(int parent_fd, const char *name, const char *path, bool *is_folder, struct err *err)
{
    *is_folder = false;
    if (unlinkat(parent_fd, name, 0) == 0)
        return fsync(parent_fd) == 0 ? 0 : upload_storage_error(path, err);
    const int error = errno;
    struct stat stat;
    /* EPERM: by POSIX for folders, and for files in a folder that allows no removals */
    *is_folder = error == EISDIR ||
                 (error == EPERM && fstatat(parent_fd, name, &stat, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(stat.st_mode));
    errno = error;
    return *is_folder ? 0 : upload_storage_error(path, err);
}

/* Locked while it takes the entry away, so that no upload changes its kind in between. */
static int delete_entry(const struct upload_store *store, int parent_fd, const char *name, const char *path,
                        struct err *err)
{
    struct err own;
    char aside[UPLOAD_STAGE_SIZE] = "";
    bool is_folder;
    const int lock = upload_lock(store, err);
    if (lock < 0)
        return lock;
    int rc = delete_file(parent_fd, name, path, &is_folder, err);
    if (is_folder)
        rc = set_aside(store, parent_fd, name, aside, path, err);
    const int error = errno;
    fd_close(lock);
    if (rc < 0 && error == ENOENT)
        return err_set(err, ERR_MODEL_NOT_FOUND, "there is no upload '%.200s'", path);
    if (rc < 0 || !is_folder || remove_tree(store->fd, aside, -1, &own) == 0)
        return rc;
    return err_set(
        err, ERR_STORAGE,
        "'%.100s' is gone from the listing, but not all of it from the disk: %.240s; the next start tries again", path,
        own.message);
}

int upload_store_delete(const struct upload_store *store, const char *path, struct err *err)
{
    char above[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (upload_store_check_place(store, err) < 0)
        return err->code;
    snprintf(above, sizeof above, "%.*s", slash == NULL ? 1 : (int)(slash - path), slash == NULL ? "." : path);
    const int parent = root_open_beneath(store->fd, above, O_RDONLY | O_DIRECTORY);
    if (parent < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == EXDEV))
        return err_set(err, ERR_MODEL_NOT_FOUND, "there is no upload '%.200s'", path);
    if (parent < 0)
        return upload_storage_error(path, err);
    const int rc = delete_entry(store, parent, basename(path), path, err);
    close(parent);
    if (rc == 0)
        upload_store_remove_empty(store, path);
    return rc;
}

#include "upload_store.h"

#include "root.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define STAGE_PREFIX ".posed-upload-"
enum { DEPTH_MAX = 64, FILE_MODE = 0644, FOLDER_MODE = 0755, STAGE_MODE = 0755 };

static int storage_error(const char *what, struct err *err)
{
    const int error = errno;
    if (err_is_shortage(error))
        return err_set(err, ERR_OVERLOADED, "%s: no file descriptor or memory is free; try again later", what);
    if (error == ENOSPC || error == EDQUOT)
        return err_set(err, ERR_STORAGE, "%s: the disk is full", what);
    return err_set(err, ERR_STORAGE, "%s: %s", what, strerror(error));
}

/* --- taking away --- */

/* Removes what is `name` in the folder, whatever it is. Never follows a link. `depth` bounds what a hostile tree could
 * do to the stack. */
static void remove_tree(int folder_fd, const char *name, int depth)
{
    if (unlinkat(folder_fd, name, 0) == 0 || (errno != EISDIR && errno != EPERM) || depth == 0)
        return;
    const int fd = openat(folder_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (dir == NULL) {
        if (fd >= 0)
            close(fd);
        return;
    }
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove_tree(fd, entry->d_name, depth - 1);
    closedir(dir);
    unlinkat(folder_fd, name, AT_REMOVEDIR);
}

/* Another process's upload is locked as long as it lives. */
static void sweep(const struct upload_store *store)
{
    const int fd = openat(store->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (dir == NULL) {
        if (fd >= 0)
            close(fd);
        return;
    }
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (strncmp(entry->d_name, STAGE_PREFIX, sizeof STAGE_PREFIX - 1) != 0)
            continue;
        const int stage = openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (stage >= 0 && flock(stage, LOCK_EX | LOCK_NB) == 0)
            remove_tree(fd, entry->d_name, DEPTH_MAX);
        if (stage >= 0)
            close(stage);
    }
    closedir(dir);
}

/* --- the folder --- */

static int bad_folder(const char *folder, const char *why, struct err *err)
{
    return err_set(err, ERR_BAD_PARAMETER, "--uploads %s: %s", folder, why);
}

/* Writes the path under the root. */
static int find_place(struct upload_store *store, const char *folder, const char *root, struct err *err)
{
    char real_root[PATH_MAX], real_folder[PATH_MAX];
    if (realpath(root, real_root) == NULL || realpath(folder, real_folder) == NULL)
        return bad_folder(folder, strerror(errno), err);
    const size_t root_bytes = strcmp(real_root, "/") == 0 ? 0 : strlen(real_root);
    const char *rest = real_folder + root_bytes;
    if (strncmp(real_folder, real_root, root_bytes) != 0 || (*rest != '/' && *rest != '\0'))
        return bad_folder(folder, "is not the root or a folder beneath it", err);
    if (*rest == '/')
        rest++;
    const size_t bytes = strlen(rest);
    if (bytes + 2 > sizeof store->folder)
        return bad_folder(folder, "its path is too long", err);
    memcpy(store->folder, rest, bytes);
    memcpy(store->folder + bytes, bytes == 0 ? "" : "/", bytes == 0 ? 1 : 2);
    for (const char *part = store->folder; part != NULL;
         part = strchr(part, '/') == NULL ? NULL : strchr(part, '/') + 1)
        if (*part == '.')
            return bad_folder(folder, "lies in a hidden folder, where no model is listed", err);
    return 0;
}

int upload_store_open(struct upload_store *store, const char *folder, const char *root, struct err *err)
{
    *store = (struct upload_store){.fd = -1};
    if (mkdir(folder, FOLDER_MODE) != 0 && errno != EEXIST)
        return bad_folder(folder, strerror(errno), err);
    if (find_place(store, folder, root, err) < 0)
        return err->code;
    store->fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (store->fd < 0 || faccessat(store->fd, ".", W_OK | X_OK, 0) != 0) {
        bad_folder(folder, strerror(errno), err);
        upload_store_close(store);
        return err->code;
    }
    sweep(store);
    return 0;
}

void upload_store_close(struct upload_store *store)
{
    if (store->fd >= 0)
        close(store->fd);
    store->fd = -1;
}

/* --- staging --- */

/* Until the stage is locked, a process that starts may take it for what a dead one left, and remove it. */
static bool lock_it(const struct upload_stage *stage)
{
    struct stat stat;
    return flock(stage->fd, LOCK_EX | LOCK_NB) == 0 && fstat(stage->fd, &stat) == 0 && stat.st_nlink > 0;
}

static int try_stage(const struct upload_store *store, struct upload_stage *stage, struct err *err)
{
    uint64_t number = 0;
    *stage = (struct upload_stage){.fd = -1};
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return storage_error("no random name", err);
    snprintf(stage->name, sizeof stage->name, STAGE_PREFIX "%016" PRIx64, number);
    if (mkdirat(store->fd, stage->name, STAGE_MODE) != 0) {
        stage->name[0] = '\0';
        return storage_error("the upload cannot be stored", err);
    }
    stage->fd = openat(store->fd, stage->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (stage->fd >= 0 && lock_it(stage))
        return 0;
    storage_error("the upload cannot be stored", err);
    upload_stage_remove(store, stage);
    return err->code;
}

int upload_stage_begin(const struct upload_store *store, struct upload_stage *stage, struct err *err)
{
    enum { TRIES = 3 };
    int rc = ERR_STORAGE;
    for (int i = 0; i < TRIES && rc < 0; i++)
        rc = try_stage(store, stage, err);
    return rc;
}

void upload_stage_remove(const struct upload_store *store, struct upload_stage *stage)
{
    if (stage->name[0] != '\0')
        remove_tree(store->fd, stage->name, DEPTH_MAX);
    if (stage->fd >= 0)
        close(stage->fd);
    *stage = (struct upload_stage){.fd = -1};
}

/* Opens the folder of `path`'s last part beneath `top_fd`, creating what is missing on the way; *last is that part. */
static int open_parent(int top_fd, const char *path, const char **last, struct err *err)
{
    char part[PATH_MAX];
    const char *slash = strrchr(path, '/');
    *last = slash == NULL ? path : slash + 1;
    for (const char *at = path; (at = strchr(at, '/')) != NULL; at++) {
        const size_t bytes = (size_t)(at - path);
        if (bytes >= sizeof part)
            return err_set(err, ERR_BAD_PATH, "the path '%.80s...' is too long", path);
        memcpy(part, path, bytes);
        part[bytes] = '\0';
        const char *name = strrchr(part, '/') == NULL ? part : strrchr(part, '/') + 1;
        char above[PATH_MAX];
        snprintf(above, sizeof above, "%.*s", (int)(name - part), part);
        const int fd = root_open_beneath(top_fd, above[0] == '\0' ? "." : above, O_PATH | O_DIRECTORY);
        const int rc = fd < 0 ? -1 : mkdirat(fd, name, FOLDER_MODE);
        const int error = errno;
        if (fd >= 0)
            close(fd);
        errno = error;
        if (rc != 0 && error != EEXIST)
            break; /* the open below says why */
    }
    snprintf(part, sizeof part, "%.*s", slash == NULL ? 1 : (int)(slash - path), slash == NULL ? "." : path);
    const int fd = root_open_beneath(top_fd, part, O_RDONLY | O_DIRECTORY);
    if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
        return err_set(err, ERR_CONFLICT, "'%.200s' is not a folder", part);
    return fd < 0 ? storage_error(part, err) : fd;
}

int upload_stage_create(const struct upload_stage *stage, const char *path, struct err *err)
{
    const char *name;
    const int parent = open_parent(stage->fd, path, &name, err);
    if (parent < 0)
        return parent;
    const int fd = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
    if (fd < 0)
        errno == EEXIST ? err_set(err, ERR_CONFLICT, "'%.200s' is there twice", path) : storage_error(path, err);
    close(parent);
    return fd < 0 ? err->code : fd;
}

int upload_write(int fd, const char *bytes, size_t size_bytes, struct err *err)
{
    while (size_bytes > 0) {
        const ssize_t written = write(fd, bytes, size_bytes);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return storage_error("the upload cannot be stored", err);
        bytes += written;
        size_bytes -= (size_t)written;
    }
    return 0;
}

int upload_sync(int fd, struct err *err)
{
    return fsync(fd) == 0 ? 0 : storage_error("the upload cannot be stored", err);
}

int upload_sync_all(const struct upload_stage *stage, struct err *err)
{
    return syncfs(stage->fd) == 0 ? 0 : storage_error("the upload cannot be stored", err);
}

/* --- into place, and away --- */

static int check_kinds(int stage_fd, const char *item, int parent_fd, const char *name, const char *path,
                       struct err *err)
{
    struct stat own, there;
    if (fstatat(stage_fd, item, &own, AT_SYMLINK_NOFOLLOW) != 0 ||
        fstatat(parent_fd, name, &there, AT_SYMLINK_NOFOLLOW) != 0)
        return storage_error(path, err);
    if (S_ISDIR(own.st_mode) == S_ISDIR(there.st_mode))
        return 0;
    return err_set(err, ERR_CONFLICT, "'%.200s' is a %s already; delete it first", path,
                   S_ISDIR(there.st_mode) ? "folder" : "file");
}

/* The folders above, from the innermost, until one holds something. */
static void remove_empty_parents(const struct upload_store *store, const char *path)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash; (slash = strrchr(folder, '/')) != NULL;) {
        *slash = '\0';
        char *inner = strrchr(folder, '/');
        char above[PATH_MAX];
        snprintf(above, sizeof above, "%.*s", inner == NULL ? 1 : (int)(inner - folder), inner == NULL ? "." : folder);
        const int fd = root_open_beneath(store->fd, above, O_PATH | O_DIRECTORY);
        const int rc = fd < 0 ? -1 : unlinkat(fd, inner == NULL ? folder : inner + 1, AT_REMOVEDIR);
        if (fd >= 0)
            close(fd);
        if (rc != 0)
            return;
    }
}

int upload_store_publish(const struct upload_store *store, const struct upload_stage *stage, const char *item,
                         const char *path, bool *is_new, struct err *err)
{
    const char *name;
    const int parent = open_parent(store->fd, path, &name, err);
    if (parent < 0)
        return parent;
    int rc = 0;
    *is_new = renameat2(stage->fd, item, parent, name, RENAME_NOREPLACE) == 0;
    if (!*is_new && errno == EEXIST) {
        rc = check_kinds(stage->fd, item, parent, name, path, err);
        if (rc == 0 && renameat2(stage->fd, item, parent, name, RENAME_EXCHANGE) != 0)
            rc = storage_error(path, err);
    } else if (!*is_new) {
        rc = storage_error(path, err);
    }
    if (rc == 0 && fsync(parent) != 0)
        rc = storage_error(path, err);
    close(parent);
    if (rc < 0)
        remove_empty_parents(store, path);
    return rc;
}

int upload_store_delete(const struct upload_store *store, const char *path, struct err *err)
{
    char above[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    snprintf(above, sizeof above, "%.*s", slash == NULL ? 1 : (int)(slash - path), slash == NULL ? "." : path);
    const int parent = root_open_beneath(store->fd, above, O_PATH | O_DIRECTORY);
    struct stat stat;
    if (parent < 0 || fstatat(parent, name, &stat, AT_SYMLINK_NOFOLLOW) != 0) {
        if (parent >= 0)
            close(parent);
        return err_set(err, ERR_MODEL_NOT_FOUND, "there is no upload '%.200s'", path);
    }
    struct upload_stage stage;
    int rc = upload_stage_begin(store, &stage, err);
    if (rc == 0 && renameat2(parent, name, stage.fd, "deleted", RENAME_NOREPLACE) != 0)
        rc = storage_error(path, err);
    close(parent);
    upload_stage_remove(store, &stage);
    if (rc == 0)
        remove_empty_parents(store, path);
    return rc;
}

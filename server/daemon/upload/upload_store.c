/* upload_store.c - the upload folder: finds it, stages uploads, moves them into place. */
#include "daemon/upload/upload_store.h"

#include "base/limits.h"
#include "daemon/upload/remove_tree.h"
#include "daemon/model/root.h"
#include "daemon/upload/upload_store_internal.h"
#include "daemon/support/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MODE = 0644, FOLDER_MODE = 0755, STAGE_MODE = 0755, RACE_TRIES = 16 };

/* --- the folder --- */

static int bad_folder(const char *folder, const char *why, struct err *err)
{
    return err_set(err, ERR_BAD_PARAMETER, "--uploads %s: %s", folder, why);
}

int upload_store_check(const struct upload_store *store, const char *path, const char *inner, struct err *err)
{
    const uint64_t most = LIMIT_INFO[LIMIT_FOLDERS].initial;
    const bool is_inner = inner != NULL && inner[0] != '\0';
    const char *name = is_inner ? inner : path, *what = is_inner ? "entry" : "the path";
    const size_t inner_bytes = inner == NULL ? 0 : 1 + strlen(inner);
    const uint64_t folders = (uint64_t)root_folders_of(store->folder) + root_folders_of(path) +
                             (inner == NULL ? 0 : 1 + root_folders_of(inner));
    if (strlen(store->folder) + strlen(path) + inner_bytes + UPLOAD_STAGE_SIZE + NAME_MAX >= PATH_MAX)
        return err_set(err, ERR_BAD_PATH, "%s '%.80s...' is too long", what, name);
    if (folders > most)
        return err_set(err, ERR_BAD_PATH,
                       "%s '%.200s' would lie in %llu folders of the root, where listings end at %llu", what, name,
                       (unsigned long long)folders, (unsigned long long)most);
    for (const char *part = name; part != NULL; part = strchr(part, '/') == NULL ? NULL : strchr(part, '/') + 1) {
        if (part[0] == '.')
            return err_set(err, ERR_BAD_PATH, "%s '%.200s' has a hidden part, which no listing shows", what, name);
        if (strcspn(part, "/") > NAME_MAX)
            return err_set(err, ERR_BAD_PATH, "%s '%.80s...' has a part of more than %d bytes", what, name, NAME_MAX);
    }
    return 0;
}

int upload_store_open(struct upload_store *store, const char *folder, const char *root, const char *place,
                      struct err *err)
{
    *store = (struct upload_store){.fd = -1, .root = root};
    snprintf(store->folder, sizeof store->folder, "%s", place);
    store->fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (store->fd < 0 || faccessat(store->fd, ".", W_OK | X_OK, 0) != 0) {
        bad_folder(folder, strerror(errno), err);
        upload_store_close(store);
        return err->code;
    }
    upload_store_sweep(store);
    return 0;
}

int upload_store_check_place(const struct upload_store *store, struct err *err)
{
    struct stat own, there;
    char path[UPLOAD_FOLDER_SIZE + 1];
    snprintf(path, sizeof path, "%s.", store->folder);
    const int root_fd = open(store->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    const int rc = root_fd < 0 ? -1 : root_lstat(root_fd, path, &there);
    fd_close(root_fd);
    if (rc == 0 && fstat(store->fd, &own) == 0 && own.st_dev == there.st_dev && own.st_ino == there.st_ino)
        return 0;
    if (rc != 0 && err_is_shortage(errno))
        return upload_storage_error("the folder of uploads cannot be looked at", err);
    return err_set(err, ERR_UNAVAILABLE,
                   "the folder of uploads is not '%s' of the root any more: it or the root was moved or replaced; "
                   "start the server anew",
                   store->folder[0] == '\0' ? "." : store->folder);
}

void upload_store_close(struct upload_store *store)
{
    fd_close(store->fd);
    store->fd = -1;
}

/* --- staging --- */

/* Until the stage is locked, a starting process may mistake it for the remains of a dead one, and remove it. */
static bool lock_it(const struct upload_stage *stage)
{
    struct stat stat;
    return flock(stage->fd, LOCK_EX | LOCK_NB) == 0 && fstat(stage->fd, &stat) == 0 && stat.st_nlink > 0;
}

static int try_stage(const struct upload_store *store, struct upload_stage *stage, struct err *err)
{
    char name[UPLOAD_STAGE_SIZE];
    if (upload_stage_name(name, err) < 0)
        return err->code;
    if (mkdirat(store->fd, name, STAGE_MODE) != 0)
        return upload_storage_error("the upload cannot be stored", err);
    memcpy(stage->name, name, sizeof name);
    stage->fd = openat(store->fd, stage->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (stage->fd >= 0 && lock_it(stage))
        return 0;
    upload_storage_error("the upload cannot be stored", err);
    upload_stage_remove(store, stage, NULL);
    return err->code;
}

int upload_stage_begin(const struct upload_store *store, struct upload_stage *stage, struct err *err)
{
    enum { TRIES = 3 };
    struct err last;
    *stage = (struct upload_stage){.fd = -1};
    if (upload_store_check_place(store, err) < 0)
        return err->code;
    int rc = ERR_STORAGE;
    for (int i = 0; i < TRIES && rc < 0; i++)
        rc = try_stage(store, stage, &last);
    if (rc < 0)
        *err = last;
    return rc;
}

int upload_stage_remove(const struct upload_store *store, struct upload_stage *stage, struct err *err)
{
    const int rc = stage->name[0] == '\0' ? 0 : remove_tree(store->fd, stage->name, stage->fd, err);
    *stage = (struct upload_stage){.fd = -1};
    return rc;
}

/* Opens the folder `name` in the folder `fd`, which is closed, and makes it where it is missing. A descriptor, or an
 * error with its errno. */
static int step_into(int fd, const char *name, bool is_lasting, struct err *err)
{
    int rc = 0, inner = root_open_beneath(fd, name, O_PATH | O_DIRECTORY);
    if (inner < 0 && errno == ENOENT && (mkdirat(fd, name, FOLDER_MODE) == 0 || errno == EEXIST)) {
        const int own = is_lasting ? upload_open_folder(fd) : -1;
        if (is_lasting && (own < 0 || fsync(own) != 0))
            rc = upload_storage_error(name, err);
        fd_close(own);
        if (rc == 0)
            inner = root_open_beneath(fd, name, O_PATH | O_DIRECTORY);
    }
    if (rc == 0 && inner < 0 && (errno == ENOTDIR || errno == ELOOP))
        rc = err_set(err, ERR_CONFLICT, "'%.200s' is not a folder", name);
    else if (rc == 0 && inner < 0)
        rc = upload_storage_error(name, err);
    fd_close(fd);
    return rc < 0 ? rc : inner;
}

/* Opens the folder of `path`'s last part beneath `top_fd` (O_PATH), and creates missing folders; *last is that part.
 * Returns a descriptor, or an error with its errno. */
static int open_parent(int top_fd, const char *path, bool is_lasting, const char **last, struct err *err)
{
    int fd = root_open_beneath(top_fd, ".", O_PATH | O_DIRECTORY);
    if (fd < 0)
        return upload_storage_error(path, err);
    for (const char *slash; fd >= 0 && (slash = strchr(path, '/')) != NULL; path = slash + 1) {
        char part[NAME_MAX + 1];
        if ((size_t)(slash - path) >= sizeof part) {
            close(fd);
            errno = ENAMETOOLONG;
            return upload_storage_error(path, err);
        }
        memcpy(part, path, (size_t)(slash - path));
        part[slash - path] = '\0';
        fd = step_into(fd, part, is_lasting, err);
    }
    *last = path;
    return fd;
}

int upload_stage_create(const struct upload_stage *stage, const char *path, struct err *err)
{
    const char *name;
    const int parent = open_parent(stage->fd, path, false, &name, err);
    if (parent < 0)
        return parent;
    const int fd = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
    if (fd < 0)
        errno == EEXIST ? err_set(err, ERR_CONFLICT, "'%.200s' is there twice", path) : upload_storage_error(path, err);
    close(parent);
    return fd < 0 ? err->code : fd;
}

int upload_write(int fd, const char *bytes, size_t size_bytes, struct err *err)
{
    return fd_write(fd, bytes, size_bytes) == 0 ? 0 : upload_storage_error("the upload cannot be stored", err);
}

int upload_sync(int fd, struct err *err)
{
    return fsync(fd) == 0 ? 0 : upload_storage_error("the upload cannot be stored", err);
}

int upload_sync_all(const struct upload_stage *stage, struct err *err)
{
    return syncfs(stage->fd) == 0 ? 0 : upload_storage_error("the upload cannot be stored", err);
}

/* --- into place --- */

static int check_kinds(int stage_fd, const char *item, int parent_fd, const char *name, const char *path,
                       struct err *err)
{
    struct stat own, there;
    if (fstatat(stage_fd, item, &own, AT_SYMLINK_NOFOLLOW) != 0 ||
        fstatat(parent_fd, name, &there, AT_SYMLINK_NOFOLLOW) != 0)
        return upload_storage_error(path, err);
    if (S_ISDIR(own.st_mode) && S_ISDIR(there.st_mode) && !upload_is_zip(parent_fd, name)) {
        errno = ENOTEMPTY;
        return err_set(err, ERR_CONFLICT, "'%.200s' is a folder that did not come as a zip; delete it first", path);
    }
    if (S_ISDIR(own.st_mode) == S_ISDIR(there.st_mode))
        return 0;
    return err_set(err, ERR_CONFLICT, "'%.200s' is a %s already; delete it first", path,
                   S_ISDIR(there.st_mode) ? "folder" : "file");
}

/* Returns 0, or an error with its errno. */
static int put_in_place(const struct upload_stage *stage, const char *item, int parent_fd, const char *name,
                        const char *path, bool *is_new, struct err *err)
{
    int rc = 0;
    *is_new = renameat2(stage->fd, item, parent_fd, name, RENAME_NOREPLACE) == 0;
    if (!*is_new && errno == EEXIST) {
        rc = check_kinds(stage->fd, item, parent_fd, name, path, err);
        if (rc == 0 && renameat2(stage->fd, item, parent_fd, name, RENAME_EXCHANGE) != 0)
            rc = upload_storage_error(path, err);
    } else if (!*is_new) {
        rc = upload_storage_error(path, err);
    }
    if (rc == 0 && fsync(parent_fd) != 0) {
        rc = upload_storage_error(path, err);
        renameat2(parent_fd, name, stage->fd, item, *is_new ? RENAME_NOREPLACE : RENAME_EXCHANGE);
    }
    return rc;
}

/* Locked. Returns 0, or an error with its errno. */
static int try_publish(const struct upload_store *store, const struct upload_stage *stage, const char *item,
                       const char *path, bool *is_new, struct err *err)
{
    const char *name;
    if (upload_check_way(store, path, err) < 0)
        return err->code;
    const int way = open_parent(store->fd, path, true, &name, err);
    if (way < 0)
        return way;
    const int parent = upload_open_folder(way);
    const int rc =
        parent < 0 ? upload_storage_error(path, err) : put_in_place(stage, item, parent, name, path, is_new, err);
    fd_close(way);
    fd_close(parent);
    return rc;
}

int upload_store_publish(const struct upload_store *store, const struct upload_stage *stage, const char *item,
                         const char *path, bool *is_new, struct err *err)
{
    struct err last;
    const int lock = upload_lock(store, err);
    if (lock < 0)
        return lock;
    if (upload_store_check_place(store, err) < 0) {
        close(lock);
        return err->code;
    }
    int rc = ERR_STORAGE;
    /* ENOENT: a folder of the path, or the previous object, has disappeared */
    for (int i = 0; i < RACE_TRIES && rc < 0; i++) {
        rc = try_publish(store, stage, item, path, is_new, &last);
        if (rc != ERR_STORAGE || errno != ENOENT)
            break;
    }
    close(lock);
    if (rc < 0) {
        *err = last;
        upload_store_remove_empty(store, path);
    }
    return rc;
}

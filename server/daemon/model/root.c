/* root.c - openat2() beneath the model root, stamps of files, and the replies to importers. */
#include "daemon/model/root.h"

#include "base/buf.h"
#include "base/file_formats.h"
#include "daemon/model/source_access.h"
#include "daemon/support/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, OPEN_TRIES = 8 };

/* Clamps times to 64 bits, because a file's owner may set any. */
static int64_t time_ns(const struct timespec *time)
{
    enum { NS_PER_S = 1000000000 };
    if (time->tv_sec >= INT64_MAX / NS_PER_S)
        return INT64_MAX;
    if (time->tv_sec <= INT64_MIN / NS_PER_S)
        return INT64_MIN;
    return (int64_t)time->tv_sec * NS_PER_S + time->tv_nsec;
}

struct stamp stamp_of(const struct stat *stat)
{
    return (struct stamp){
        .size_bytes = (uint64_t)stat->st_size,
        .mtime_ns = time_ns(&stat->st_mtim),
        .ctime_ns = time_ns(&stat->st_ctim),
        .inode = stat->st_ino,
    };
}

bool stamp_equal(const struct stamp *a, const struct stamp *b)
{
    return a->size_bytes == b->size_bytes && a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns &&
           a->inode == b->inode;
}

int64_t stamp_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return time_ns(&now);
}

uint32_t root_folders_of(const char *path)
{
    uint32_t folders = 0;
    for (; *path != '\0'; path++)
        folders += *path == '/';
    return folders;
}

int root_open(const char *path, struct err *err)
{
    const int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, ERR_BAD_PARAMETER, "cannot open the model root '%s': %s", path, strerror(errno));
    return fd;
}

int root_check(int root_fd, const char *path)
{
    struct stat now, stat;
    source_enter();
    const int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    const int error = fd < 0 || fstat(fd, &now) != 0 || fstat(root_fd, &stat) != 0 ? errno
                      : now.st_dev != stat.st_dev || now.st_ino != stat.st_ino     ? ESTALE
                                                                                   : 0;
    source_leave(error, "");
    fd_close(fd);
    return error;
}

int root_open_beneath(int root_fd, const char *path, uint64_t flags)
{
    const struct open_how how = {
        .flags = O_CLOEXEC | O_NOFOLLOW | flags,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    /* EAGAIN: something was renamed meanwhile and the kernel cannot vouch for the path (openat2(2)). */
    for (int i = 0; i < OPEN_TRIES; i++) {
        source_enter();
        const long fd = syscall(SYS_openat2, root_fd, path, &how, sizeof how);
        source_leave(fd < 0 ? errno : 0, path);
        if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
            return (int)fd;
    }
    return -1;
}

int root_unavailable(const char *path, const char *why, struct err *err)
{
    return err_set(err, ERR_SOURCE_UNAVAILABLE, "'%s': the folder of the models cannot be read: %s; try again later",
                   path, why);
}

static int open_error(const char *path, int error, struct err *err)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
        return file_format_of_environment(path) != NULL
                   ? err_set(err, ERR_MODEL_NOT_FOUND, "there is no environment '%s' under the root", path)
                   : err_set(err, ERR_MODEL_NOT_FOUND, "there is no model '%s' under the root; /v1/models lists them",
                             path);
    case ELOOP:
        return err_set(err, ERR_MODEL_NOT_FOUND,
                       "'%s' is or lies behind a symbolic link; links are not followed: name what it leads to", path);
    case EXDEV:
        return err_set(err, ERR_MODEL_NOT_FOUND, "'%s' lies outside the root", path);
    case EACCES:
    case EPERM:
        return err_set(err, ERR_FORBIDDEN, "'%s': the server's user (uid %u) may not read it", path,
                       (unsigned)geteuid());
    case EMFILE:
    case ENFILE:
    case ENOMEM:
        return err_set(err, ERR_OVERLOADED, "'%s': no file descriptor or memory is free to look at it; try again later",
                       path);
    case ENOSYS:
        return err_set(err, ERR_INTERNAL, "this kernel has no openat2(), which reading '%s' safely needs", path);
    default:
        if (err_is_source(error))
            return root_unavailable(path, strerror(error), err);
        return err_set(err, ERR_INTERNAL, "cannot open '%s': %s", path, strerror(error));
    }
}

int root_lstat(int root_fd, const char *path, struct stat *out)
{
    const int fd = root_open_beneath(root_fd, path, O_PATH);
    if (fd < 0)
        return -1;
    source_enter();
    const int rc = fstat(fd, out);
    source_leave(rc != 0 ? errno : 0, path);
    fd_close(fd); /* keeps errno */
    return rc;
}

int root_stat_model(int root_fd, const char *path, struct stamp *out, struct err *err)
{
    struct stat stat;
    if (root_lstat(root_fd, path, &stat) != 0)
        return open_error(path, errno, err);
    if (S_ISLNK(stat.st_mode))
        return open_error(path, ELOOP, err);
    if (S_ISDIR(stat.st_mode))
        return err_set(err, ERR_MODEL_NOT_FOUND, "'%s' is a folder, not a model", path);
    if (!S_ISREG(stat.st_mode))
        return err_set(err, ERR_MODEL_NOT_FOUND, "'%s' is not a regular file", path);
    *out = stamp_of(&stat);
    return 0;
}

int root_check_readable(int root_fd, const char *path, struct err *err)
{
    const int fd = root_open_beneath(root_fd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return open_error(path, errno, err);
    close(fd);
    return 0;
}

int root_open_folder(int root_fd, const char *path)
{
    return root_open_beneath(root_fd, path[0] != '\0' ? path : ".", O_RDONLY | O_DIRECTORY);
}

/* --- requests of importers: one file, or the names of a folder --- */

static int refuse(struct import_file_reply *reply, int error)
{
    reply->error = error != 0 ? error : EIO;
    return -1;
}

/* Reads the stamp without opening the file, so that an unreadable file has one too. Returns 0 or an errno. */
static int look(int root_fd, const char *path, struct import_file_reply *reply)
{
    struct stat stat;
    if (root_lstat(root_fd, path, &stat) != 0)
        return errno;
    reply->stamp = stamp_of(&stat);
    return S_ISREG(stat.st_mode) ? 0 : S_ISLNK(stat.st_mode) ? ELOOP : ENXIO;
}

static int open_file(int root_fd, const char *path, struct import_file_reply *reply)
{
    int error = look(root_fd, path, reply);
    if (error != 0)
        return refuse(reply, error);
    struct stat stat;
    const int fd = root_open_beneath(root_fd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return refuse(reply, errno);
    /* it may have been exchanged since */
    source_enter();
    error = fstat(fd, &stat) != 0 ? errno : !S_ISREG(stat.st_mode) ? ENXIO : 0;
    source_leave(error, path);
    if (error != 0) {
        close(fd);
        return refuse(reply, error);
    }
    reply->stamp = stamp_of(&stat);
    return fd;
}

static bool ends_with(const char *name, const char *suffix)
{
    const size_t name_size = strlen(name), suffix_size = strlen(suffix);
    return name_size >= suffix_size && strcasecmp(name + name_size - suffix_size, suffix) == 0;
}

static void put_names(DIR *dir, const char *path, const char *suffix, struct buf *out)
{
    for (struct dirent *entry; (entry = source_readdir(dir, path)) != NULL;)
        if (entry->d_name[0] != '.' && ends_with(entry->d_name, suffix))
            buf_put(out, entry->d_name, strlen(entry->d_name) + 1);
}

static int list_folder(int root_fd, const char *path, const char *suffix, struct import_file_reply *reply)
{
    struct stat stat;
    DIR *dir = fd_open_names(root_open_folder(root_fd, path));
    if (dir == NULL || fstat(dirfd(dir), &stat) != 0) {
        const int error = errno;
        if (dir != NULL)
            closedir(dir);
        return refuse(reply, error);
    }
    struct buf names;
    buf_init(&names, IMPORT_NAMES_BYTES_MAX);
    reply->stamp = stamp_of(&stat); /* before the names are read, so that a change in between shows */
    put_names(dir, path, suffix, &names);
    closedir(dir);
    const bool is_whole = !buf_failed(&names);
    const int fd = is_whole ? fd_memory("posed-names", names.data, names.size_bytes) : -1;
    const int error = is_whole ? errno : EFBIG;
    reply->names_bytes = fd >= 0 ? names.size_bytes : 0;
    buf_fini(&names);
    return fd >= 0 ? fd : refuse(reply, error);
}

int root_serve(int root_fd, const struct import_file_request *request, struct import_file_reply *reply)
{
    *reply = (struct import_file_reply){.magic = IMPORT_FILES_MAGIC};
    return request->kind == IMPORT_FILE_LIST ? list_folder(root_fd, request->path, request->suffix, reply)
                                             : open_file(root_fd, request->path, reply);
}

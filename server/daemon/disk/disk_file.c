/* disk_file.c - private folders, and files that are written to a locked temporary name and then renamed. */
#include "daemon/disk/disk_file.h"
#include "daemon/support/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, NAME_TRIES = 1000 /* one that tidies may remove the file before it is locked */ };
static const char TEMPORARY[] = ".tmp-";

static int make_folders(const char *path)
{
    char part[PATH_SIZE];
    const size_t length = strlen(path);
    if (length == 0 || length >= sizeof part) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(part, path, length + 1);
    for (char *slash = part + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        if (mkdir(part, 0700) != 0 && errno != EEXIST && errno != EROFS && errno != EACCES)
            return -1;
        *slash = '/';
    }
    return mkdir(part, 0700) != 0 && errno != EEXIST ? -1 : 0;
}

/* Of root, who could write anything of ours as well: to read from, not to write to. */
static bool is_of_root(const struct stat *stat) { return stat->st_uid == 0 && (stat->st_mode & 022) == 0; }
static bool is_ours(const struct stat *stat) { return stat->st_uid == geteuid() && (stat->st_mode & 022) == 0; }

/* Opens a folder that exists. Leaves errno at ENOENT if there is none. */
static int open_existing(const char *path, bool *is_read_only, struct err *err)
{
    struct stat stat;
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &stat) != 0) {
        err_set(err, ERR_UNAVAILABLE, "cannot open the folder '%s': %s", path, strerror(errno));
        fd_close(fd); /* keeps errno */
        return err->code;
    }
    *is_read_only = !is_ours(&stat);
    if (!*is_read_only || is_of_root(&stat))
        return fd;
    close(fd);
    errno = EPERM;
    if (stat.st_uid != geteuid() && stat.st_uid != 0)
        return err_set(err, ERR_UNAVAILABLE, "the folder '%s' belongs to user %u, not to %u", path,
                       (unsigned)stat.st_uid, (unsigned)geteuid());
    return err_set(err, ERR_UNAVAILABLE, "others may write into the folder '%s' (mode %03o); chmod 700 it", path,
                   (unsigned)stat.st_mode & 0777u);
}

int disk_folder_open_shared(const char *path, bool *is_read_only, struct err *err)
{
    if (make_folders(path) != 0)
        return err_set(err, ERR_UNAVAILABLE, "cannot make the folder '%s': %s", path, strerror(errno));
    return open_existing(path, is_read_only, err);
}

int disk_folder_check(const char *path, struct err *err)
{
    bool is_read_only;
    const int fd = open_existing(path, &is_read_only, err);
    if (fd < 0)
        return errno == ENOENT ? 0 : fd;
    close(fd);
    return 0;
}

int disk_folder_open(const char *path, struct err *err)
{
    bool is_read_only;
    const int fd = disk_folder_open_shared(path, &is_read_only, err);
    if (fd < 0 || !is_read_only)
        return fd;
    close(fd);
    return err_set(err, ERR_UNAVAILABLE, "the folder '%s' belongs to root, and nobody else may write it", path);
}

int disk_file_open(int folder_fd, const char *name, uint64_t *size_bytes, struct err *err)
{
    struct stat stat;
    const int fd = openat(folder_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return err_set(err, ERR_NOT_FOUND, "there is no '%s'", name);
    if (fd < 0) {
        const bool is_moment = errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == EINTR;
        return err_set(err, is_moment ? ERR_INTERNAL : ERR_BAD_BAKE, "cannot open '%s': %s", name, strerror(errno));
    }
    if (fstat(fd, &stat) != 0 || !S_ISREG(stat.st_mode) || !(is_ours(&stat) || is_of_root(&stat))) {
        close(fd);
        return err_set(err, ERR_BAD_BAKE, "'%s' is not a file that we or root alone may write", name);
    }
    *size_bytes = (uint64_t)stat.st_size;
    return fd;
}

void disk_writer_abandon(struct disk_writer *writer)
{
    if (writer->fd < 0)
        return;
    unlinkat(writer->folder_fd, writer->temporary, 0);
    close(writer->fd);
    writer->fd = -1;
}

/* Until it is locked, a tidying process may take the file for a dead writer's and remove it, then or a moment later.
 * Where locks do not work that stays so, and may cost us this one file. */
static bool lock_it(const struct disk_writer *writer)
{
    struct stat stat;
    const bool is_taken = flock(writer->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    return !is_taken && fstat(writer->fd, &stat) == 0 && stat.st_nlink > 0;
}

int disk_writer_open(struct disk_writer *writer, int folder_fd, struct err *err)
{
    *writer = (struct disk_writer){.folder_fd = folder_fd, .fd = -1};
    errno = EEXIST;
    for (int i = 0; writer->fd < 0 && i < NAME_TRIES; i++) {
        uint64_t random = 0;
        if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
            break;
        snprintf(writer->temporary, sizeof writer->temporary, "%s%d-%016llx", TEMPORARY, (int)getpid(),
                 (unsigned long long)random);
        writer->fd = openat(folder_fd, writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (writer->fd < 0 && errno != EEXIST)
            break;
        if (writer->fd >= 0 && !lock_it(writer)) {
            disk_writer_abandon(writer);
            errno = EEXIST;
        }
    }
    return writer->fd >= 0 ? 0 : err_set(err, ERR_UNAVAILABLE, "cannot make a file: %s", strerror(errno));
}

int disk_writer_finish(struct disk_writer *writer, const char *name, struct err *err)
{
    int rc = 0;
    if (fsync(writer->fd) != 0)
        rc = err_set(err, ERR_UNAVAILABLE, "cannot bring a file to the disk: %s", strerror(errno));
    else if (renameat(writer->folder_fd, writer->temporary, writer->folder_fd, name) != 0)
        rc = err_set(err, ERR_UNAVAILABLE, "cannot rename a file: %s", strerror(errno));
    if (rc < 0) {
        disk_writer_abandon(writer);
        return rc;
    }
    close(writer->fd);
    writer->fd = -1;
    return 0;
}

static bool is_temporary(const char *name)
{
    unsigned long long random;
    int process, end = 0;
    return sscanf(name, ".tmp-%d-%16llx%n", &process, &random, &end) == 2 && name[end] == '\0';
}

bool disk_temporary_remove(int folder_fd, const char *name)
{
    struct stat stat;
    const int fd =
        is_temporary(name) ? openat(folder_fd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
    if (fd < 0)
        return false;
    const bool is_left =
        fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) && stat.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0;
    const bool is_removed = is_left && unlinkat(folder_fd, name, 0) == 0;
    close(fd);
    return is_removed;
}

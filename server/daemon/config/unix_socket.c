/* unix_socket.c - creates the listening socket under a lock of its folder, and removes the socket of a dead server. */
#include "daemon/config/unix_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MODE_MAX = 0777, LOCK_TRIES = 200, LOCK_PAUSE_US = 10000 };

bool unix_socket_mode(const char *text, unsigned *mode)
{
    char *end = NULL;
    if (text[0] < '0' || text[0] > '7')
        return false;
    const unsigned long value = strtoul(text, &end, 8);
    *mode = (unsigned)value;
    return *end == '\0' && value <= MODE_MAX;
}

int unix_socket_address(const char *path, struct sockaddr_un *out, struct err *err)
{
    const size_t size = strlen(path);
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)path[i] < ' ')
            return err_set(err, ERR_BAD_PARAMETER, "the path of the socket has a control character");
    if (size == 0 || size >= sizeof out->sun_path)
        return err_set(err, ERR_BAD_PARAMETER, "the path of a Unix socket has 1 to %zu bytes; '%.40s...' has %zu",
                       sizeof out->sun_path - 1, path, size);
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(out->sun_path, path, size);
    return 0;
}

static int fail(const char *path, const char *what, int number, struct err *err)
{
    return err_set(err, ERR_BAD_PARAMETER, "cannot listen on %s: %s%s%s", path, what, *what == '\0' ? "" : ": ",
                   strerror(number));
}

/* Locks the folder and returns its descriptor. Two servers that start at the same time must not mistake each other's
 * socket for a dead one, so they take turns. A lock of the folder leaves nothing behind. */
static int lock_folder(const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/');
    char folder[sizeof((struct sockaddr_un *)0)->sun_path + 1];
    snprintf(folder, sizeof folder, "%.*s", slash == NULL ? 1 : (int)(slash - path) + 1, slash == NULL ? "." : path);
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return fail(path, folder, errno, err);
    /* any user who can read the folder can hold its lock, in /tmp everybody, so continue without it after a while */
    for (int tries = 0; flock(fd, LOCK_EX | LOCK_NB) != 0 && tries < LOCK_TRIES; tries++)
        usleep(LOCK_PAUSE_US);
    return fd;
}

/* Makes sure that the path is free; removes a socket at which no server listens. */
static int clear_path(const char *path, const struct sockaddr_un *address, struct err *err)
{
    struct stat info;
    if (lstat(path, &info) != 0)
        return errno == ENOENT ? 0 : fail(path, "", errno, err);
    if (!S_ISSOCK(info.st_mode))
        return err_set(err, ERR_BAD_PARAMETER, "cannot listen on %s: there is something else, which is no socket",
                       path);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return fail(path, "", errno, err);
    const int rc = connect(fd, (const struct sockaddr *)address, sizeof *address);
    const int number = errno;
    close(fd);
    if (rc == 0 || number == EAGAIN) /* EAGAIN: the queue of a listening server is full */
        return err_set(err, ERR_BAD_PARAMETER, "cannot listen on %s: another server does", path);
    if (number != ECONNREFUSED)
        return fail(path, "", number, err);
    return unlink(path) == 0 || errno == ENOENT ? 0 : fail(path, "", errno, err);
}

static int make(const struct sockaddr_un *address, unsigned mode, int backlog, struct unix_socket *out, struct err *err)
{
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return fail(out->path, "", errno, err);
    /* the permissions hold from the start */
    const mode_t before = umask((mode_t)(MODE_MAX & ~mode));
    const int rc = bind(fd, (const struct sockaddr *)address, sizeof *address);
    const int number = errno;
    umask(before);
    struct stat info;
    if (rc == 0 && listen(fd, backlog) == 0 && lstat(out->path, &info) == 0) {
        out->fd = fd;
        out->device = info.st_dev;
        out->inode = info.st_ino;
        return 0;
    }
    fail(out->path, "", rc != 0 ? number : errno, err);
    close(fd);
    return err->code;
}

int unix_socket_listen(const char *path, unsigned mode, int backlog, struct unix_socket *out, struct err *err)
{
    struct sockaddr_un address;
    *out = (struct unix_socket){.path = path, .fd = -1};
    if (unix_socket_address(path, &address, err) < 0)
        return err->code;
    const int folder = lock_folder(path, err);
    if (folder < 0)
        return folder;
    int rc = clear_path(path, &address, err);
    if (rc == 0)
        rc = make(&address, mode, backlog, out, err);
    close(folder);
    return rc;
}

void unix_socket_remove(const struct unix_socket *socket)
{
    struct stat info;
    if (socket->inode != 0 && lstat(socket->path, &info) == 0 && info.st_dev == socket->device &&
        info.st_ino == socket->inode)
        unlink(socket->path);
}

#include "daemon/support/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WRITE_MAX = 1 << 20 };

void fd_close(int fd)
{
    const int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
}

int fd_write(int fd, const void *bytes, size_t size_bytes)
{
    for (const char *at = bytes; size_bytes > 0;) {
        const ssize_t n = write(fd, at, size_bytes < WRITE_MAX ? size_bytes : WRITE_MAX);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = EIO;
        if (n <= 0)
            return -1;
        at += n;
        size_bytes -= (size_t)n;
    }
    return 0;
}

int fd_memory(const char *name, const void *bytes, size_t size_bytes)
{
    const int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -1;
    if (fd_write(fd, bytes, size_bytes) != 0 || lseek(fd, 0, SEEK_SET) != 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
        fd_close(fd);
        return -1;
    }
    return fd;
}

DIR *fd_open_names(int fd)
{
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (dir == NULL)
        fd_close(fd);
    return dir;
}

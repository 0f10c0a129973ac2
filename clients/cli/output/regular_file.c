/* Opens regular files only: regular_file.h. */
#include "clients/cli/output/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int regular_file_open(const char *path, int flags)
{
    struct stat info;
    const int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
    if (fd < 0) {
        errno = errno == ENXIO ? 0 : errno; /* a socket, or a pipe that nobody reads */
        return -1;
    }
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
        return fd;
    close(fd);
    errno = 0;
    return -1;
}

FILE *regular_file_read(const char *path)
{
    const int fd = regular_file_open(path, O_RDONLY);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "rb");
    if (fd >= 0 && file == NULL)
        close(fd);
    return file;
}

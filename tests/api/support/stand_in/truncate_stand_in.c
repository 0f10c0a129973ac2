/* For LD_PRELOAD: a file cut as soon as it is read. The file that TRUNCATE_STAND_IN names has no bytes left
 * once its beginning is mapped or read. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void cut(int fd)
{
    const char *name = getenv("TRUNCATE_STAND_IN");
    struct stat opened, named;
    if (fd >= 0 && name != NULL && fstat(fd, &opened) == 0 && stat(name, &named) == 0 && opened.st_ino == named.st_ino)
        (void)!truncate(name, 0);
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    void *(*next)(void *, size_t, int, int, int, off_t);
    *(void **)&next = dlsym(RTLD_NEXT, "mmap");
    void *result = next(at, size, protection, flags, fd, offset);
    cut(fd);
    return result;
}

ssize_t pread(int fd, void *bytes, size_t size, off_t offset)
{
    ssize_t (*next)(int, void *, size_t, off_t);
    *(void **)&next = dlsym(RTLD_NEXT, "pread");
    const ssize_t result = next(fd, bytes, size, offset);
    cut(fd);
    return result;
}

/* For LD_PRELOAD: a file system that fails in the way that the file $SOURCE_STAND_IN says. "EIO PREFIX": openat2() of
 * paths that begin with PREFIX fails with this errno; "*" means all paths and the check of the root itself. "HANG
 * PREFIX": such a call adds a line to $SOURCE_STAND_IN.hangs and hangs while the file says so. "READ PREFIX": opened
 * files cannot be read (EIO). Without the file it is the C library's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool read_word(char word[32], char prefix[256])
{
    FILE *file = fopen(getenv("SOURCE_STAND_IN"), "re");
    if (file == NULL)
        return false;
    const int count = fscanf(file, "%31s %255s", word, prefix);
    fclose(file);
    return count == 2;
}

static void tell_hang(const char *path)
{
    char name[4096], line[4096];
    snprintf(name, sizeof name, "%s.hangs", getenv("SOURCE_STAND_IN"));
    const int bytes = snprintf(line, sizeof line, "%s\n", path == NULL ? "." : path);
    const int fd = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (write(fd, line, (size_t)bytes) != bytes)
        abort();
    close(fd);
}

/* Returns whether the call is to fail, with errno. path NULL: the root itself. */
static bool fails(const char *path)
{
    char word[32], prefix[256];
    for (bool hangs = false;; hangs = true) {
        if (!read_word(word, prefix))
            return false;
        const bool is_meant = strcmp(prefix, "*") == 0 || (path != NULL && strncmp(path, prefix, strlen(prefix)) == 0);
        if (!is_meant || strcmp(word, "READ") == 0)
            return false;
        if (strcmp(word, "HANG") != 0)
            break;
        if (!hangs)
            tell_hang(path);
        usleep(10000);
    }
    errno = strcmp(word, "ESTALE") == 0 ? ESTALE : strcmp(word, "ENOTCONN") == 0 ? ENOTCONN : EIO;
    return true;
}

long syscall(long number, ...)
{
    long a[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    long (*const real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    if (number == SYS_openat2 && fails((const char *)a[1]))
        return -1;
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int statx(int fd, const char *restrict path, int flags, unsigned mask, struct statx *restrict out)
{
    int (*const real)(int, const char *, int, unsigned, struct statx *) =
        (int (*)(int, const char *, int, unsigned, struct statx *))dlsym(RTLD_NEXT, "statx");
    return fails(NULL) ? -1 : real(fd, path, flags, mask, out);
}

/* Importers read the files that they receive: this sends them a descriptor that cannot be read. */
ssize_t sendmsg(int socket, const struct msghdr *message, int flags)
{
    char word[32], prefix[256], link[32], path[4096] = "";
    ssize_t (*const real)(int, const struct msghdr *, int) =
        (ssize_t(*)(int, const struct msghdr *, int))dlsym(RTLD_NEXT, "sendmsg");
    struct cmsghdr *control = message->msg_controllen > 0 ? CMSG_FIRSTHDR(message) : NULL;
    if (control == NULL || control->cmsg_type != SCM_RIGHTS || !read_word(word, prefix) || strcmp(word, "READ") != 0)
        return real(socket, message, flags);
    int fd;
    memcpy(&fd, CMSG_DATA(control), sizeof fd);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t bytes = readlink(link, path, sizeof path - 1);
    const char *slash = bytes > 0 ? strrchr(path, '/') : NULL;
    if (slash == NULL || strncmp(slash + 1, prefix, strlen(prefix)) != 0)
        return real(socket, message, flags);
    /* The memory of the process at address 0 is not mapped: read() gives EIO. */
    const int broken = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    memcpy(CMSG_DATA(control), &broken, sizeof broken);
    const ssize_t sent = real(socket, message, flags);
    memcpy(CMSG_DATA(control), &fd, sizeof fd);
    close(broken);
    return sent;
}

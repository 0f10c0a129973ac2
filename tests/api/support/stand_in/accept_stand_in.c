/* For LD_PRELOAD: an accept4() that fails in the way that the first word of the file $ACCEPT_STAND_IN says, or hangs in
 * the thread that it names. Without the file it is the C library's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Hangs forever, and says so. */
static void stop(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.stopped", getenv("ACCEPT_STAND_IN"));
    close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    for (;;)
        pause();
}

int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict size, int flags)
{
    char word[32] = "", thread[16] = "";
    FILE *file = fopen(getenv("ACCEPT_STAND_IN"), "re");
    if (file != NULL) {
        const int count = fscanf(file, "%31s", word);
        fclose(file);
        errno = count == 1 && strcmp(word, "ENFILE") == 0 ? ENFILE : ENOMEM;
        pthread_getname_np(pthread_self(), thread, sizeof thread);
        if (strcmp(word, thread) == 0)
            stop();
        if (word[0] == 'E')
            return -1;
    }
    int (*const real)(int, struct sockaddr *, socklen_t *, int) =
        (int (*)(int, struct sockaddr *, socklen_t *, int))dlsym(RTLD_NEXT, "accept4");
    return real(fd, address, size, flags);
}

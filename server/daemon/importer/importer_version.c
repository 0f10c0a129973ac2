#include "daemon/importer/importer_version.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>

#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 5000 };

extern char **environ;

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Until the end of the output or of the patience. Returns its size. */
static size_t read_output(int fd, char *out, size_t size)
{
    const int64_t end_ms = now_ms() + PATIENCE_MS;
    size_t got = 0;
    for (int64_t left_ms; got < size && (left_ms = end_ms - now_ms()) > 0;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        if (poll(&wait, 1, (int)left_ms) <= 0)
            continue;
        const ssize_t n = read(fd, out + got, size - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        got += (size_t)n;
    }
    return got;
}

static int start(const char *program, int output_fd, pid_t *process)
{
    char version[] = "--version";
    char *const args[] = {(char *)(uintptr_t)program, version, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output_fd, 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    const int rc = posix_spawn(process, program, &actions, NULL, args, environ);
    posix_spawn_file_actions_destroy(&actions);
    return rc;
}

int importer_version(const char *program, char out[IMPORTER_VERSION_SIZE], struct err *err)
{
    int pipe_fds[2];
    pid_t process;
    if (pipe2(pipe_fds, O_CLOEXEC) != 0)
        return err_set(err, ERR_INTERNAL, "no pipe: %s", strerror(errno));
    const int started = start(program, pipe_fds[1], &process);
    close(pipe_fds[1]);
    if (started != 0) {
        close(pipe_fds[0]);
        return err_set(err, ERR_INTERNAL, "cannot start '%s': %s", program, strerror(started));
    }
    const size_t got = read_output(pipe_fds[0], out, IMPORTER_VERSION_SIZE - 1);
    close(pipe_fds[0]);
    kill(process, SIGKILL); /* it has said what it says, or will not */
    int status;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        ;
    out[got] = '\0';
    const size_t length = strcspn(out, "\n");
    if (length == got || length == 0)
        return err_set(err, ERR_INTERNAL, "'%s --version' says nothing", program);
    out[length] = '\0';
    return 0;
}

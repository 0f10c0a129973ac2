/* Runs git's own commands: git.h. */
#include "clients/cli/diff/git.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGUMENTS_MOST = 64, CANNOT_RUN = 127 };

/* Runs in the child. */
static void become_git(const char *folder, const char *index, const char *const *arguments, int in_fd, int out_fd,
                       bool is_quiet)
{
    const char *argv[ARGUMENTS_MOST + 4] = {"git"};
    size_t count = 1;
    if (folder != NULL) {
        argv[count++] = "-C";
        argv[count++] = folder;
    }
    for (size_t i = 0; arguments[i] != NULL && count < ARGUMENTS_MOST + 3; i++)
        argv[count++] = arguments[i];
    const int null_fd = open("/dev/null", O_RDWR);
    if (index != NULL)
        setenv("GIT_INDEX_FILE", index, 1);
    dup2(in_fd >= 0 ? in_fd : null_fd, STDIN_FILENO);
    dup2(out_fd, STDOUT_FILENO);
    if (is_quiet)
        dup2(null_fd, STDERR_FILENO);
    execvp("git", (char *const *)(const void *)argv);
    fprintf(stderr, "posectl: cannot run git: %s\n", strerror(errno));
    _exit(CANNOT_RUN);
}

/* Returns a memory file with the input. With a pipe, each process could wait for the other. */
static int input_file(const struct text *input)
{
    size_t written = 0;
    const int fd = memfd_create("git's stdin", MFD_CLOEXEC);
    while (fd >= 0 && written < input->size_bytes) {
        const ssize_t size = write(fd, input->at + written, input->size_bytes - written);
        if (size < 0 && errno != EINTR)
            break;
        written += size > 0 ? (size_t)size : 0;
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

static void read_all(int fd, struct text *out)
{
    char bytes[1 << 16];
    for (ssize_t size; (size = read(fd, bytes, sizeof bytes)) != 0;) {
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            return;
        text_put_bytes(out, bytes, (size_t)size);
    }
}

int git_run(const char *folder, const char *index, const char *const *arguments, const struct text *input,
            struct text *out, bool is_quiet)
{
    int pipe_fds[2], status = 0;
    const int in_fd = input == NULL ? -1 : input_file(input);
    if (pipe2(pipe_fds, O_CLOEXEC) < 0)
        return CANNOT_RUN;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0)
        become_git(folder, index, arguments, in_fd, pipe_fds[1], is_quiet);
    close(pipe_fds[1]);
    if (in_fd >= 0)
        close(in_fd);
    read_all(pipe_fds[0], out);
    close(pipe_fds[0]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : CANNOT_RUN;
}

const char *git_next(const struct text *list, size_t *at)
{
    if (*at >= list->size_bytes)
        return NULL;
    const char *entry = list->at + *at;
    *at += strlen(entry) + 1;
    return entry;
}

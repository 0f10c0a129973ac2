#include "clients/cli/server/importer_version.h"

#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Puts the path of posed-import, in the folder of the program that runs as `pid`. */
static int find_importer(pid_t pid, char out[PATH_MAX + 16])
{
    char link[64], program[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%ld/exe", (long)pid);
    const ssize_t length = readlink(link, program, sizeof program - 1);
    program[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(program, '/');
    if (slash == NULL)
        return -1;
    slash[1] = '\0';
    snprintf(out, PATH_MAX + 16, "%sposed-import", program);
    return access(out, X_OK);
}

/* Runs it with its stdout in the pipe. */
static int spawn(char *program, const int pipe_fds[2], pid_t *child)
{
    char option[] = "--version", *arguments[] = {program, option, NULL};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return -1;
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const int rc = posix_spawn(child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return rc == 0 ? 0 : -1;
}

void importer_version(pid_t pid, char out[IMPORTER_VERSION_BYTES])
{
    char program[PATH_MAX + 16];
    int fds[2], status = -1;
    pid_t child;
    size_t size = 0;
    out[0] = '\0';
    if (find_importer(pid, program) != 0 || pipe2(fds, O_CLOEXEC) != 0)
        return;
    const int rc = spawn(program, fds, &child);
    close(fds[1]);
    ssize_t n;
    while (rc == 0 && size < IMPORTER_VERSION_BYTES - 1 &&
           (n = read(fds[0], out + size, IMPORTER_VERSION_BYTES - 1 - size)) > 0)
        size += (size_t)n;
    close(fds[0]);
    out[size] = '\0';
    out[strcspn(out, "\n")] = '\0';
    if (rc != 0 || waitpid(child, &status, 0) != child || status != 0)
        out[0] = '\0';
}

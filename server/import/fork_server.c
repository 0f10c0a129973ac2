/* fork_server.c - the loop of the fork server, and the first steps of the processes that it forks. */
#include "import/fork_server.h"

#include "worker/fork_server.h"
#include "worker/import_files.h"
#include "worker/import_result.h"
#include "worker/resource_limits.h"

#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The first descriptor number that the kernel assigns to received descriptors: this process has no others. */
enum { FIRST_FD = FORK_SERVER_FD + 1 };

/* Process names for ps and top. */
static const char SERVER_NAME[] = "posed-forks", IMPORTER_NAME[] = "posed-import";

/* Returns true with FORK_FD_COUNT descriptors at FIRST_FD; false at the end of the stream. */
static bool receive(void)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(FORK_FD_COUNT * sizeof(int))];
    } control = {.bytes = {0}};
    char byte;
    struct iovec part = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t got;
    do
        got = recvmsg(FORK_SERVER_FD, &message, 0);
    while (got < 0 && errno == EINTR);
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (got <= 0 || header == NULL || header->cmsg_len != CMSG_LEN(FORK_FD_COUNT * sizeof(int)))
        return false;
    int first;
    memcpy(&first, CMSG_DATA(header), sizeof first);
    return first == FIRST_FD;
}

/* Moves the descriptors of a message to the numbers that the importer expects, and closes the rest. */
static bool take_place(pid_t daemon)
{
    _Static_assert(FIRST_FD + FORK_STDERR > IMPORT_FILES_FD && FIRST_FD + FORK_FILES > IMPORT_RESULT_FD,
                   "none is overwritten before it has been moved");
    prctl(PR_SET_NAME, IMPORTER_NAME, 0, 0, 0);
    setpgid(0, 0);
    const bool is_moved = dup2(FIRST_FD + FORK_STDERR, STDERR_FILENO) >= 0 &&
                          dup2(FIRST_FD + FORK_FILES, IMPORT_FILES_FD) >= 0 &&
                          dup2(FIRST_FD + FORK_RESULT, IMPORT_RESULT_FD) >= 0;
    for (int fd = IMPORT_RESULT_FD + 1; fd < FIRST_FD + FORK_FD_COUNT; fd++)
        close(fd);
    /* the parent-death signal is not inherited */
    return is_moved && prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && getppid() == daemon;
}

/* In the new process. */
static int import_one(const struct importer_options *options, struct sandbox *sandbox)
{
    static struct import_order order;
    if (read(IMPORT_FILES_FD, &order, sizeof order) != (ssize_t)sizeof order || order.magic != IMPORT_FILES_MAGIC)
        return EXIT_USAGE;
    order.text[sizeof order.text - 1] = '\0';
    return order.kind == IMPORT_ORDER_ATTEMPT ? importer_attempt(options, sandbox, order.text)
                                              : importer_run(options, sandbox, order.text);
}

/* fork(), but for the parent: that of the new process is this one's own. The C library has no such function. What its
 * fork() does beside the call is for programs with threads. */
static pid_t fork_sibling(void) { return (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL); }

int fork_server_run(const struct importer_options *options)
{
    struct sandbox sandbox;
    struct err err = {0};
    const pid_t daemon = getppid();
    prctl(PR_SET_NAME, SERVER_NAME, 0, 0, 0);
    if (importer_settle(options, FORK_SERVER_FD, &sandbox, &err) < 0) {
        fprintf(stderr, "posed-import: %s\n", err.message);
        return EXIT_USAGE;
    }
    while (receive()) {
        const pid_t made = fork_sibling();
        if (made == 0)
            return take_place(daemon) ? import_one(options, &sandbox) : EXIT_USAGE;
        const struct fork_reply reply = {.pid = made > 0 ? made : 0, .error = made > 0 ? 0 : errno};
        for (int i = 0; i < FORK_FD_COUNT; i++)
            close(FIRST_FD + i);
        struct iovec part = {.iov_base = (void *)(uintptr_t)&reply, .iov_len = sizeof reply};
        const struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
        if (sendmsg(FORK_SERVER_FD, &message, MSG_NOSIGNAL) < 0)
            break;
    }
    return EXIT_BAKED;
}

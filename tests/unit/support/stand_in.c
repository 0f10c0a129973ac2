#include "tests/unit/support/stand_in.h"

#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

#include "render/job/job_channel.h"
#include "worker/fork_server.h"
#include "worker/import_files.h"
#include "worker/import_result.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PATH_SIZE = 512 };

void stand_in_install(const struct temp_tree *tree)
{
    char program[PATH_SIZE] = "";
    struct fixture fixture;
    assert_true(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
    temp_tree_link(tree, "posed-import", program);
    temp_tree_link(tree, "posed-render", program);
    fixture_init(&fixture);
    fixture_root(&fixture, fixture_node(&fixture, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE));
    fixture_finish(&fixture);
    temp_tree_bytes(tree, "result", fixture.block, fixture.size_bytes);
    fixture_fini(&fixture);
}

static char folder[PATH_SIZE]; /* with a slash behind it */

static const char *in_folder(const char *name)
{
    static char path[2 * PATH_SIZE];
    snprintf(path, sizeof path, "%s%s", folder, name);
    return path;
}

static void write_line(const char *name, const char *text)
{
    char line[PATH_SIZE];
    const int fd = open(in_folder(name), O_WRONLY | O_CREAT | O_APPEND, 0644);
    const int size = snprintf(line, sizeof line, "%s\n", text);
    if (fd < 0 || write(fd, line, (size_t)size) != size)
        abort();
    close(fd);
}

static void stay(void)
{
    for (;;)
        pause();
}

static void compute(void)
{
    for (volatile unsigned long i = 0;; i++)
        continue;
}

static void wait_for_go(void)
{
    while (access(in_folder("go"), F_OK) != 0)
        usleep(1000);
}

static bool starts_with(const char *text, const char *word) { return strncmp(text, word, strlen(word)) == 0; }

/* --- posed-import --- */

static int hand_over(void)
{
    char bytes[65536];
    const int fd = open(in_folder("result"), O_RDONLY);
    for (ssize_t got; (got = read(fd, bytes, sizeof bytes)) > 0;)
        if (write(IMPORT_RESULT_FD, bytes, (size_t)got) != got)
            return 2;
    return 0;
}

static int import(const char *path)
{
    char number[32];
    write_line("log", path);
    if (starts_with(path, "family")) {
        const pid_t child = fork();
        if (child == 0)
            stay();
        snprintf(number, sizeof number, "%d", (int)child);
        write_line("child", number);
    }
    if (starts_with(path, "crash")) {
        signal(SIGSEGV, SIG_DFL); /* a sanitizer's handler would exit */
        raise(SIGSEGV);
    }
    if (starts_with(path, "family") || starts_with(path, "hang"))
        stay();
    if (starts_with(path, "wait"))
        wait_for_go();
    return starts_with(path, "refuse") ? 1 : hand_over();
}

/* Descriptors 4 and up; the socket is 3. */
static bool receive_fds(int fds[FORK_FD_COUNT])
{
    char byte;
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(FORK_FD_COUNT * sizeof(int))];
    } control = {.bytes = {0}};
    struct iovec part = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    if (recvmsg(FORK_SERVER_FD, &message, 0) != 1 || CMSG_FIRSTHDR(&message) == NULL)
        return false;
    memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&message)), FORK_FD_COUNT * sizeof(int));
    return true;
}

static int import_forked(const int fds[FORK_FD_COUNT])
{
    struct import_order order;
    setpgid(0, 0);
    dup2(fds[FORK_STDERR], STDERR_FILENO);
    dup2(fds[FORK_FILES], IMPORT_FILES_FD);
    dup2(fds[FORK_RESULT], IMPORT_RESULT_FD);
    return read(IMPORT_FILES_FD, &order, sizeof order) == (ssize_t)sizeof order ? import(order.text) : 2;
}

/* Whether there was such a file in the folder. */
static bool take_file(const char *name) { return unlink(in_folder(name)) == 0; }

/* What it does may depend on a file in the folder: `deaf` and `asleep` make it answer nothing, `stopped` stop and
 * `dying` end when it is asked, `poor` say that there are too many processes. */
static int serve_forks(void)
{
    int fds[FORK_FD_COUNT];
    write_line("servers", "one");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (receive_fds(fds)) {
        if (access(in_folder("deaf"), F_OK) == 0 || take_file("asleep"))
            stay();
        if (take_file("stopped"))
            raise(SIGSTOP);
        if (take_file("dying"))
            abort();
        struct fork_reply reply = {.error = EAGAIN};
        if (access(in_folder("poor"), F_OK) != 0) {
            reply = (struct fork_reply){.pid = (int32_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0)};
            if (reply.pid == 0)
                _exit(import_forked(fds));
        }
        for (int i = 0; i < FORK_FD_COUNT; i++)
            close(fds[i]);
        if (send(FORK_SERVER_FD, &reply, sizeof reply, 0) != (ssize_t)sizeof reply)
            return 2;
    }
    return 0;
}

/* --- posed-render --- */

static void put_u32(struct buf *out, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        buf_put_char(out, (char)(value >> shift));
}

/* As much of a PNG as the daemon looks at. */
static void put_png(struct buf *out, uint32_t width, uint32_t height)
{
    buf_put(out, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
    put_u32(out, width);
    put_u32(out, height);
    buf_put(out, "\x08\x06\0\0\0crc ", 9);
    buf_put(out, "\0\0\0\0IENDcrc ", 12);
}

static int draw(const struct render_job *job)
{
    char number[32];
    struct buf png;
    struct err outcome = {0}, err;
    snprintf(number, sizeof number, "%u", job->width);
    write_line("log", number);
    buf_init(&png, 0);
    switch ((enum stand_in_width)job->width) {
    case STAND_IN_WAIT:
        wait_for_go();
        break;
    case STAND_IN_EMPTY:
        err_set(&outcome, ERR_NOTHING_TO_DRAW, "nothing");
        break;
    case STAND_IN_DIE:
        fputs("last words\n", stderr);
        abort();
    case STAND_IN_LEAVE:
        signal(SIGTERM, SIG_IGN); /* first: the closed socket is answered by SIGTERM at once */
        close(RENDER_SOCKET_FD);
        stay();
        break;
    case STAND_IN_HANG:
        stay();
        break;
    case STAND_IN_HANG_ONCE:
        if (access(in_folder("hung"), F_OK) == 0)
            break;
        write_line("hung", "once");
        stay();
        break;
    case STAND_IN_COMPUTE:
        compute();
        break;
    default:
        break;
    }
    put_png(&png, job->width, job->height + (job->width == STAND_IN_WRONG));
    const int rc = job_answer(RENDER_SOCKET_FD, job->job_id, &outcome, &png, NULL, NULL, &err);
    buf_fini(&png);
    return rc;
}

static int render(void)
{
    static struct render_work work;
    struct err err;
    struct job_fds fds;
    if (access(in_folder("broken"), F_OK) == 0)
        return 7;
    int rc = job_answer(RENDER_SOCKET_FD, 0, NULL, NULL, NULL, "stand-in", &err);
    while (rc == 0 && job_receive(RENDER_SOCKET_FD, &work, &fds, &err) > 0) {
        job_fds_close(&fds);
        rc = draw(&work.job);
    }
    return rc < 0;
}

static bool run(char **args, int *status)
{
    const char *slash = strrchr(args[0], '/');
    const char *name = slash != NULL ? slash + 1 : args[0];
    const bool is_import = strcmp(name, "posed-import") == 0;
    if (!is_import && strcmp(name, "posed-render") != 0)
        return false;
    snprintf(folder, sizeof folder, "%.*s", (int)(name - args[0]), args[0]);
    size_t last = 0;
    while (args[last + 1] != NULL)
        last++;
    *status = !is_import ? render() : strcmp(args[last], "--fork-server") == 0 ? serve_forks() : 2;
    return true;
}

__attribute__((constructor)) static void register_stand_in(void) { check_register_stand_in(run); }

/* fork_server.c - the current fork server, its retiring predecessors, and the requests that wait for a process. */
#include "daemon/process/fork_server.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "daemon/support/log.h"
#include "daemon/support/process_usage.h"
#include "worker/fork_server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* How long a process may take to be made, on a machine that has much else to do; and how many one fork server makes. */
enum { PATIENCE_MS = 100000, FORKS_MAX = 100 };

/* The interval of checks of the fork server while a request waits, and the number of checks in a row that must find it
 * stopped, or asleep without having run, before it counts as broken. On a busy machine a message still wakes it, so
 * that it waits for a processor and not for an event. */
enum { LOOK_MS = 200, STOPPED_LOOKS = 2, ASLEEP_LOOKS = 3 };

/* The process of one. It lives until its socket is closed. */
struct fork_parent {
    struct child child;
    uv_poll_t poll;
    uv_timer_t looks;
    int stopped_count, asleep_count; /* of the last checks */
    uint64_t cpu_ns;                 /* at the last */
    int socket;
    int open_parts;             /* of the child, the poll handle and the timer */
    struct fork_server *server; /* NULL: it retires, once no request waits for it */
    bool is_dismissed;          /* it did nothing wrong */
    const char *fault;          /* why posed has ended it ("was stopped"), or NULL */
    unsigned fork_count;
    struct child *first, **end; /* who waits for a process, in the order of asking */
};

struct fork_server {
    uv_loop_t *loop;
    const struct worker_command *command;
    struct fork_parent *parent; /* or NULL */
};

/* --- the end of one --- */

static void one_closed(struct fork_parent *parent)
{
    if (--parent->open_parts == 0)
        free(parent);
}

static void on_child_closed(struct child *child) { one_closed(container_of(child, struct fork_parent, child)); }

static void on_poll_closed(uv_handle_t *poll)
{
    struct fork_parent *parent = poll->data;
    close(parent->socket);
    one_closed(parent);
}

static void on_looks_closed(uv_handle_t *looks) { one_closed(looks->data); }

/* The process ends when it sees that, or is ended. */
static void close_socket(struct fork_parent *parent)
{
    if (uv_is_closing((uv_handle_t *)&parent->poll))
        return;
    uv_close((uv_handle_t *)&parent->poll, on_poll_closed);
    uv_close((uv_handle_t *)&parent->looks, on_looks_closed);
    child_limit_time(&parent->child, PATIENCE_MS);
}

static void make_way(struct fork_parent *parent)
{
    if (parent->server != NULL)
        parent->server->parent = NULL;
    parent->server = NULL;
    if (parent->first == NULL)
        close_socket(parent);
}

/* --- waiting requests, and detection of a broken fork server --- */

static void on_look(uv_timer_t *looks)
{
    struct fork_parent *parent = looks->data;
    const char state = process_usage_state(child_pid(&parent->child));
    const uint64_t cpu_ns = child_cpu_used_ns(&parent->child);
    parent->stopped_count = state == 'T' ? parent->stopped_count + 1 : 0;
    parent->asleep_count = state == 'S' && cpu_ns == parent->cpu_ns ? parent->asleep_count + 1 : 0;
    parent->cpu_ns = cpu_ns;
    if (parent->stopped_count < STOPPED_LOOKS && parent->asleep_count < ASLEEP_LOOKS)
        return;
    parent->fault = state == 'T' ? "was stopped" : "did not answer";
    uv_timer_stop(looks);
    make_way(parent);
    child_kill(&parent->child, SIGKILL); /* on_ended() follows */
}

/* From now on it has as long as it may take. */
static void expect_reply(struct fork_parent *parent)
{
    parent->stopped_count = parent->asleep_count = 0;
    if (uv_is_closing((uv_handle_t *)&parent->looks))
        return;
    if (parent->first != NULL)
        uv_timer_start(&parent->looks, on_look, LOOK_MS, LOOK_MS);
    else
        uv_timer_stop(&parent->looks);
    child_limit_time(&parent->child, parent->first != NULL ? PATIENCE_MS : 0);
}

static void add_last(struct fork_parent *parent, struct child *child)
{
    const bool is_first = parent->first == NULL;
    *parent->end = child;
    parent->end = &child->next;
    if (is_first) /* else its time runs already, however many come */
        expect_reply(parent);
}

static struct child *take_first(struct fork_parent *parent)
{
    struct child *child = parent->first;
    parent->first = child->next;
    if (parent->first == NULL)
        parent->end = &parent->first;
    expect_reply(parent);
    return child;
}

/* --- its answers --- */

/* Reads all replies. False: one is invalid, or the fork server has ended. */
static bool read_replies(struct fork_parent *parent)
{
    while (!uv_is_closing((uv_handle_t *)&parent->poll)) {
        struct fork_reply reply;
        const ssize_t got = recv(parent->socket, &reply, sizeof reply, MSG_DONTWAIT | MSG_TRUNC);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return true;
        if (got > 0 && (got != (ssize_t)sizeof reply || parent->first == NULL))
            parent->fault = "sent something that is no answer";
        if (got != (ssize_t)sizeof reply || parent->first == NULL)
            return false;
        struct child *child = take_first(parent);
        if (reply.pid > 0)
            child_adopt(child, reply.pid);
        else
            child_give_up(child, -reply.error, "");
        if (parent->server == NULL && parent->first == NULL)
            close_socket(parent);
    }
    return true;
}

static void on_readable(uv_poll_t *poll, int status, int events __attribute__((unused)))
{
    struct fork_parent *parent = poll->data;
    if (status >= 0 && read_replies(parent))
        return;
    uv_poll_stop(poll); /* on_ended() follows */
    child_kill(&parent->child, SIGTERM);
    child_limit_time(&parent->child, PATIENCE_MS);
}

/* It ended unexpectedly. Usually it has written nothing, so the count is the only further information. */
static void warn(const struct fork_parent *parent)
{
    char how[160], words[LAST_LINE_SIZE];
    const struct child_exit *exit = &parent->child.exit;
    const int number = exit->term_signal;
    child_exit_last_line(exit->output, words);
    if (parent->fault != NULL)
        snprintf(how, sizeof how, "%s", parent->fault);
    else if (number != 0)
        snprintf(how, sizeof how, "ended (signal %d, %s%s)", number, strsignal(number),
                 number == SIGKILL ? ", perhaps because memory ran out" : "");
    else
        snprintf(how, sizeof how, "ended (status %d)", (int)exit->status);
    log_warn("the process that makes importers %s and is replaced; it was asked for %u importer%s%s%s", how,
             parent->fork_count, parent->fork_count == 1 ? "" : "s", words[0] != '\0' ? ": " : "", words);
}

static void on_ended(struct child *child)
{
    struct fork_parent *parent = container_of(child, struct fork_parent, child);
    if (!parent->is_dismissed)
        warn(parent);
    read_replies(parent); /* its processes up to then exist */
    make_way(parent);
    while (parent->first != NULL)
        child_give_up(take_first(parent), -ECONNRESET, child->exit.output);
    close_socket(parent);
}

/* --- its start --- */

static int start(struct fork_server *server)
{
    static const struct child_events EVENTS = {.ended = on_ended, .closed = on_child_closed};
    _Static_assert(FORK_SERVER_FD == 3, "as a child's descriptors are numbered");
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
        return -errno;
    struct fork_parent *parent = mem_zalloc(1, sizeof *parent);
    parent->socket = sockets[0];
    parent->end = &parent->first;
    parent->open_parts = 1;
    const struct child_command command = {.args = server->command->args,
                                          .env = server->command->env,
                                          .fds = {sockets[1]},
                                          .fd_count = 1,
                                          .program = WORKER_IMPORT_SERVER};
    int rc = uv_poll_init(server->loop, &parent->poll, sockets[0]);
    if (rc == 0) {
        uv_timer_init(server->loop, &parent->looks);
        parent->poll.data = parent->looks.data = parent;
        parent->open_parts += 2;
        rc = child_start(&parent->child, server->loop, &command, &EVENTS);
        if (rc != 0)
            close_socket(parent);
    } else {
        close(sockets[0]);
        free(parent);
    }
    close(sockets[1]);
    if (rc != 0)
        return rc;
    uv_poll_start(&parent->poll, UV_READABLE, on_readable);
    parent->server = server;
    server->parent = parent;
    return 0;
}

static int send_fds(int socket, const int fds[FORK_FD_COUNT])
{
    enum { FDS_BYTES = FORK_FD_COUNT * sizeof(int) };
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(FDS_BYTES)];
    } control = {.header = {.cmsg_len = CMSG_LEN(FDS_BYTES), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    char byte = 0;
    struct iovec part = {.iov_base = &byte, .iov_len = 1};
    const struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    memcpy(CMSG_DATA(&control.header), fds, FDS_BYTES);
    ssize_t sent;
    do
        sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : 0;
}

/* Sends a request to the current fork server, or to a new one if that has ended unnoticed. */
static int ask(struct fork_server *server, const int fds[FORK_FD_COUNT])
{
    for (;;) {
        const bool is_new = server->parent == NULL;
        int rc = is_new ? start(server) : 0;
        if (rc == 0)
            rc = send_fds(server->parent->socket, fds);
        if (is_new || (rc != -EPIPE && rc != -ECONNRESET))
            return rc;
        make_way(server->parent);
    }
}

void fork_server_begin(struct fork_server *server)
{
    if (server->parent == NULL)
        start(server);
}

int fork_server_start_child(struct fork_server *server, struct child *child, int files_fd, int result_fd,
                            const struct child_events *events)
{
    int fds[FORK_FD_COUNT] = {[FORK_FILES] = files_fd, [FORK_RESULT] = result_fd};
    int rc = child_await(child, server->loop, events, &fds[FORK_STDERR]);
    if (rc != 0)
        return rc;
    rc = ask(server, fds);
    close(fds[FORK_STDERR]);
    if (rc != 0) {
        child_drop(child);
        return rc;
    }
    struct fork_parent *parent = server->parent;
    add_last(parent, child);
    if (++parent->fork_count == FORKS_MAX)
        fork_server_renew(server);
    return 0;
}

/* --- all of them --- */

struct fork_server *fork_server_new(uv_loop_t *loop, const struct worker_command *command)
{
    struct fork_server *server = mem_zalloc(1, sizeof *server);
    server->loop = loop;
    server->command = command;
    return server;
}

const char *fork_server_program(const struct fork_server *server) { return server->command->args[0]; }

void fork_server_renew(struct fork_server *server)
{
    if (server->parent != NULL) {
        server->parent->is_dismissed = true;
        make_way(server->parent);
    }
    fork_server_begin(server);
}

void fork_server_free(struct fork_server *server)
{
    if (server == NULL)
        return;
    struct fork_parent *parent = server->parent;
    if (parent != NULL) {
        parent->is_dismissed = true;
        make_way(parent);
        child_kill(&parent->child, SIGKILL);
    }
    free(server);
}

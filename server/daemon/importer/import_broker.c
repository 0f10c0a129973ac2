/* import_broker.c - serves one importer's requests for files: a poll handle on the socket, a work thread for each
 * request. */
#include "daemon/importer/import_broker.h"

#include "base/mem.h"
#include "daemon/model/source_access.h"
#include "daemon/threads/work.h"
#include "daemon/support/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct import_broker {
    uv_poll_t poll;
    struct work work;
    int socket;
    struct import_grant *files;
    uint64_t left; /* requests it may still send */
    bool is_working;
    bool is_closed;
    const struct import_broker_events *events;
    void *context;
    struct import_file_request request;
    struct import_file_reply reply;
    int reply_fd;     /* or -1 */
    int source_error; /* of err_is_source(), met for this request; 0: none */
};

static void on_readable(uv_poll_t *poll, int status, int what);

static void free_when_done(struct import_broker *broker)
{
    if (!broker->is_closed || broker->is_working)
        return;
    fd_close(broker->reply_fd);
    close(broker->socket);
    broker->events->closed(broker->context);
    free(broker);
}

static void on_closed(uv_handle_t *handle)
{
    struct import_broker *broker = handle->data;
    broker->is_closed = true;
    free_when_done(broker);
}

/* The socket is empty: the whole reply fits, unless the importer is gone. */
static void send_reply(const struct import_broker *broker)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct iovec part = {.iov_base = (void *)(uintptr_t)&broker->reply, .iov_len = sizeof broker->reply};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (broker->reply_fd >= 0) {
        memcpy(CMSG_DATA(&control.header), &broker->reply_fd, sizeof broker->reply_fd);
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(sizeof(int));
    }
    while (sendmsg(broker->socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == EINTR)
        ;
}

int import_grant_resolve(struct import_grant *files)
{
    return files->access.own != NULL ? 0 : file_access_find(&files->access, files->root_fd, files->policy, files->path);
}

static void answer(struct work *work)
{
    struct import_broker *broker = work->data;
    source_forget_error();
    const int error = import_grant_resolve(broker->files);
    broker->reply = (struct import_file_reply){.magic = IMPORT_FILES_MAGIC, .error = error};
    if (error == 0)
        broker->reply_fd =
            file_access_serve(&broker->files->access, broker->files->root_fd, &broker->request, &broker->reply);
    broker->source_error = source_error();
}

static void on_answered(struct work *work, int status)
{
    struct import_broker *broker = work->data;
    broker->is_working = false;
    if (uv_is_closing((uv_handle_t *)&broker->poll)) {
        free_when_done(broker);
        return;
    }
    if (status == 0 && err_is_shortage(broker->reply.error)) {
        broker->events->stopped(broker->context, IMPORT_STOP_STARVED);
        return;
    }
    if (status == 0 && broker->source_error != 0) {
        broker->events->stopped(broker->context, IMPORT_STOP_UNAVAILABLE);
        return;
    }
    if (status == 0)
        send_reply(broker);
    fd_close(broker->reply_fd);
    broker->reply_fd = -1;
    uv_poll_start(&broker->poll, UV_READABLE, on_readable);
}

static bool is_sound(const struct import_broker *broker, ssize_t got)
{
    const struct import_file_request *request = &broker->request;
    return got == (ssize_t)sizeof *request && broker->left > 0 && request->magic == IMPORT_FILES_MAGIC &&
           (request->kind == IMPORT_FILE_OPEN || request->kind == IMPORT_FILE_LIST) &&
           memchr(request->path, '\0', sizeof request->path) != NULL &&
           memchr(request->suffix, '\0', sizeof request->suffix) != NULL;
}

static void on_readable(uv_poll_t *poll, int status, int what __attribute__((unused)))
{
    struct import_broker *broker = poll->data;
    const ssize_t got =
        status < 0 ? 0 : recv(broker->socket, &broker->request, sizeof broker->request, MSG_DONTWAIT | MSG_TRUNC);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    uv_poll_stop(poll); /* until this one is answered, or for good */
    if (got <= 0)
        return;
    if (!is_sound(broker, got)) {
        broker->events->stopped(broker->context, IMPORT_STOP_BREACH);
        return;
    }
    broker->left--;
    broker->is_working = true;
    work_start(poll->loop, WORK_IMPORT_FILES, &broker->work, answer, on_answered);
}

/* The importer's task is in its socket before the importer exists. */
static int send_order(int socket, const char *path)
{
    struct import_order order = {.magic = IMPORT_FILES_MAGIC, .kind = IMPORT_ORDER_MODEL};
    const size_t length = strlen(path);
    if (length >= sizeof order.text)
        return -ENAMETOOLONG;
    memcpy(order.text, path, length);
    return send(socket, &order, sizeof order, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof order ? 0 : -errno;
}

struct import_broker *import_broker_start(uv_loop_t *loop, struct import_grant *files, const struct limits *limits,
                                          const struct import_broker_events *events, void *context, int *importer_fd)
{
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
        return NULL;
    struct import_broker *broker = mem_zalloc(1, sizeof *broker);
    broker->socket = sockets[0];
    broker->files = files;
    /* The importer keeps what it gets: it requests each file once, and a few folders. */
    broker->left = limits->value[LIMIT_SOURCE_FILES] + IMPORT_FOLDERS_MAX;
    broker->events = events;
    broker->context = context;
    broker->reply_fd = -1;
    broker->poll.data = broker->work.data = broker;
    int rc = send_order(sockets[0], files->path);
    if (rc == 0)
        rc = uv_poll_init(loop, &broker->poll, sockets[0]);
    if (rc != 0) {
        close(sockets[0]);
        close(sockets[1]);
        free(broker);
        errno = -rc;
        return NULL;
    }
    uv_poll_start(&broker->poll, UV_READABLE, on_readable);
    *importer_fd = sockets[1];
    return broker;
}

bool import_broker_is_working(const struct import_broker *broker) { return broker->is_working; }

void import_broker_close(struct import_broker *broker) { uv_close((uv_handle_t *)&broker->poll, on_closed); }

#include "import/source/file_client.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

static int send_request(int socket, const struct import_file_request *request)
{
    struct iovec part = {.iov_base = (void *)(uintptr_t)request, .iov_len = sizeof *request};
    const struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t sent;
    do
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)sizeof *request ? 0 : -1;
}

static int fd_of(struct msghdr *message)
{
    int fd = -1;
    const struct cmsghdr *part = CMSG_FIRSTHDR(message);
    if (part != NULL && part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS)
        memcpy(&fd, CMSG_DATA(part), sizeof fd);
    return fd;
}

/* Returns the descriptor that came with the reply, or -1. */
static int receive_reply(int socket, struct import_file_reply *reply)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {.iov_base = reply, .iov_len = sizeof *reply};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t got;
    do
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    const int fd = got > 0 ? fd_of(&message) : -1;
    if (got != (ssize_t)sizeof *reply || reply->magic != IMPORT_FILES_MAGIC)
        *reply = (struct import_file_reply){.error = EPIPE};
    else if (reply->error == 0 && fd < 0)
        reply->error = EMFILE; /* the kernel drops what the process has no room for */
    return fd;
}

static int ask(const void *context, const struct import_file_request *request, struct import_file_reply *reply)
{
    const int socket = *(const int *)context;
    *reply = (struct import_file_reply){.error = EPIPE};
    return send_request(socket, request) == 0 ? receive_reply(socket, reply) : -1;
}

struct file_client file_client_on_socket(const int *socket)
{
    return (struct file_client){.ask = ask, .context = socket};
}

/* file_client.c - requests and replies on the socket, and the meaning of a reply's error. */
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
        reply->error = EMFILE; /* the kernel drops a descriptor that the process has no free slot for */
    return fd;
}

static int ask_on_socket(const void *context, const struct import_file_request *request,
                         struct import_file_reply *reply)
{
    const int socket = *(const int *)context;
    *reply = (struct import_file_reply){.error = EPIPE};
    return send_request(socket, request) == 0 ? receive_reply(socket, reply) : -1;
}

struct file_client file_client_on_socket(const int *socket)
{
    return (struct file_client){.ask = ask_on_socket, .context = socket};
}

int file_client_ask(const struct file_client *client, enum import_file_kind kind, const char *path, const char *suffix,
                    struct import_file_reply *reply)
{
    struct import_file_request request = {.magic = IMPORT_FILES_MAGIC, .kind = kind};
    memcpy(request.path, path, strnlen(path, IMPORT_PATH_SIZE - 1));
    memcpy(request.suffix, suffix, strnlen(suffix, IMPORT_SUFFIX_SIZE - 1));
    return client->ask(client->context, &request, reply);
}

bool file_client_is_refusal(int error)
{
    return error >= IMPORT_REFUSED(0) && error < IMPORT_REFUSED(FILE_ACCESS_COUNT);
}

int file_client_error(const char *path, int error, struct err *err)
{
    if (file_client_is_refusal(error))
        return err_set(err, ERR_COMPANION_MISSING, "'%s' %s", path,
                       import_refusal((enum file_access_kind)(error - IMPORT_REFUSED(0))));
    switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
        return err_set(err, ERR_COMPANION_MISSING, "there is no file '%s'", path);
    case ELOOP:
        return err_set(err, ERR_COMPANION_MISSING, "'%s' is or lies behind a symbolic link", path);
    case EXDEV:
        return err_set(err, ERR_COMPANION_MISSING, "'%s' lies outside the model root", path);
    case ENXIO:
        return err_set(err, ERR_COMPANION_MISSING, "'%s' is not a regular file", path);
    case EACCES:
    case EPERM:
        return err_set(err, ERR_FORBIDDEN, "no permission to read '%s'", path);
    case EPIPE:
        return err_set(err, ERR_INTERNAL, "the server ended the import before '%s' was opened", path);
    case ENOSYS:
        return err_set(err, ERR_INTERNAL, "this kernel has no openat2(), which reading '%s' safely needs", path);
    default:
        return err_set(err, ERR_INTERNAL, "cannot open '%s': %s", path, strerror(error));
    }
}

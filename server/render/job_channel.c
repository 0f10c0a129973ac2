#include "job_channel.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The descriptor in a message's control data, or -1. More than one were never sent; they would be closed. */
static int take_fd(struct msghdr *message)
{
    int fd = -1;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part != NULL; part = CMSG_NXTHDR(message, part))
        if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS && part->cmsg_len == CMSG_LEN(sizeof fd))
            memcpy(&fd, CMSG_DATA(part), sizeof fd);
    return fd;
}

static ssize_t receive_some(int socket, void *to, size_t size_bytes, int *model_fd)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {.iov_base = to, .iov_len = size_bytes};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t got;
    do
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        return got;
    const int fd = take_fd(&message);
    if (fd >= 0 && *model_fd >= 0)
        close(fd);
    else if (fd >= 0)
        *model_fd = fd;
    return got;
}

int job_receive(int socket, struct render_job *job, int *model_fd, struct err *err)
{
    size_t have = 0;
    *model_fd = -1;
    while (have < sizeof *job) {
        const ssize_t got = receive_some(socket, (char *)job + have, sizeof *job - have, model_fd);
        if (got == 0 && have == 0)
            return 0;
        if (got <= 0)
            break;
        have += (size_t)got;
    }
    if (have == sizeof *job && job->magic == RENDER_JOB_MAGIC && *model_fd >= 0)
        return 1;
    if (*model_fd >= 0)
        close(*model_fd);
    return err_set(err, ERR_INTERNAL, "what arrived is not a job with a model (%zu bytes)", have);
}

static int send_all(int socket, const void *bytes, size_t size_bytes, struct err *err)
{
    const char *from = bytes;
    while (size_bytes > 0) {
        const ssize_t sent = send(socket, from, size_bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return err_set(err, ERR_INTERNAL, "cannot send the result: %s", strerror(errno));
        from += sent;
        size_bytes -= (size_t)sent;
    }
    return 0;
}

int job_answer(int socket, uint64_t job_id, const struct err *outcome, const struct buf *png, const char *message,
               struct err *err)
{
    struct render_result result = {.magic = RENDER_RESULT_MAGIC, .job_id = job_id};
    const char *words = message;
    if (outcome != NULL && outcome->code != 0) {
        result.number = (uint32_t)-outcome->code;
        words = outcome->message;
        png = NULL;
    }
    result.size_bytes = png != NULL ? png->size_bytes : 0;
    if (words != NULL)
        memcpy(result.message, words, strnlen(words, sizeof result.message - 1));
    if (send_all(socket, &result, sizeof result, err) < 0)
        return err->code;
    return result.size_bytes > 0 ? send_all(socket, png->data, png->size_bytes, err) : 0;
}

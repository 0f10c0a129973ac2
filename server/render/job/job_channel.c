/* job_channel.c - receives jobs with their descriptors and sends results. */
#include "render/job/job_channel.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void job_fds_close(struct job_fds *fds)
{
    if (fds->model >= 0)
        close(fds->model);
    for (uint32_t i = 0; i < fds->source_count; i++)
        close(fds->sources[i]);
    *fds = (struct job_fds){.model = -1};
}

/* The first descriptor is the model's, then come those of the sources, the environment and the given poses
 * with the points. */
static void keep_fd(struct job_fds *fds, int fd)
{
    if (fds->model < 0) {
        fds->model = fd;
    } else if (fds->source_count < RENDER_FDS_MAX - 1) {
        fds->sources[fds->source_count++] = fd;
    } else {
        close(fd);
        fds->has_more = true;
    }
}

/* Takes the descriptors from a message's control data. */
static void take_fds(struct msghdr *message, struct job_fds *fds)
{
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part != NULL; part = CMSG_NXTHDR(message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
            continue;
        const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
            keep_fd(fds, fd);
        }
    }
}

static ssize_t receive_some(int socket, void *to, size_t size_bytes, struct job_fds *fds)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(RENDER_FDS_MAX * sizeof(int))];
    } control;
    struct iovec part = {.iov_base = to, .iov_len = size_bytes};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t got;
    do
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got > 0)
        take_fds(&message, fds);
    return (message.msg_flags & MSG_CTRUNC) != 0 ? -1 : got; /* more descriptors than fit here */
}

/* Returns how many bytes arrived before the stream ended. */
static size_t receive_all(int socket, void *to, size_t size_bytes, struct job_fds *fds)
{
    size_t have = 0;
    while (have < size_bytes) {
        const ssize_t got = receive_some(socket, (char *)to + have, size_bytes - have, fds);
        if (got <= 0)
            break;
        have += (size_t)got;
    }
    return have;
}

int job_receive(int socket, struct render_work *work, struct job_fds *fds, struct err *err)
{
    struct render_job *job = &work->job;
    *fds = (struct job_fds){.model = -1};
    size_t have = receive_all(socket, job, sizeof *job, fds);
    if (have == 0 && fds->model < 0)
        return 0;
    bool is_good = have == sizeof *job && job->magic == RENDER_JOB_MAGIC && render_job_is_bounded(job);
    if (is_good) {
        const size_t cells = render_cells_bytes(job), times = render_layer_moments_bytes(job);
        have += receive_all(socket, work->cells, cells, fds);
        if (have == sizeof *job + cells)
            have += receive_all(socket, work->layer_moments, times, fds);
        if (have == sizeof *job + cells + times)
            have += receive_all(socket, work->renames, job->rename_bytes, fds);
        is_good = have == sizeof *job + cells + times + job->rename_bytes;
    }
    const uint64_t source_count =
        (uint64_t)job->source_count + (job->environment_bytes > 0) + (render_job_given_size(job) > 0);
    if (is_good && fds->model >= 0 && fds->source_count == source_count && !fds->has_more)
        return 1;
    job_fds_close(fds);
    return err_set(err, ERR_INTERNAL, "what arrived is not a job with its models (%zu bytes)", have);
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

int job_answer(int socket, uint64_t job_id, const struct err *outcome, const struct buf *png,
               const struct render_notes *notes, const char *message, struct err *err)
{
    struct render_result result = {.magic = RENDER_RESULT_MAGIC, .job_id = job_id};
    const char *text = message;
    if (outcome != NULL && outcome->code != 0) {
        result.number = (uint32_t)-outcome->code;
        text = outcome->message;
        png = NULL;
    }
    result.size_bytes = png != NULL ? png->size_bytes : 0;
    if (png != NULL && notes != NULL)
        result.notes = *notes;
    if (text != NULL)
        memcpy(result.message, text, strnlen(text, sizeof result.message - 1));
    if (send_all(socket, &result, sizeof result, err) < 0)
        return err->code;
    return result.size_bytes > 0 ? send_all(socket, png->data, png->size_bytes, err) : 0;
}

/* render_worker.c - one renderer: the child process, the socket for jobs and results, and the ends of both. */
#include "daemon/renderer/render_worker.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "daemon/process/child.h"
#include "daemon/renderer/render_validate.h"
#include "daemon/renderer/render_outcome.h"
#include "daemon/process/worker_command.h"
#include "daemon/disk/disk_file.h"
#include "daemon/support/fd.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A PNG is hardly longer than its pixels; 4096 x 4096 of them are 64 MiB. */
#define PNG_BYTES_MAX (UINT64_C(1) << 31)

/* How long a process without its socket may take to die by itself: it needs a processor for that, and the machine may
 * be busy. */
enum { DYING_MS = 2000 };

struct render_worker {
    struct child child;
    uv_pipe_t socket;
    int open_parts; /* of these two */
    const struct render_worker_events *events;
    void *context;
    bool is_running; /* the process */
    bool is_open;    /* the socket */
    bool is_dying;   /* it was, before the process ended */
    bool is_ready;
    bool is_abandoned;
    bool is_killed;                 /* by posed, not for its time */
    const char *breach;             /* its breach of the contract, for which posed killed it; or NULL */
    bool is_unread;                 /* the job under way did not reach it */
    uint64_t job_id;                /* of the last job */
    const struct render_task *task; /* of the job under way, or NULL */
    struct render_result result;
    size_t result_bytes; /* of it received */
    struct buf png;
};

/* --------- its end --------- */

static void one_closed(struct render_worker *worker)
{
    if (--worker->open_parts > 0)
        return;
    buf_fini(&worker->png);
    free(worker);
}

static void on_child_closed(struct child *child) { one_closed(container_of(child, struct render_worker, child)); }
static void on_socket_closed(uv_handle_t *socket) { one_closed(socket->data); }

/* The process and its socket end in any order, and a result may still lie in the socket. */
static void end_if_over(struct render_worker *worker)
{
    char why[RENDER_WHY_SIZE];
    if (worker->is_running || worker->is_open)
        return;
    uv_close((uv_handle_t *)&worker->socket, on_socket_closed);
    if (worker->is_abandoned)
        return;
    const struct child_exit *child = &worker->child.exit;
    if (child->is_timeout && worker->is_dying && worker->breach == NULL)
        worker->breach = "closed its socket, lived on";
    const struct render_exit exit = {.child = *child, .breach = worker->breach, .is_killed = worker->is_killed};
    const bool is_killed = worker->is_killed || child->term_signal != 0;
    const struct render_worker_end end = {.code = render_outcome(&exit, why),
                                          .has_read_job = !worker->is_unread,
                                          .is_by_itself = !is_killed && child->status == 0,
                                          .is_timeout = child->is_timeout && !worker->is_dying,
                                          .why = why};
    worker->events->ended(worker->context, &end);
}

static void on_ended(struct child *child)
{
    struct render_worker *worker = container_of(child, struct render_worker, child);
    uv_os_fd_t socket;
    worker->is_running = false;
    /* Reads the bytes left in the socket, without waiting for a child process that holds it open. */
    if (worker->is_open && uv_fileno((const uv_handle_t *)&worker->socket, &socket) == 0)
        shutdown(socket, SHUT_RDWR);
    end_if_over(worker);
}

void render_worker_kill(struct render_worker *worker)
{
    worker->is_killed = true;
    child_kill(&worker->child, SIGKILL);
}

void render_worker_kill_for(struct render_worker *worker, const char *breach)
{
    if (worker->breach == NULL)
        worker->breach = breach;
    render_worker_kill(worker);
}

/* The worker closed its socket. Most likely it is dying already, by a signal that must not be masked by SIGKILL. */
static void hurry_up(struct render_worker *worker)
{
    if (!worker->is_running || worker->is_killed || worker->child.exit.is_timeout)
        return;
    worker->is_dying = true;
    child_kill(&worker->child, SIGTERM);
    child_limit_time(&worker->child, DYING_MS);
}

void render_worker_abandon(struct render_worker *worker)
{
    worker->is_abandoned = true;
    render_worker_kill(worker);
}

void render_worker_limit_time(struct render_worker *worker, uint64_t time_ms)
{
    if (!worker->is_dying)
        child_limit_time(&worker->child, time_ms);
}

uint64_t render_worker_cpu_used_ms(const struct render_worker *worker) { return child_cpu_used_ms(&worker->child); }

/* --------- its answers --------- */

static bool is_good_result(const struct render_worker *worker)
{
    const struct render_result *result = &worker->result;
    const bool is_expected = result->job_id == worker->job_id && (worker->task != NULL || !worker->is_ready);
    const bool has_picture = worker->is_ready && result->number == 0;
    return result->magic == RENDER_RESULT_MAGIC && is_expected && (result->size_bytes > 0) == has_picture &&
           (worker->is_ready || result->number == 0) && result->size_bytes <= PNG_BYTES_MAX &&
           render_notes_are_valid(&result->notes);
}

/* Only errors that the picture can cause are passed on as such. */
static int code_of(uint32_t number)
{
    const int code = err_from_number(number);
    switch (code) {
    case ERR_NOTHING_TO_DRAW:
    case ERR_NOT_FINITE:
    case ERR_CLIP_NO_MATCH:
    case ERR_BAD_PARAMETER: /* clip_rest names a frame that the clip lacks */
    case ERR_NO_HUMANOID:
    case ERR_BAD_HITBOXES:
    case ERR_TOO_MANY_FRAMES: /* a clip too long for retargeting */
    case ERR_MODEL_LIMIT:
    case ERR_UNAVAILABLE: /* a font */
        return code;
    case ERR_NO_MEMORY: /* its own, not the server's */
        return ERR_RENDER_MEMORY;
    default:
        return ERR_RENDER_FAILED;
    }
}

/* The result and its picture are complete. */
static void take_result(struct render_worker *worker)
{
    struct render_result *result = &worker->result;
    struct err err = {0};
    result->message[sizeof result->message - 1] = '\0';
    worker->result_bytes = 0;
    if (result->size_bytes > 0 &&
        !render_picture_is_valid(&worker->task->job, worker->png.data, worker->png.size_bytes)) {
        render_worker_kill_for(worker, "sent a picture that is none");
        return;
    }
    worker->task = NULL;
    if (!worker->is_ready) {
        worker->is_ready = true;
        utf8_repair(result->message, strlen(result->message));
        worker->events->ready(worker->context, result->message);
        return;
    }
    struct buf png = worker->png;
    buf_init(&worker->png, 0);
    if (result->number != 0)
        err_set(&err, code_of(result->number), "%s", result->message);
    worker->events->answered(worker->context, result->number == 0 ? &png : NULL, &result->notes, &err);
    buf_fini(&png);
}

static void on_answer_alloc(uv_handle_t *handle, size_t suggested_bytes __attribute__((unused)), uv_buf_t *out)
{
    struct render_worker *worker = handle->data;
    char *to = (char *)&worker->result + worker->result_bytes;
    size_t capacity = sizeof worker->result - worker->result_bytes;
    if (capacity == 0) {
        capacity = (size_t)worker->result.size_bytes - worker->png.size_bytes;
        to = buf_reserve(&worker->png, capacity);
    }
    *out = uv_buf_init(to, to != NULL ? (unsigned)capacity : 0); /* NULL: on_answer() gets UV_ENOBUFS */
}

static void on_answer(uv_stream_t *stream, ssize_t got, const uv_buf_t *bytes __attribute__((unused)))
{
    struct render_worker *worker = stream->data;
    if (got == 0)
        return;
    if (got < 0) {
        uv_read_stop(stream);
        worker->is_open = false;
        if (got == UV_ENOBUFS)
            render_worker_kill_for(worker, "sent a picture that there is no memory for");
        /* unix(7): the peer was closed with unread bytes in it */
        worker->is_unread = worker->is_unread || got == UV_ECONNRESET;
        hurry_up(worker);
        end_if_over(worker);
        return;
    }
    if (worker->is_abandoned || worker->breach != NULL) {
        worker->result_bytes = worker->png.size_bytes = 0;
        return;
    }
    if (worker->result_bytes < sizeof worker->result) {
        worker->result_bytes += (size_t)got;
        if (worker->result_bytes < sizeof worker->result)
            return;
        if (!is_good_result(worker)) {
            worker->result_bytes = 0;
            render_worker_kill_for(worker, "sent something that is no answer");
            return;
        }
        buf_fini(&worker->png);
        buf_init(&worker->png, (size_t)worker->result.size_bytes);
    } else {
        buf_advance(&worker->png, (size_t)got);
    }
    if (worker->png.size_bytes == worker->result.size_bytes)
        take_result(worker);
}

/* Collects the descriptors of a task. given_fd: -1 where it has no given poses, or no descriptor is left; then the
 * worker refuses the job. Returns how many there are. */
static size_t list_fds(const struct render_task *task, int given_fd, int fds[RENDER_FDS_MAX])
{
    size_t count = 0;
    fds[count++] = task->imported->fd;
    for (uint32_t i = 0; i < task->job.source_count; i++)
        fds[count++] = task->clips[i]->fd;
    if (task->environment != NULL)
        fds[count++] = task->environment->fd;
    if (given_fd >= 0)
        fds[count++] = given_fd;
    return count;
}

void render_worker_send(struct render_worker *worker, const struct render_task *task, uint64_t job_id)
{
    struct render_job job = task->job;
    int fds[RENDER_FDS_MAX];
    const size_t given_bytes = (size_t)render_job_given_size(&job);
    const int given_fd = given_bytes == 0 ? -1 : fd_memory("posed-given", task->given, given_bytes);
    const size_t fds_bytes = list_fds(task, given_fd, fds) * sizeof *fds;
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof fds)];
    } control = {.header = {.cmsg_len = CMSG_LEN(fds_bytes), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct iovec parts[] = {{.iov_base = &job, .iov_len = sizeof job},
                            {.iov_base = task->tail, .iov_len = task->tail_bytes}};
    const struct msghdr message = {
        .msg_iov = parts, .msg_iovlen = 2, .msg_control = control.bytes, .msg_controllen = CMSG_SPACE(fds_bytes)};
    uv_os_fd_t socket = -1;
    memcpy(CMSG_DATA(&control.header), fds, fds_bytes);
    worker->task = task;
    worker->job_id = job.job_id = job_id;
    uv_fileno((const uv_handle_t *)&worker->socket, &socket);
    ssize_t sent;
    do
        sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    fd_close(given_fd);
    /* The socket is empty and the job is small: a partial write means that the worker has closed its end. */
    worker->is_unread = sent != (ssize_t)(sizeof job + task->tail_bytes);
    if (worker->is_unread)
        hurry_up(worker);
}

/* --------- its start --------- */

static bool is_safe(const char *path)
{
    struct err err;
    const int fd = disk_folder_open(path, &err);
    fd_close(fd);
    return fd >= 0;
}

/* Returns "MESA_SHADER_CACHE_DIR=...", so that the next worker starts at once: a folder in --cache-dir, created if
 * missing. NULL if there is no cache folder, or if others may write there, because its contents are executed as code.
 * The caller frees it. */
static char *shader_cache_env(const struct config *config)
{
    static const char NAME[] = "MESA_SHADER_CACHE_DIR=";
    char text[PATH_MAX + sizeof NAME];
    if (strcmp(config->cache_dir, "none") == 0)
        return NULL;
    const int size = snprintf(text, sizeof text, "%s%s/shaders", NAME, config->cache_dir);
    if (size < 0 || (size_t)size >= sizeof text || !is_safe(config->cache_dir) || !is_safe(text + sizeof NAME - 1))
        return NULL;
    return mem_strdup(text);
}

/* Returns the error of a worker that could not be started. */
static int start_code(int error) { return err_is_shortage(error) ? ERR_OVERLOADED : ERR_UNAVAILABLE; }

static int start_child(struct render_worker *worker, uv_loop_t *loop, const struct config *config, int socket,
                       struct err *err)
{
    static const struct child_events EVENTS = {.ended = on_ended, .closed = on_child_closed};
    _Static_assert(RENDER_SOCKET_FD == 3, "as a child's descriptors are numbered");
    struct worker_command command;
    char *shader_cache = shader_cache_env(config);
    worker_command_render(&command, config, shader_cache);
    const struct child_command child = {
        .args = command.args, .env = command.env, .fds = {socket}, .fd_count = 1, .program = WORKER_RENDER};
    int rc = child_start(&worker->child, loop, &child, &EVENTS);
    if (rc != 0)
        rc = err_set(err, start_code(-rc), "cannot start '%s': %s", command.args[0], uv_strerror(rc));
    worker_command_fini(&command);
    free(shader_cache);
    return rc;
}

struct render_worker *render_worker_start(uv_loop_t *loop, const struct config *config,
                                          const struct render_worker_events *events, void *context, struct err *err)
{
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
        err_set(err, start_code(errno), "no socket for a render worker: %s", strerror(errno));
        return NULL;
    }
    struct render_worker *worker = mem_zalloc(1, sizeof *worker);
    worker->events = events;
    worker->context = context;
    worker->open_parts = 1;
    const int rc = start_child(worker, loop, config, sockets[1], err);
    close(sockets[1]);
    if (rc < 0) {
        close(sockets[0]);
        return NULL;
    }
    worker->open_parts++;
    uv_pipe_init(loop, &worker->socket, 0);
    uv_pipe_open(&worker->socket, sockets[0]);
    worker->socket.data = worker;
    worker->is_running = worker->is_open = true;
    uv_read_start((uv_stream_t *)&worker->socket, on_answer_alloc, on_answer);
    return worker;
}

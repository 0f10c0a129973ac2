#include "daemon/renderer/render_worker.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "daemon/process/stderr_tail.h"
#include "daemon/renderer/render_validate.h"
#include "daemon/renderer/render_outcome.h"
#include "daemon/renderer/shader_cache.h"
#include "daemon/process/worker_env.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* A PNG is hardly longer than its pixels; 4096 x 4096 of them are 64 MiB. */
#define PNG_BYTES_MAX (UINT64_C(1) << 31)

/* How long a process without its socket may take to die by itself. */
enum { DYING_MS = 1000 };

struct render_worker {
    uv_process_t process;
    uv_pipe_t socket;
    struct stderr_tail words;
    uv_timer_t dying; /* since its socket is closed */
    int open_handles;
    const struct render_worker_events *events;
    void *context;
    bool is_running; /* the process */
    bool is_open;    /* the socket */
    bool is_ready;
    bool is_abandoned;
    bool is_unread;              /* the job under way did not reach it */
    uint64_t job_id;             /* under way; 0 = none, or not ready yet */
    struct render_expected form; /* of what was asked for */
    struct render_result result;
    size_t result_bytes; /* of it received */
    struct buf png;
    struct render_exit end;
};

/* --------- its end --------- */

static void on_closed(uv_handle_t *handle)
{
    struct render_worker *worker = handle->data;
    if (--worker->open_handles > 0)
        return;
    buf_fini(&worker->png);
    free(worker);
}

static void close_handles(struct render_worker *worker)
{
    uv_close((uv_handle_t *)&worker->process, on_closed);
    uv_close((uv_handle_t *)&worker->socket, on_closed);
    uv_close((uv_handle_t *)&worker->words.pipe, on_closed);
    uv_close((uv_handle_t *)&worker->dying, on_closed);
}

/* The process's end and that of its socket come in any order, and an answer may still lie in the socket. */
static void end_if_over(struct render_worker *worker)
{
    char why[RENDER_WHY_SIZE];
    if (worker->is_running || worker->is_open)
        return;
    stderr_tail_end(&worker->words);
    worker->end.words = worker->words.text;
    const int code = render_outcome(&worker->end, why);
    const bool is_killed = worker->end.is_killed || worker->end.term_signal != 0;
    const struct render_worker_end end = {.code = code,
                                          .has_read_job = !worker->is_unread,
                                          .is_by_itself = !is_killed && worker->end.exit_status == 0,
                                          .why = why};
    close_handles(worker);
    if (!worker->is_abandoned)
        worker->events->ended(worker->context, &end);
}

/* The process leads a group of its own, so that its children go with it. */
static void kill_group(const struct render_worker *worker, int signal) { kill(-worker->process.pid, signal); }

static void on_exit_of(uv_process_t *process, int64_t exit_status, int term_signal)
{
    struct render_worker *worker = process->data;
    uv_os_fd_t socket;
    worker->is_running = false;
    worker->end.exit_status = exit_status;
    worker->end.term_signal = term_signal;
    /* what lies in the socket is still read; a child that has it too is not waited for */
    if (worker->is_open && uv_fileno((const uv_handle_t *)&worker->socket, &socket) == 0)
        shutdown(socket, SHUT_RDWR);
    end_if_over(worker);
}

void render_worker_kill(struct render_worker *worker)
{
    worker->end.is_killed = true;
    if (worker->is_running)
        kill_group(worker, SIGKILL);
}

void render_worker_kill_for(struct render_worker *worker, const char *breach)
{
    if (worker->end.breach == NULL)
        worker->end.breach = breach;
    render_worker_kill(worker);
}

static void on_still_there(uv_timer_t *timer)
{
    struct render_worker *worker = timer->data;
    render_worker_kill_for(worker, "closed its socket, lived on");
}

/* Its socket is closed: most likely it is dying already, by a signal that should be told from this one. */
static void hurry_up(struct render_worker *worker)
{
    if (!worker->is_running)
        return;
    kill_group(worker, SIGTERM);
    uv_timer_start(&worker->dying, on_still_there, DYING_MS, 0);
}

void render_worker_abandon(struct render_worker *worker)
{
    worker->is_abandoned = true;
    render_worker_kill(worker);
}

/* --------- its answers --------- */

static bool is_good_result(const struct render_worker *worker)
{
    const struct render_result *result = &worker->result;
    const bool is_expected =
        worker->is_ready ? worker->job_id != 0 && result->job_id == worker->job_id : result->job_id == 0;
    const bool has_picture = worker->is_ready && result->number == 0;
    return result->magic == RENDER_RESULT_MAGIC && is_expected && (result->size_bytes > 0) == has_picture &&
           (worker->is_ready || result->number == 0) && result->size_bytes <= PNG_BYTES_MAX &&
           render_notes_are_valid(&result->notes);
}

/* Only what can be the picture's fault is passed on as such. */
static int code_of(uint32_t number)
{
    const int code = err_from_number(number);
    switch (code) {
    case ERR_NOTHING_TO_DRAW:
    case ERR_NOT_FINITE:
    case ERR_CLIP_NO_MATCH:
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
    if (result->size_bytes > 0 && !render_picture_is_valid(&worker->form, worker->png.data, worker->png.size_bytes)) {
        render_worker_kill_for(worker, "sent a picture that is none");
        return;
    }
    worker->job_id = 0;
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
    size_t room = sizeof worker->result - worker->result_bytes;
    if (room == 0) {
        room = (size_t)worker->result.size_bytes - worker->png.size_bytes;
        to = buf_reserve(&worker->png, room);
    }
    *out = uv_buf_init(to, to != NULL ? (unsigned)room : 0); /* NULL: on_answer() gets UV_ENOBUFS */
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
        /* what unix(7) calls a peer that was closed with unread bytes in it */
        worker->is_unread = worker->is_unread || got == UV_ECONNRESET;
        hurry_up(worker);
        end_if_over(worker);
        return;
    }
    if (worker->is_abandoned || worker->end.breach != NULL) {
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

void render_worker_send(struct render_worker *worker, const struct render_worker_job *job)
{
    const size_t fds_bytes = job->fd_count * sizeof *job->fds;
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE((1 + RENDER_SOURCES_MAX) * sizeof *job->fds)];
    } control = {.header = {.cmsg_len = CMSG_LEN(fds_bytes), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct iovec parts[] = {{.iov_base = (void *)(uintptr_t)job->job, .iov_len = sizeof *job->job},
                            {.iov_base = (void *)(uintptr_t)job->tail, .iov_len = job->tail_bytes}};
    const struct msghdr message = {
        .msg_iov = parts, .msg_iovlen = 2, .msg_control = control.bytes, .msg_controllen = CMSG_SPACE(fds_bytes)};
    uv_os_fd_t socket = -1;
    memcpy(CMSG_DATA(&control.header), job->fds, fds_bytes);
    worker->job_id = job->job->job_id;
    worker->form = (struct render_expected){.format = job->job->format,
                                            .width = job->job->width,
                                            .height = job->job->height,
                                            .cell_count = job->job->cell_count};
    uv_fileno((const uv_handle_t *)&worker->socket, &socket);
    ssize_t sent;
    do
        sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    /* the socket is empty and the job is small: anything but all of it means that nobody reads */
    worker->is_unread = sent != (ssize_t)(sizeof *job->job + job->tail_bytes);
    if (worker->is_unread)
        hurry_up(worker);
}

/* --------- its processor time --------- */

/* Far more than the longest sheet takes: no picture is the last of a life. */
uint64_t render_worker_cpu_limit_s(const struct limits *limits)
{
    static const uint64_t least_s = 3600, sheets = 4;
    const uint64_t pictures = RENDER_CELLS_MAX / RENDER_CELLS_A_PICTURE;
    const uint64_t sheets_s = limits->value[LIMIT_RENDER_TIME_MS] / 1000 * pictures * sheets;
    return sheets_s > least_s ? sheets_s : least_s;
}

uint64_t render_worker_cpu_used_ms(const struct render_worker *worker)
{
    clockid_t clock;
    struct timespec used;
    if (!worker->is_running || clock_getcpuclockid(worker->process.pid, &clock) != 0 ||
        clock_gettime(clock, &used) != 0)
        return 0;
    return (uint64_t)used.tv_sec * 1000 + (uint64_t)used.tv_nsec / 1000000;
}

/* --------- its start --------- */

/* Of a worker that could not be started. */
static int start_code(int error) { return err_is_shortage(error) ? ERR_OVERLOADED : ERR_UNAVAILABLE; }

static int spawn(struct render_worker *worker, uv_loop_t *loop, const struct config *config, int socket,
                 struct err *err)
{
    enum { STDIO_COUNT = RENDER_SOCKET_FD + 1 };
    char program[4096], memory[32], cpu[32];
    snprintf(program, sizeof program, "%s/posed-render", config->worker_dir);
    snprintf(memory, sizeof memory, "%llu", (unsigned long long)config->limits.value[LIMIT_RENDER_MEMORY_BYTES]);
    snprintf(cpu, sizeof cpu, "%llu", (unsigned long long)render_worker_cpu_limit_s(&config->limits));
    char gl[16];
    snprintf(gl, sizeof gl, "%s", config->gl);
    static const char *const words[] = SANDBOX_MODE_WORDS;
    char sandbox[16];
    snprintf(sandbox, sizeof sandbox, "%s", words[config->sandbox]);
    char *args[] = {program, (char[]){"--gl"},
                    gl,      (char[]){"--memory"},
                    memory,  (char[]){"--cpu"},
                    cpu,     (char[]){"--sandbox"},
                    sandbox, NULL};
    uv_stdio_container_t stdio[STDIO_COUNT] = {
        [0] = {.flags = UV_IGNORE},
        [1] = {.flags = UV_IGNORE},
        [2] = stderr_tail_stdio(&worker->words),
        [RENDER_SOCKET_FD] = {.flags = UV_INHERIT_FD, .data.fd = socket},
    };
    char *shader_cache = shader_cache_env(config);
    char **env = worker_env_new(WORKER_ENV_DRIVER, shader_cache);
    free(shader_cache);
    const uv_process_options_t options = {
        .exit_cb = on_exit_of,
        .file = program,
        .args = args,
        .env = env,
        .flags = UV_PROCESS_DETACHED, /* a Ctrl-C at the daemon's terminal is not meant for it */
        .stdio_count = STDIO_COUNT,
        .stdio = stdio,
    };
    const int rc = uv_spawn(loop, &worker->process, &options);
    worker_env_free(env);
    if (rc != 0)
        return err_set(err, start_code(-rc), "cannot start '%s': %s", program, uv_strerror(rc));
    worker->is_running = true;
    return 0;
}

static void init_handles(struct render_worker *worker, uv_loop_t *loop)
{
    uv_pipe_init(loop, &worker->socket, 0);
    stderr_tail_init(&worker->words, loop);
    uv_timer_init(loop, &worker->dying);
    worker->process.data = worker->socket.data = worker->words.pipe.data = worker->dying.data = worker;
    worker->open_handles = 4;
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
    init_handles(worker, loop);
    const int rc = spawn(worker, loop, config, sockets[1], err);
    close(sockets[1]);
    if (rc < 0) {
        close(sockets[0]);
        close_handles(worker);
        return NULL;
    }
    uv_pipe_open(&worker->socket, sockets[0]);
    worker->is_open = true;
    uv_read_start((uv_stream_t *)&worker->socket, on_answer_alloc, on_answer);
    stderr_tail_listen(&worker->words);
    return worker;
}

/* child.c - child processes on libuv: spawning, the pipe of stderr, the timer, the process group, the exit. */
#include "daemon/process/child.h"

#include "base/container_of.h"
#include "base/utf8.h"
#include "worker/sandbox_contract.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { READS_MAX = 16, STDIO_COUNT = 3 + CHILD_FDS_MAX };

/* --- its output --- */

/* size_bytes: at most CHILD_OUTPUT_SIZE. */
static void keep_output(struct child *child, const char *bytes, size_t size_bytes)
{
    if (child->output_bytes + size_bytes > CHILD_OUTPUT_SIZE) {
        const size_t dropped = child->output_bytes + size_bytes - CHILD_OUTPUT_SIZE;
        memmove(child->output, child->output + dropped, child->output_bytes - dropped);
        child->output_bytes -= dropped;
    }
    memcpy(child->output + child->output_bytes, bytes, size_bytes);
    child->output_bytes += size_bytes;
}

static void on_alloc(uv_handle_t *pipe, size_t suggested_bytes __attribute__((unused)), uv_buf_t *out)
{
    struct child *child = container_of((uv_pipe_t *)pipe, struct child, pipe);
    *out = uv_buf_init(child->read_buffer, sizeof child->read_buffer);
}

static void on_read(uv_stream_t *pipe, ssize_t size_bytes, const uv_buf_t *bytes)
{
    if (size_bytes > 0)
        keep_output(container_of((uv_pipe_t *)pipe, struct child, pipe), bytes->base, (size_t)size_bytes);
    else if (size_bytes < 0)
        uv_read_stop(pipe);
}

/* Reads the bytes left in the pipe, without waiting for its end, because a child of the process may hold it open. */
static void finish_output(struct child *child)
{
    uv_os_fd_t fd;
    ssize_t got;
    for (int i = 0; i < READS_MAX && uv_fileno((uv_handle_t *)&child->pipe, &fd) == 0 &&
                    (got = read(fd, child->read_buffer, sizeof child->read_buffer)) > 0;
         i++)
        keep_output(child, child->read_buffer, (size_t)got);
    for (size_t i = 0; i < child->output_bytes; i++)
        if (child->output[i] == '\0')
            child->output[i] = '?';
    child->output[child->output_bytes] = '\0';
}

/* --- its end --- */

static void on_closed(uv_handle_t *handle)
{
    struct child *child = handle->data;
    if (--child->open_handles == 0)
        child->events->closed(child);
}

/* count: 2, without the process that libuv has never seen, or 3. */
static void close_handles(struct child *child, int count)
{
    uv_handle_t *const handles[] = {(uv_handle_t *)&child->timer, (uv_handle_t *)&child->pipe, &child->handle};
    child->open_handles = count;
    for (int i = 0; i < count; i++) {
        handles[i]->data = child;
        uv_close(handles[i], on_closed);
    }
}

static enum worker_end end_of(const struct child *child, int64_t exit_status, int term_signal)
{
    if (child->exit.is_timeout)
        return WORKER_TIMED_OUT;
    if (term_signal != 0)
        return term_signal == child->sent_signal ? WORKER_KILLED : WORKER_SIGNALLED;
    return exit_status == 0 ? WORKER_EXITED : WORKER_FAILED;
}

/* used: NULL where libuv has waited for it. */
static void end(struct child *child, int64_t exit_status, int term_signal, const struct rusage *used)
{
    worker_usage_remove(&child->usage, end_of(child, exit_status, term_signal), used);
    child->is_running = false;
    child->exit.status = exit_status;
    child->exit.term_signal = term_signal;
    finish_output(child);
    close_handles(child, 3);
    child->events->ended(child);
}

static void on_exit_of(uv_process_t *process, int64_t exit_status, int term_signal)
{
    end(container_of(process, struct child, process), exit_status, term_signal, NULL);
}

/* Some child has ended, perhaps this one. */
static void on_exits(uv_signal_t *exits, int number __attribute__((unused)))
{
    struct child *child = container_of(exits, struct child, exits);
    struct rusage used;
    int status;
    pid_t ended;
    do
        ended = wait4(child->pid, &status, WNOHANG, &used);
    while (ended < 0 && errno == EINTR);
    if (ended == 0 || !child->is_running)
        return;
    const bool is_known = ended == child->pid; /* otherwise foreign code has waited for it */
    end(child, is_known && WIFEXITED(status) ? WEXITSTATUS(status) : -1,
        is_known && WIFSIGNALED(status) ? WTERMSIG(status) : 0, is_known ? &used : NULL);
}

void child_kill(struct child *child, int signal)
{
    if (!child->is_running)
        return;
    uv_timer_stop(&child->timer);
    child->sent_signal = signal;
    if (child->pid == 0)
        child->kill_signal = signal;
    else if (kill(-child->pid, signal) != 0)
        kill(child->pid, signal); /* a fork server's may not lead its group yet */
}

/* On the second tick only: after SIGCONT a loop runs timers before it sees that a process has ended. */
static void on_time_over(uv_timer_t *timer)
{
    struct child *child = container_of(timer, struct child, timer);
    if (!child->is_late) {
        child->is_late = true;
        uv_timer_start(timer, on_time_over, 1, 0);
        return;
    }
    child->exit.is_timeout = true;
    child_kill(child, SIGKILL);
}

void child_limit_time(struct child *child, uint64_t time_ms)
{
    child->is_late = false;
    child->time_ms = time_ms;
    if (time_ms == 0 || !child->is_running)
        uv_timer_stop(&child->timer);
    else if (child->pid != 0) /* else its time begins with it */
        uv_timer_start(&child->timer, on_time_over, time_ms, 0);
}

pid_t child_pid(const struct child *child) { return child->is_running ? child->pid : 0; }

bool child_has_ended(const struct child *child) { return !child->is_running; }

uint64_t child_cpu_used_ns(const struct child *child)
{
    clockid_t clock;
    struct timespec used;
    if (!child->is_running || child->pid == 0 || clock_getcpuclockid(child->pid, &clock) != 0 ||
        clock_gettime(clock, &used) != 0)
        return 0;
    return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

uint64_t child_cpu_used_ms(const struct child *child) { return child_cpu_used_ns(child) / 1000000; }

/* --- its start --- */

static int spawn(struct child *child, uv_loop_t *loop, const struct child_command *command, int output_fd)
{
    const uv_stdio_container_t output = {.flags = UV_INHERIT_FD, .data.fd = output_fd};
    uv_stdio_container_t stdio[STDIO_COUNT] = {{.flags = UV_IGNORE}, {.flags = UV_IGNORE}, output};
    if (command->has_stdout)
        stdio[STDOUT_FILENO] = output;
    for (int i = 0; i < command->fd_count; i++)
        stdio[3 + i] = (uv_stdio_container_t){.flags = UV_INHERIT_FD, .data.fd = command->fds[i]};
    const uv_process_options_t options = {
        .exit_cb = on_exit_of,
        .file = command->args[0],
        .args = (char **)(uintptr_t)command->args,
        .env = (char **)(uintptr_t)command->env,
        .flags = UV_PROCESS_DETACHED, /* a Ctrl-C at the daemon's terminal is not meant for it */
        .stdio_count = 3 + command->fd_count,
        .stdio = stdio,
    };
    return uv_spawn(loop, &child->process, &options);
}

/* Opens its timer and the pipe of its output; *output_fd is the process's end of the pipe. Closes them again on
 * failure. */
static int prepare(struct child *child, uv_loop_t *loop, const struct child_events *events, int *output_fd)
{
    int fds[2];
    child->events = events;
    child->exit.output = child->output;
    uv_timer_init(loop, &child->timer);
    uv_pipe_init(loop, &child->pipe, 0);
    if (pipe2(fds, O_CLOEXEC) != 0) {
        const int error = -errno;
        close_handles(child, 2);
        return error;
    }
    uv_pipe_open(&child->pipe, fds[0]);
    *output_fd = fds[1];
    return 0;
}

int child_start(struct child *child, uv_loop_t *loop, const struct child_command *command,
                const struct child_events *events)
{
    int output_fd;
    int rc = prepare(child, loop, events, &output_fd);
    if (rc != 0)
        return rc;
    rc = spawn(child, loop, command, output_fd);
    close(output_fd);
    child->is_running = rc == 0;
    child->pid = child->process.pid;
    if (rc == 0) {
        worker_usage_add(&child->usage, command->program, child->pid);
        uv_read_start((uv_stream_t *)&child->pipe, on_alloc, on_read);
    } else {
        close_handles(child, 3);
    }
    return rc;
}

int child_await(struct child *child, uv_loop_t *loop, const struct child_events *events, int *stderr_fd)
{
    const int rc = prepare(child, loop, events, stderr_fd);
    if (rc != 0)
        return rc;
    uv_signal_init(loop, &child->exits);
    uv_read_start((uv_stream_t *)&child->pipe, on_alloc, on_read);
    child->is_running = true;
    return 0;
}

void child_adopt(struct child *child, pid_t pid)
{
    child->pid = pid;
    worker_usage_add(&child->usage, WORKER_IMPORT, pid);
    uv_signal_start(&child->exits, on_exits, SIGCHLD);
    child_limit_time(child, child->time_ms);
    if (child->kill_signal != 0)
        child_kill(child, child->kill_signal);
    on_exits(&child->exits, SIGCHLD); /* it may have ended before the handle was active */
}

void child_give_up(struct child *child, int error, const char *output)
{
    child->exit.start_error = error;
    child->output_bytes = 0;
    keep_output(child, output, strnlen(output, CHILD_OUTPUT_SIZE));
    end(child, 0, 0, NULL);
}

void child_drop(struct child *child)
{
    child->is_running = false;
    close_handles(child, 3);
}

static void ignore(struct child *child) { (void)child; }

int child_run(char *const *args, char *const *env, uint64_t time_ms, struct child *out)
{
    static const struct child_events EVENTS = {.ended = ignore, .closed = ignore};
    const struct child_command command = {.args = args, .env = env, .has_stdout = true};
    uv_loop_t loop;
    memset(out, 0, sizeof *out);
    int rc = uv_loop_init(&loop);
    if (rc != 0)
        return rc;
    rc = child_start(out, &loop, &command, &EVENTS);
    child_limit_time(out, time_ms);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    return rc;
}

enum { SYSCALL_MAX = 1 << 20 };

/* --- explanations of its end, any thread --- */

const char *child_exit_last_line(const char *output, char out[LAST_LINE_SIZE])
{
    size_t end = strlen(output);
    while (end > 0 && (unsigned char)output[end - 1] <= ' ')
        end--;
    size_t start = end;
    while (start > 0 && output[start - 1] != '\n')
        start--;
    snprintf(out, LAST_LINE_SIZE, "%.*s", (int)(end - start), output + start);
    for (char *c = out; *c != '\0'; c++)
        if ((unsigned char)*c < ' ')
            *c = '?';
    utf8_repair(out, strlen(out));
    return out;
}

const char *child_exit_words(const struct child_exit *exit, char out[LAST_LINE_SIZE])
{
    child_exit_last_line(exit->output, out);
    if (out[0] != '\0')
        return out;
    if (exit->start_error != 0)
        snprintf(out, LAST_LINE_SIZE, "it could not be started: %s", uv_strerror(exit->start_error));
    else if (exit->is_timeout)
        snprintf(out, LAST_LINE_SIZE, "it took too long");
    else if (exit->term_signal != 0)
        snprintf(out, LAST_LINE_SIZE, "it was ended by signal %d (%s)", exit->term_signal,
                 strsignal(exit->term_signal));
    else
        snprintf(out, LAST_LINE_SIZE, "it ended with status %d", (int)exit->status);
    return out;
}

const char *child_exit_denied_syscall(const char *output, char out[DENIED_SYSCALL_SIZE])
{
    const char *found = NULL;
    for (const char *at = output; (at = strstr(at, SANDBOX_REFUSED)) != NULL; at += strlen(SANDBOX_REFUSED))
        found = at + strlen(SANDBOX_REFUSED);
    const long number = found != NULL ? strtol(found, NULL, 10) : -1;
    if (number < 0 || number > SYSCALL_MAX) {
        snprintf(out, DENIED_SYSCALL_SIZE, "a call of a foreign kind");
        return out;
    }
    char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, (int)number);
    if (name != NULL)
        snprintf(out, DENIED_SYSCALL_SIZE, "%s()", name);
    else
        snprintf(out, DENIED_SYSCALL_SIZE, "system call %ld", number);
    free(name);
    return out;
}

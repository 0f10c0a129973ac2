/* child.h - runs one child process: starts it as the leader of its own process group, or lets a fork server make it
 * (fork_server.h), reads its stderr, limits its time, and kills it together with its group. Loop thread only.
 *
 * The process gets only the given environment and descriptors from the daemon; its stdin is /dev/null, and so is its
 * stdout unless the daemon reads it. The owner embeds struct child in zeroed memory that does not move until closed()
 * has run. */
#pragma once

#include "daemon/process/worker_usage.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

enum { CHILD_OUTPUT_SIZE = 4096, CHILD_FDS_MAX = 2 };

/* How a process ended. */
struct child_exit {
    int start_error;    /* a negative errno: the process never existed, and output has the known reason */
    int64_t status;     /* if term_signal is 0 */
    int term_signal;    /* 0: it ended by itself */
    bool is_timeout;    /* it was killed because it exceeded its time */
    const char *output; /* the end of its stderr, where libraries say why they abort */
};

struct child;

/* Events for the owner, each once. Neither runs before child_start() has returned. */
struct child_events {
    /* The process has ended; child->exit says how. Does not run after a failed child_start(). */
    void (*ended)(struct child *child);
    /* The last event, also after a failed child_start(): the owner may reuse the memory. */
    void (*closed)(struct child *child);
};

struct child {
    struct child_exit exit; /* valid from ended() on */
    /* the rest is private to child.c */
    const struct child_events *events;
    union {
        uv_handle_t handle;
        uv_process_t process;
        uv_signal_t exits; /* for a process of a fork server: libuv does not wait for it */
    };
    pid_t pid;        /* 0: the fork server has not made it yet */
    uint64_t time_ms; /* child_limit_time() */
    int kill_signal;  /* to send once the process exists */
    int sent_signal;  /* the last signal of child_kill() */
    struct worker_entry usage;
    struct child *next; /* in the list that waits for a fork server */
    uv_pipe_t pipe;     /* stderr, and stdout if the daemon reads it */
    uv_timer_t timer;
    int open_handles;
    bool is_running, is_late;
    size_t output_bytes;
    char output[CHILD_OUTPUT_SIZE + 1];
    char read_buffer[CHILD_OUTPUT_SIZE];
};

struct child_command {
    char *const *args; /* [0] is the program; terminated by NULL */
    char *const *env;  /* the whole environment */
    int fds[CHILD_FDS_MAX];
    int fd_count;    /* fds become descriptors 3, 4, ... of the process */
    bool has_stdout; /* the daemon reads its stdout as well */
    enum worker_program program;
};

/* Starts a process. `command` is borrowed for the call, `events` for the child's life. Returns 0 or a negative
 * errno. */
int child_start(struct child *child, uv_loop_t *loop, const struct child_command *command,
                const struct child_events *events);

/* --- for fork_server.c --- */

/* Like child_start(), for a process requested from a fork server. *stderr_fd is the process's end of the pipe; the
 * caller closes it. On success the caller follows with one of the next three functions. */
int child_await(struct child *child, uv_loop_t *loop, const struct child_events *events, int *stderr_fd);
/* Takes the new process, which the kernel regards as a child of this process. */
void child_adopt(struct child *child, pid_t pid);
/* Reports that there will be no process: ended() gets exit.start_error = error and this output. */
void child_give_up(struct child *child, int error, const char *output);
/* The same without ended(), before the owner knows about the request. */
void child_drop(struct child *child);

/* --- for all --- */

/* Kills the process if it still runs in time_ms, with exit.is_timeout set; replaces the previous limit. 0: no limit. */
void child_limit_time(struct child *child, uint64_t time_ms);

/* Sends the signal to the process and its group, and ends the time limit. Does nothing if the process has ended. */
void child_kill(struct child *child, int signal);

/* Returns 0 before the process exists and after it has ended. */
pid_t child_pid(const struct child *child);

/* True from the call of ended() on. */
bool child_has_ended(const struct child *child);

/* Return the processor time of the process, as counted by the kernel; 0 if it has ended. */
uint64_t child_cpu_used_ns(const struct child *child);
uint64_t child_cpu_used_ms(const struct child *child);

/* Runs a program to its end, or for time_ms, without a loop, at start-up. Fills *out, with the output of stdout and
 * stderr. Returns 0, or the negative errno of a failed start. */
int child_run(char *const *args, char *const *env, uint64_t time_ms, struct child *out);

enum { LAST_LINE_SIZE = 288, DENIED_SYSCALL_SIZE = 64 };

/* Copies the last nonblank line of `output`, or its start, as printable UTF-8. Returns out. Any thread. */
const char *child_exit_last_line(const char *output, char out[LAST_LINE_SIZE]);

/* Describes why a process failed, never "": by that line, or by the way it ended if it wrote none. Returns out. Any
 * thread. */
const char *child_exit_words(const struct child_exit *exit, char out[LAST_LINE_SIZE]);

/* Names the system call for which the sandbox ended a process, by the end of its output ("" for none). Fills out with
 * "openat()", "system call 999", or "a call of a foreign kind" if the output does not name it; returns out. Any
 * thread. */
const char *child_exit_denied_syscall(const char *output, char out[DENIED_SYSCALL_SIZE]);

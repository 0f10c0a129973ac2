/* child.h - one child process: started as the leader of a process group of its own, or made so by a fork server
 * (fork_server.h), listened to on its stderr, given a time, and killed together with its group. Loop thread only.
 *
 * The process has nothing of the daemon's but the environment and the descriptors that it is given; its stdin is
 * /dev/null, and so is its stdout unless it is listened to. The owner embeds struct child in zeroed memory that stays
 * where it is until closed() has run. */
#pragma once

#include "daemon/process/worker_usage.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

enum { CHILD_OUTPUT_SIZE = 4096, CHILD_FDS_MAX = 2 };

/* How a process ended. */
struct child_exit {
    int start_error;    /* a negative errno: there was never a process, and output says what is known of why */
    int64_t status;     /* when term_signal is 0 */
    int term_signal;    /* 0: it ended by itself */
    bool is_timeout;    /* it was killed because its time was over */
    const char *output; /* the end of what it wrote to stderr, where libraries say why they die */
};

struct child;

/* What the owner hears of, each once. Neither runs before child_start() has returned. */
struct child_events {
    /* The process is gone; child->exit says how. Not after a child_start() that failed. */
    void (*ended)(struct child *child);
    /* Last of all, after a child_start() that failed too: the memory is the owner's again. */
    void (*closed)(struct child *child);
};

struct child {
    struct child_exit exit; /* since ended(); its output until the memory goes */
    /* the rest is private to child.c */
    const struct child_events *events;
    union {
        uv_handle_t handle;
        uv_process_t process;
        uv_signal_t exits; /* of one that a fork server made: libuv does not wait for it */
    };
    pid_t pid;        /* 0: a fork server has not made it yet */
    uint64_t time_ms; /* child_limit_time() */
    int kill_signal;  /* to be sent once there is a process */
    int sent_signal;  /* by child_kill(), the last */
    struct worker_entry usage;
    struct child *next; /* of those that wait for a fork server */
    uv_pipe_t pipe;     /* stderr, and stdout where that is listened to */
    uv_timer_t timer;
    int open_handles;
    bool is_running, is_late;
    size_t output_bytes;
    char output[CHILD_OUTPUT_SIZE + 1];
    char read_buffer[CHILD_OUTPUT_SIZE];
};

struct child_command {
    char *const *args; /* [0] is the program; NULL behind the last */
    char *const *env;  /* all of it */
    int fds[CHILD_FDS_MAX];
    int fd_count;    /* which of the daemon's become descriptors 3, 4, ... of the process */
    bool has_stdout; /* its stdout is listened to as well */
    enum worker_program program;
};

/* `command` is borrowed for the call, `events` for good. Returns 0 or the negative errno of the failure. */
int child_start(struct child *child, uv_loop_t *loop, const struct child_command *command,
                const struct child_events *events);

/* --- for fork_server.c --- */

/* As child_start() of a process that a fork server is asked for. *stderr_fd is the process's end of the pipe, the
 * caller's to close. One of the next three follows, unless it failed. */
int child_await(struct child *child, uv_loop_t *loop, const struct child_events *events, int *stderr_fd);
/* The process is there, a child of this process as the kernel sees it. */
void child_adopt(struct child *child, pid_t pid);
/* There will be no process: ended() with exit.start_error = error and this output. */
void child_give_up(struct child *child, int error, const char *output);
/* The same without ended(): before the owner knows that the process is awaited. */
void child_drop(struct child *child);

/* --- for all --- */

/* Kills the process when it is still there in time_ms, and has exit.is_timeout say so; in place of the time that was
 * set before. 0: it has any time. */
void child_limit_time(struct child *child, uint64_t time_ms);

/* Sends the signal to the process and its group, and sets no time any more. Does nothing when it has ended. */
void child_kill(struct child *child, int signal);

/* 0: there is none yet, or none any more. */
pid_t child_pid(const struct child *child);

/* ended() has run, or runs. */
bool child_has_ended(const struct child *child);

/* The processor time that the process has used, by the kernel's account; 0 when it has ended. */
uint64_t child_cpu_used_ns(const struct child *child);
uint64_t child_cpu_used_ms(const struct child *child);

/* Runs a program to its end, or until time_ms are over, without a loop: at start-up. Fills *out, whose output is that
 * of stdout and stderr. Returns 0, or the negative errno of a start that failed. */
int child_run(char *const *args, char *const *env, uint64_t time_ms, struct child *out);

enum { LAST_LINE_SIZE = 288, DENIED_SYSCALL_SIZE = 64 };

/* The last line of `output` that is not blank, or its start; printable UTF-8. Returns out. Any thread. */
const char *child_exit_last_line(const char *output, char out[LAST_LINE_SIZE]);

/* What is known of why a process failed, never "": that line, or how the process ended where it wrote none. Returns
 * out. Any thread. */
const char *child_exit_words(const struct child_exit *exit, char out[LAST_LINE_SIZE]);

/* The system call that the sandbox ended a process for, by the last that it wrote ("" for nothing). Fills out with
 * "openat()", "system call 999", or "a call of a foreign kind" when the output does not say it; returns out. Any
 * thread.
 */
const char *child_exit_denied_syscall(const char *output, char out[DENIED_SYSCALL_SIZE]);

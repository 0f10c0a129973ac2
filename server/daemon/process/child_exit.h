/* child_exit.h - how a child process ended, and what it wrote last. Any thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct child_exit {
    int64_t status;    /* when term_signal is 0 */
    int term_signal;   /* 0: it ended by itself */
    bool is_timeout;   /* it was killed because its time was over */
    const char *words; /* the end of what it wrote to stderr, where libraries say why they die */
};

enum { LAST_LINE_SIZE = 288, DENIED_SYSCALL_SIZE = 64 };

/* The last line of `words` that is not blank, or its start; printable UTF-8. Returns out. */
const char *child_exit_last_line(const char *words, char out[LAST_LINE_SIZE]);

/* The system call that the sandbox ended a process for, by its last words ("" for none). Fills out with "openat()",
 * "system call 999", or "a call of a foreign kind" when the words do not say it; returns out. */
const char *child_exit_denied_syscall(const char *words, char out[DENIED_SYSCALL_SIZE]);

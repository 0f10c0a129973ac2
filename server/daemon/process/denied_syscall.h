/* denied_syscall.h - the name of the system call that a worker's sandbox ended it for. Any thread. */
#pragma once

enum { DENIED_SYSCALL_SIZE = 64 };

/* `words`: the last that the process wrote to stderr, "" for none. Fills out with "openat", "system call 999", or
 * "a call of a foreign kind" when it could not say; returns out. */
const char *denied_syscall(const char *words, char out[DENIED_SYSCALL_SIZE]);

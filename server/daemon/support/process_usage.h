/* process_usage.h - reads the resource usage of a process from /proc (man 5 proc), by a few system calls, none of which
 * waits for a disk. Any thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process_memory {
    uint64_t resident_bytes, virtual_bytes;
};

/* Reads the memory of a process. False: there is no such process, or no /proc. */
bool process_usage_memory(pid_t pid, struct process_memory *out);
/* Counts open descriptors, at most PROCESS_FDS_MAX. -1: unknown. */
enum { PROCESS_FDS_MAX = 65536 };
int process_usage_fds(pid_t pid);
/* Returns the kernel's state: 'R' running or runnable, 'S' sleeping, 'D' waiting for a disk, 'T' stopped, ...; '?':
 * unknown. */
char process_usage_state(pid_t pid);
/* Returns the start time of the process, in seconds since 1970; 0: unknown. */
double process_usage_start_s(pid_t pid);

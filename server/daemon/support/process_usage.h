/* process_usage.h - what a process of this machine uses, by /proc (man 5 proc). A few system calls each, none of which
 * waits for a disk. Any thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process_memory {
    uint64_t resident_bytes, virtual_bytes;
};

/* False: there is no such process, or no /proc. */
bool process_usage_memory(pid_t pid, struct process_memory *out);
/* Open descriptors, -1: the system does not tell. Counts PROCESS_FDS_MAX at most. */
enum { PROCESS_FDS_MAX = 65536 };
int process_usage_fds(pid_t pid);
/* How the kernel sees it: 'R' runs or could, 'S' sleeps, 'D' waits for a disk, 'T' is stopped, ...; '?': unknown. */
char process_usage_state(pid_t pid);
/* When the process was started, in seconds since 1970; 0: unknown. */
double process_usage_start_s(pid_t pid);

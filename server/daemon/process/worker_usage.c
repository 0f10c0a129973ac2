#include "daemon/process/worker_usage.h"

#include "daemon/support/process_usage.h"

#include <stdint.h>
#include <time.h>
#include <utlist.h>

#define US_PER_S 1e6

static const char *const PROGRAMS[WORKER_PROGRAM_COUNT] = {[WORKER_PROBE] = "probe",
                                                           [WORKER_IMPORT] = "posed-import",
                                                           [WORKER_IMPORT_SERVER] = "posed-import-server",
                                                           [WORKER_RENDER] = "posed-render"};
static const char *const ENDS[WORKER_END_COUNT] = {[WORKER_EXITED] = "exit",
                                                   [WORKER_FAILED] = "error",
                                                   [WORKER_SIGNALLED] = "signal",
                                                   [WORKER_TIMED_OUT] = "timeout",
                                                   [WORKER_KILLED] = "killed"};

static struct {
    struct worker_entry *first;
    uint64_t starts[WORKER_PROGRAM_COUNT], ends[WORKER_PROGRAM_COUNT][WORKER_END_COUNT];
    uint64_t ended_us[WORKER_PROGRAM_COUNT]; /* processor time of those that ended */
    uint64_t told_us[WORKER_PROGRAM_COUNT];  /* the last reported time, including running processes */
} workers;

/* --- starts and ends --- */

static uint64_t cpu_us(const struct rusage *used)
{
    return (uint64_t)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) * 1000000 +
           (uint64_t)(used->ru_utime.tv_usec + used->ru_stime.tv_usec);
}

void worker_usage_add(struct worker_entry *entry, enum worker_program program, pid_t pid)
{
    entry->program = program;
    entry->pid = pid;
    DL_APPEND(workers.first, entry);
    workers.starts[program]++;
}

/* libuv waits for its processes without reading their usage. It is the increase of the total usage of all ended
 * children. */
static uint64_t unaccounted_us(void)
{
    struct rusage all;
    uint64_t accounted_us = 0;
    for (int i = 0; i < WORKER_PROGRAM_COUNT; i++)
        accounted_us += workers.ended_us[i];
    const uint64_t all_us = getrusage(RUSAGE_CHILDREN, &all) == 0 ? cpu_us(&all) : 0;
    return all_us > accounted_us ? all_us - accounted_us : 0;
}

void worker_usage_remove(struct worker_entry *entry, enum worker_end end, const struct rusage *used)
{
    if (entry->pid == 0)
        return;
    DL_DELETE(workers.first, entry);
    entry->pid = 0;
    workers.ends[entry->program][end]++;
    workers.ended_us[entry->program] += used != NULL ? cpu_us(used) : unaccounted_us();
}

/* --- the list of processes --- */

static void put(struct exposition *out, int program, double value)
{
    exposition_put(out, &(struct metric_label){"program", PROGRAMS[program]}, 1, value);
}

void worker_usage_put_starts(struct exposition *out)
{
    for (int i = 0; i < WORKER_PROGRAM_COUNT; i++)
        put(out, i, (double)workers.starts[i]);
}

void worker_usage_put_ends(struct exposition *out)
{
    for (int i = 0; i < WORKER_PROGRAM_COUNT; i++)
        for (int end = 0; end < WORKER_END_COUNT; end++)
            exposition_put(out, (struct metric_label[]){{"program", PROGRAMS[i]}, {"reason", ENDS[end]}}, 2,
                           (double)workers.ends[i][end]);
}

void worker_usage_put_processes(struct exposition *out)
{
    uint64_t counts[WORKER_PROGRAM_COUNT] = {0};
    for (const struct worker_entry *entry = workers.first; entry != NULL; entry = entry->next)
        counts[entry->program]++;
    for (int i = 0; i < WORKER_PROGRAM_COUNT; i++)
        put(out, i, (double)counts[i]);
}

static uint64_t running_us(pid_t pid)
{
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return 0;
    return (uint64_t)used.tv_sec * 1000000 + (uint64_t)used.tv_nsec / 1000;
}

/* The result never decreases, although the kernel rounds the usage of ended and of running processes differently. */
void worker_usage_put_cpu(struct exposition *out)
{
    uint64_t sums_us[WORKER_PROGRAM_COUNT];
    for (int i = 0; i < WORKER_PROGRAM_COUNT; i++)
        sums_us[i] = workers.ended_us[i];
    for (const struct worker_entry *entry = workers.first; entry != NULL; entry = entry->next)
        sums_us[entry->program] += running_us(entry->pid);
    for (int i = 0; i < WORKER_PROGRAM_COUNT; i++) {
        if (sums_us[i] > workers.told_us[i])
            workers.told_us[i] = sums_us[i];
        put(out, i, (double)workers.told_us[i] / US_PER_S);
    }
}

void worker_usage_put_memory(struct exposition *out)
{
    uint64_t sums[WORKER_PROGRAM_COUNT] = {0};
    unsigned reads[WORKER_PROGRAM_COUNT] = {0};
    for (const struct worker_entry *entry = workers.first; entry != NULL; entry = entry->next) {
        struct process_memory memory;
        if (reads[entry->program]++ < WORKER_READS_MAX && process_usage_memory(entry->pid, &memory))
            sums[entry->program] += memory.resident_bytes;
    }
    for (int i = 0; i < WORKER_PROGRAM_COUNT; i++)
        put(out, i, (double)sums[i]);
}

void worker_usage_put_fds(struct exposition *out)
{
    uint64_t sums[WORKER_PROGRAM_COUNT] = {0};
    unsigned reads[WORKER_PROGRAM_COUNT] = {0};
    bool is_known[WORKER_PROGRAM_COUNT] = {false};
    for (const struct worker_entry *entry = workers.first; entry != NULL; entry = entry->next) {
        if (reads[entry->program]++ >= WORKER_READS_MAX)
            continue;
        const int count = process_usage_fds(entry->pid);
        is_known[entry->program] = is_known[entry->program] || count >= 0;
        sums[entry->program] += count > 0 ? (uint64_t)count : 0;
    }
    for (int i = 0; i < WORKER_PROGRAM_COUNT; i++)
        if (is_known[i] || reads[i] == 0)
            put(out, i, (double)sums[i]);
}

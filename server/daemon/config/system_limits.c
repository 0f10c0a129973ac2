#include "daemon/config/system_limits.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { PATH_SIZE = 4096 };

/* The least found so far; 0 = none. */
struct least_limits {
    double cores;
    uint64_t memory_bytes;
};

/* Reads a small file into text[size]; false when it is not there. */
static bool read_small(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    const size_t length = fread(text, 1, size - 1, file);
    fclose(file);
    text[length] = '\0';
    return length > 0;
}

static uint32_t affinity_cores(void)
{
    for (size_t count = CPU_SETSIZE; count <= 1u << 20; count *= 2) { /* the kernel refuses a set that is too small */
        cpu_set_t *set = CPU_ALLOC(count);
        if (set == NULL)
            break;
        const size_t size = CPU_ALLOC_SIZE(count);
        const int found = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (found > 0)
            return (uint32_t)found;
    }
    return 1;
}

/* The cgroup of this process for `controller`, "" for the one hierarchy of version 2. Lines are ID:CONTROLLERS:PATH. */
static bool find_group(const char *root, const char *controller, char out[PATH_SIZE])
{
    char path[PATH_SIZE], text[PATH_SIZE];
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    if (!read_small(path, text, sizeof text))
        return false;
    for (char *line = text, *next; line != NULL && *line != '\0'; line = next) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        char *names = strchr(line, ':');
        char *group = names == NULL ? NULL : strchr(names + 1, ':');
        if (group == NULL)
            continue;
        *group++ = '\0';
        bool is_it = *controller == '\0' && names[1] == '\0';
        char *rest = NULL;
        for (char *name = strtok_r(names + 1, ",", &rest); name != NULL; name = strtok_r(NULL, ",", &rest))
            is_it = is_it || (*controller != '\0' && strcmp(name, controller) == 0);
        if (is_it && strstr(group, "..") == NULL) {
            snprintf(out, PATH_SIZE, "%s", group);
            return true;
        }
    }
    return false;
}

/* Calls visit(folder) for this process's group and for each group above it: every one of them limits.
 * In a container without its own cgroup namespace the path is the host's, and only the mount's top exists. */
static void each_level(const char *root, const char *mount, const char *controller,
                       void (*visit)(const char *folder, struct least_limits *limit), struct least_limits *limit)
{
    char group[PATH_SIZE];
    if (!find_group(root, controller, group))
        return;
    for (;;) {
        char folder[2 * PATH_SIZE];
        snprintf(folder, sizeof folder, "%s/sys/fs/cgroup%s%s", root, mount, group);
        visit(folder, limit);
        char *slash = strrchr(group, '/');
        if (slash == NULL)
            return;
        *slash = '\0';
    }
}

/* The first number of FOLDER/FILE, and the second where there is one; 0 for what is not a number ("max"). */
static void read_numbers(const char *folder, const char *file, int64_t out[2])
{
    char path[3 * PATH_SIZE], text[256];
    out[0] = out[1] = 0;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    if (!read_small(path, text, sizeof text))
        return;
    out[0] = strtoll(text, NULL, 10);
    const char *space = strchr(text, ' ');
    if (space != NULL)
        out[1] = strtoll(space, NULL, 10);
}

static void keep_less_memory(struct least_limits *limit, int64_t bytes)
{
    if (bytes > 0 && (limit->memory_bytes == 0 || (uint64_t)bytes < limit->memory_bytes))
        limit->memory_bytes = (uint64_t)bytes;
}

static void keep_less_cores(struct least_limits *limit, int64_t quota_us, int64_t period_us)
{
    if (quota_us <= 0 || period_us <= 0)
        return;
    const double cores = (double)quota_us / (double)period_us;
    if (limit->cores <= 0 || cores < limit->cores)
        limit->cores = cores;
}

static void visit_v2(const char *folder, struct least_limits *limit)
{
    int64_t numbers[2];
    read_numbers(folder, "memory.max", numbers);
    keep_less_memory(limit, numbers[0]);
    read_numbers(folder, "cpu.max", numbers);
    keep_less_cores(limit, numbers[0], numbers[1]);
}

static void visit_v1_memory(const char *folder, struct least_limits *limit)
{
    int64_t numbers[2];
    read_numbers(folder, "memory.limit_in_bytes", numbers);
    keep_less_memory(limit, numbers[0]);
}

static void visit_v1_cpu(const char *folder, struct least_limits *limit)
{
    int64_t quota[2], period[2];
    read_numbers(folder, "cpu.cfs_quota_us", quota);
    read_numbers(folder, "cpu.cfs_period_us", period);
    keep_less_cores(limit, quota[0], period[0]);
}

void system_limits_read(const char *root, struct system_limits *out)
{
    char path[PATH_SIZE], text[PATH_SIZE];
    struct least_limits limit = {0};
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    const char *total = read_small(path, text, sizeof text) ? strstr(text, "MemTotal:") : NULL;
    if (total != NULL)
        keep_less_memory(&limit, strtoll(total + strlen("MemTotal:"), NULL, 10) * 1024);
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur <= INT64_MAX)
        keep_less_memory(&limit, (int64_t)space.rlim_cur);
    each_level(root, "", "", visit_v2, &limit);
    each_level(root, "/memory", "memory", visit_v1_memory, &limit);
    each_level(root, "/cpu", "cpu", visit_v1_cpu, &limit);

    *out = (struct system_limits){.cores = affinity_cores(), .memory_bytes = limit.memory_bytes};
    if (limit.cores > 0 && limit.cores < (double)out->cores) {
        const uint32_t whole = (uint32_t)limit.cores;
        out->cores = limit.cores > (double)whole ? whole + 1 : whole;
    }
}

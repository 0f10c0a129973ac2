/* system_limits.c - reads /proc/meminfo, the cgroups of version 1 and 2, rlimits and the CPU affinity. */
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

/* Reads the number at the index 0 or 1 in FOLDER/FILE; 0 if it is missing or not a number ("max"). */
static int64_t read_number(const char *folder, const char *file, int place)
{
    char path[3 * PATH_SIZE], text[256];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    if (!read_small(path, text, sizeof text))
        return 0;
    const char *at = place == 0 ? text : strchr(text, ' ');
    return at != NULL ? strtoll(at, NULL, 10) : 0;
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

/* A tree of groups: the tree of version 2, or of one controller of version 1. */
static const struct hierarchy {
    const char *mount, *controller;
    const char *memory, *quota, *period; /* files of a group */
    int period_place;                    /* in its file */
} HIERARCHIES[] = {
    {"", "", "memory.max", "cpu.max", "cpu.max", 1},
    {"/memory", "memory", "memory.limit_in_bytes", "", "", 0},
    {"/cpu", "cpu", "", "cpu.cfs_quota_us", "cpu.cfs_period_us", 0},
};

/* This process's group and each group above it: every one of them limits. In a container without its own cgroup
 * namespace the path is the host's, and only the mount's top exists. */
static void read_groups(const char *root, const struct hierarchy *tree, struct least_limits *limit)
{
    char group[PATH_SIZE], folder[2 * PATH_SIZE];
    if (!find_group(root, tree->controller, group))
        return;
    for (char *slash = group; slash != NULL;) {
        snprintf(folder, sizeof folder, "%s/sys/fs/cgroup%s%s", root, tree->mount, group);
        keep_less_memory(limit, read_number(folder, tree->memory, 0));
        keep_less_cores(limit, read_number(folder, tree->quota, 0),
                        read_number(folder, tree->period, tree->period_place));
        slash = strrchr(group, '/');
        if (slash != NULL)
            *slash = '\0';
    }
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
    for (size_t i = 0; i < sizeof HIERARCHIES / sizeof *HIERARCHIES; i++)
        read_groups(root, &HIERARCHIES[i], &limit);

    *out = (struct system_limits){.cores = affinity_cores(), .memory_bytes = limit.memory_bytes};
    if (limit.cores > 0 && limit.cores < (double)out->cores) {
        const uint32_t whole = (uint32_t)limit.cores;
        out->cores = limit.cores > (double)whole ? whole + 1 : whole;
    }
}

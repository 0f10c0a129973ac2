/* resource_limits.c - sets limits, priorities and the out-of-memory score. */
#include "worker/resource_limits.h"

#include "base/version.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

bool proc_write(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const bool is_written = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    return is_written;
}

/* Never raises an existing limit, which would fail without privileges. */
static int limit_to(int resource, uint64_t value, const char *name, struct err *err)
{
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)resource, &limit) == 0) {
        /* SIGXCPU identifies the cause and SIGKILL, at the hard limit, does not (setrlimit(2)), so the hard limit is
         * higher */
        const uint64_t hard = resource == RLIMIT_CPU ? value + 1 : value;
        if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > hard)
            limit.rlim_max = hard;
        limit.rlim_cur = limit.rlim_max < value ? limit.rlim_max : value;
        if (setrlimit((__rlimit_resource_t)resource, &limit) == 0)
            return 0;
    }
    return err_set(err, ERR_INTERNAL, "cannot limit %s to %llu: %s", name, (unsigned long long)value, strerror(errno));
}

/* The out-of-memory score that the kernel reported when it was set. Child processes inherit it. */
static char oom_score[16] = "unknown";

static void set_oom_score(void)
{
    proc_write("/proc/self/oom_score_adj", "1000");
    const int fd = open("/proc/self/oom_score_adj", O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd >= 0 ? read(fd, oom_score, sizeof oom_score - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (got > 0)
        oom_score[got - 1] = '\0'; /* removes the newline */
}

int resource_limits_settle(int last_fd, struct err *err)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
        return err_set(err, ERR_INTERNAL, "cannot give up privileges: %s", strerror(errno));
    if (last_fd > 0) /* closes what was inherited without close-on-exec */
        close_range((unsigned)last_fd + 1, ~0u, 0);
    /* When memory runs out the kernel ends the worker first, not the server. Failure is tolerated where /proc is not
     * mounted. */
    set_oom_score();
    return 0;
}

void resource_limits_yield_session(void)
{
    /* Where the kernel makes autogroups, each session has its own scheduling group, and nice values then only count
     * inside it (man 7 sched, "The autogroup feature"). At 10 the server comes first, and the worker still proceeds
     * when others keep the machine busy. */
    proc_write("/proc/self/autogroup", "10");
}

int resource_limits_yield(bool has_group, struct err *err)
{
    /* PRIO_PROCESS means one thread, PRIO_PGRP all threads of each process of the group */
    if (setpriority(has_group ? PRIO_PGRP : PRIO_PROCESS, 0, RESOURCE_LIMITS_NICE) != 0)
        return err_set(err, ERR_INTERNAL, "cannot lower the priority: %s", strerror(errno));
    return 0;
}

int resource_limits_set(const struct resource_limits *limits, struct err *err)
{
    const struct {
        int resource;
        uint64_t value;
        const char *name;
    } rows[] = {
        {RLIMIT_CPU, limits->cpu_s, "processor time"},
        {RLIMIT_AS, POSED_SANITIZED ? 0 : limits->memory_bytes, "memory"},
        {RLIMIT_FSIZE, limits->file_bytes, "file size"},
        {RLIMIT_NOFILE, limits->open_files, "open files"},
    };
    if (limit_to(RLIMIT_CORE, 0, "core dumps", err) < 0)
        return err->code;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].value != 0 && limit_to(rows[i].resource, rows[i].value, rows[i].name, err) < 0)
            return err->code;
    return 0;
}

static void put_limit(char *out, size_t size, int resource, const char *name, const char *unit)
{
    struct rlimit limit;
    const size_t length = strlen(out);
    if (getrlimit((__rlimit_resource_t)resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        snprintf(out + length, size - length, "%s=unlimited; ", name);
    else
        snprintf(out + length, size - length, "%s=%llu%s; ", name, (unsigned long long)limit.rlim_cur, unit);
}

void resource_limits_text(char out[RESOURCE_LIMITS_TEXT_SIZE])
{
    out[0] = '\0';
    put_limit(out, RESOURCE_LIMITS_TEXT_SIZE, RLIMIT_AS, "memory", " bytes");
    put_limit(out, RESOURCE_LIMITS_TEXT_SIZE, RLIMIT_CPU, "processor time", " s");
    put_limit(out, RESOURCE_LIMITS_TEXT_SIZE, RLIMIT_FSIZE, "file size", " bytes");
    put_limit(out, RESOURCE_LIMITS_TEXT_SIZE, RLIMIT_CORE, "core dump", " bytes");
    const size_t length = strlen(out);
    snprintf(out + length, RESOURCE_LIMITS_TEXT_SIZE - length, "out-of-memory score=%s", oom_score);
}

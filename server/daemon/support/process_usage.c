#include "daemon/support/process_usage.h"

#include "daemon/support/fd.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_SIZE = 1024, STARTTIME_FIELD = 22 };

/* Reads the start of a file of /proc/PID, as a text. */
static bool read_text(pid_t pid, const char *name, char text[TEXT_SIZE])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const ssize_t got = read(fd, text, TEXT_SIZE - 1);
    fd_close(fd);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

bool process_usage_memory(pid_t pid, struct process_memory *out)
{
    char text[TEXT_SIZE];
    unsigned long long pages, resident_pages;
    if (!read_text(pid, "statm", text) || sscanf(text, "%llu %llu", &pages, &resident_pages) != 2)
        return false;
    const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    *out = (struct process_memory){.resident_bytes = resident_pages * page_bytes, .virtual_bytes = pages * page_bytes};
    return true;
}

int process_usage_fds(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *folder = opendir(path);
    int count = 0;
    if (folder == NULL)
        return -1;
    for (const struct dirent *entry; count < PROCESS_FDS_MAX && (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return pid == getpid() ? count - 1 : count; /* without the folder itself */
}

/* Returns the fields after the program's name, which is in parentheses and may contain anything; NULL if there is no
 * such process. */
static const char *read_stat(pid_t pid, char text[TEXT_SIZE])
{
    return read_text(pid, "stat", text) ? strrchr(text, ')') : NULL;
}

char process_usage_state(pid_t pid)
{
    char text[TEXT_SIZE];
    const char *at = read_stat(pid, text);
    return at != NULL && at[1] == ' ' && at[2] != '\0' ? at[2] : '?';
}

/* Reads the clock ticks between the starts of the system and of the process. */
static bool read_start_ticks(pid_t pid, unsigned long long *ticks)
{
    char text[TEXT_SIZE];
    const char *at = read_stat(pid, text);
    for (int field = 2; at != NULL && field < STARTTIME_FIELD; field++) {
        at = strchr(at, ' ');
        at = at == NULL ? NULL : at + 1;
    }
    return at != NULL && sscanf(at, "%llu", ticks) == 1;
}

double process_usage_start_s(pid_t pid)
{
    unsigned long long ticks;
    struct timespec wall, since_boot;
    if (!read_start_ticks(pid, &ticks))
        return 0;
    clock_gettime(CLOCK_REALTIME, &wall);
    clock_gettime(CLOCK_BOOTTIME, &since_boot);
    const double boot_s = (double)(wall.tv_sec - since_boot.tv_sec) + (double)(wall.tv_nsec - since_boot.tv_nsec) / 1e9;
    return boot_s + (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

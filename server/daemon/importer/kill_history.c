#include "daemon/importer/kill_history.h"

#include "daemon/model/sources.h"

#include <pthread.h>
#include <string.h>

enum { KILLS_MAX = 64 };

struct kill {
    uint64_t size_bytes;
    uint8_t hash[SOURCE_HASH_SIZE];
};

static struct {
    pthread_mutex_t mutex;
    uint32_t count;
    struct kill kills[KILLS_MAX]; /* the oldest first */
} known = {.mutex = PTHREAD_MUTEX_INITIALIZER};

bool kill_history_any(void)
{
    pthread_mutex_lock(&known.mutex);
    const bool is_any = known.count > 0;
    pthread_mutex_unlock(&known.mutex);
    return is_any;
}

static bool has_size(uint64_t size_bytes)
{
    bool is_found = false;
    pthread_mutex_lock(&known.mutex);
    for (uint32_t i = 0; i < known.count; i++)
        is_found = is_found || known.kills[i].size_bytes == size_bytes;
    pthread_mutex_unlock(&known.mutex);
    return is_found;
}

/* With the mutex. */
static void take_out(uint32_t index)
{
    known.count--;
    memmove(known.kills + index, known.kills + index + 1, (known.count - index) * sizeof *known.kills);
}

static bool note(const struct kill *kill, bool is_killed)
{
    bool was_killed = false;
    pthread_mutex_lock(&known.mutex);
    for (uint32_t i = 0; i < known.count && !was_killed; i++) {
        was_killed = known.kills[i].size_bytes == kill->size_bytes &&
                     memcmp(known.kills[i].hash, kill->hash, sizeof kill->hash) == 0;
        if (was_killed)
            take_out(i);
    }
    if (is_killed) {
        if (known.count == KILLS_MAX)
            take_out(0);
        known.kills[known.count++] = *kill;
    }
    pthread_mutex_unlock(&known.mutex);
    return was_killed && is_killed;
}

bool kill_history_note(int folder_fd, const char *path, uint64_t max_file_bytes, bool is_killed)
{
    struct stat stat;
    struct source source = {.path = (char *)(uintptr_t)path};
    if (root_lstat(folder_fd, path, &stat) != 0 || (!is_killed && !has_size((uint64_t)stat.st_size)) ||
        !source_read(folder_fd, max_file_bytes, &source) || source.kind != SOURCE_BYTES)
        return false;
    struct kill kill = {.size_bytes = source.stamp.size_bytes};
    memcpy(kill.hash, source.hash, sizeof kill.hash);
    return note(&kill, is_killed);
}

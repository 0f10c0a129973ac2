/* log.c - gathers log lines per thread, and writes them to stderr, without ever waiting for a reader, or to a file. */
#include "daemon/support/log.h"

#include "daemon/support/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    SENTENCE_MAX = 1024,
    FLUSH_BYTES = 32 * 1024,
    KEPT_BYTES = 256 * 1024, /* of lines that stderr does not take */
    FILE_MODE = 0640,
    STUCK_MS = 200, /* how long stderr is waited for at the end */
};

static struct {
    enum log_format format;
    pthread_mutex_t mutex;
    int file_fd;                 /* -1: stderr is written to; under the mutex, as is the next */
    bool is_file_full;           /* the file did not take the last lines */
    struct buf lines;            /* of all threads, on their way out; under the mutex */
    atomic_size_t waiting_bytes; /* of them, for a look without it */
} log_state = {.mutex = PTHREAD_MUTEX_INITIALIZER, .file_fd = -1};

static _Thread_local struct buf gathered;

static int64_t wall_clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Says on stderr, once until the file works again, why lines are there and not in the file. Part of a line may be in
 * both. Call with the mutex. */
static void write_file(void)
{
    struct buf *lines = &log_state.lines;
    if (lines->size_bytes == 0)
        return;
    const bool is_written = fd_write(log_state.file_fd, lines->data, lines->size_bytes) == 0;
    const int error = errno;
    if (is_written)
        buf_clear(lines);
    else if (!log_state.is_file_full)
        dprintf(STDERR_FILENO, "posed: the log file takes no lines: %s; they follow here\n", strerror(error));
    log_state.is_file_full = !is_written;
}

/* Writes as much as stderr takes; call with the mutex. A write has at most the size that a writable pipe takes at once
 * (PIPE_BUF), so that it cannot block, whether stderr is blocking or not. */
static void write_lines(int patience_ms)
{
    struct buf *lines = &log_state.lines;
    size_t at = 0;
    if (log_state.file_fd >= 0)
        write_file();
    if (lines->size_bytes == 0)
        return;
    while (at < lines->size_bytes) {
        struct pollfd writable = {STDERR_FILENO, POLLOUT, 0};
        const int ready = poll(&writable, 1, patience_ms);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            break;
        const size_t left = lines->size_bytes - at;
        const ssize_t written = write(STDERR_FILENO, lines->data + at, left < PIPE_BUF ? left : PIPE_BUF);
        if (written > 0)
            at += (size_t)written;
        else if (written < 0 && errno == EAGAIN)
            break;
        else if (!(written < 0 && errno == EINTR))
            at = lines->size_bytes; /* stderr has no reader any more */
    }
    lines->size_bytes -= at;
    memmove(lines->data, lines->data + at, lines->size_bytes);
}

static size_t waiting_bytes(void) { return atomic_load_explicit(&log_state.waiting_bytes, memory_order_relaxed); }

static void flush(int patience_ms)
{
    if (gathered.size_bytes == 0 && waiting_bytes() == 0)
        return;
    pthread_mutex_lock(&log_state.mutex);
    buf_put(&log_state.lines, gathered.data, gathered.size_bytes);
    buf_clear(&gathered);
    write_lines(patience_ms);
    atomic_store_explicit(&log_state.waiting_bytes, log_state.lines.size_bytes, memory_order_relaxed);
    pthread_mutex_unlock(&log_state.mutex);
}

void log_flush(void) { flush(0); }
void log_finish(void) { flush(STUCK_MS); }

void log_leave(void)
{
    log_flush();
    buf_fini(&gathered);
}

/* Without a reader whole lines are dropped: serving goes before logging. */
static bool has_capacity(void) { return waiting_bytes() + gathered.size_bytes < KEPT_BYTES; }

void log_open(enum log_format format) { log_state.format = format; }

int log_file_open(const char *path, struct err *err)
{
    struct stat stat;
    const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, FILE_MODE);
    if (fd < 0)
        return err_set(err, ERR_BAD_PARAMETER, "--log-file %s: %s", path, strerror(errno));
    if (fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode))
        return fd;
    close(fd);
    return err_set(err, ERR_BAD_PARAMETER, "--log-file %s is no file; without --log-file the log goes to stderr", path);
}

void log_use_file(int fd)
{
    log_flush();
    pthread_mutex_lock(&log_state.mutex);
    const int before = log_state.file_fd;
    log_state.file_fd = fd;
    log_state.is_file_full = false;
    pthread_mutex_unlock(&log_state.mutex);
    fd_close(before);
}

bool log_has_requests(void) { return log_state.format != LOG_OFF; }

void log_request(const struct log_request *request)
{
    if (log_state.format == LOG_OFF || !has_capacity())
        return;
    log_put_request(&gathered, log_state.format, wall_clock_ms(), request);
    if (gathered.size_bytes >= FLUSH_BYTES)
        log_flush();
}

void log_say(enum log_level level, const char *format, ...)
{
    if ((log_state.format == LOG_OFF && level == LOG_INFO) || !has_capacity())
        return;
    char sentence[SENTENCE_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    log_put_sentence(&gathered, log_state.format, wall_clock_ms(), level, sentence);
    log_flush();
}

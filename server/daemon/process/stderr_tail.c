#include "daemon/process/stderr_tail.h"

#include "base/container_of.h"

#include <string.h>
#include <unistd.h>

enum { READS_MAX = 16 };

/* size_bytes: at most STDERR_TAIL_SIZE. */
static void keep(struct stderr_tail *words, const char *bytes, size_t size_bytes)
{
    if (words->size_bytes + size_bytes > STDERR_TAIL_SIZE) {
        const size_t dropped = words->size_bytes + size_bytes - STDERR_TAIL_SIZE;
        memmove(words->text, words->text + dropped, words->size_bytes - dropped);
        words->size_bytes -= dropped;
    }
    memcpy(words->text + words->size_bytes, bytes, size_bytes);
    words->size_bytes += size_bytes;
}

static void on_alloc(uv_handle_t *pipe, size_t suggested_bytes __attribute__((unused)), uv_buf_t *out)
{
    struct stderr_tail *words = container_of((uv_pipe_t *)pipe, struct stderr_tail, pipe);
    *out = uv_buf_init(words->read_buffer, sizeof words->read_buffer);
}

static void on_read(uv_stream_t *pipe, ssize_t size_bytes, const uv_buf_t *bytes)
{
    struct stderr_tail *words = container_of((uv_pipe_t *)pipe, struct stderr_tail, pipe);
    if (size_bytes > 0)
        keep(words, bytes->base, (size_t)size_bytes);
    else if (size_bytes < 0)
        uv_read_stop(pipe);
}

void stderr_tail_init(struct stderr_tail *words, uv_loop_t *loop) { uv_pipe_init(loop, &words->pipe, 0); }

uv_stdio_container_t stderr_tail_stdio(struct stderr_tail *words)
{
    return (uv_stdio_container_t){.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE,
                                  .data.stream = (uv_stream_t *)&words->pipe};
}

void stderr_tail_listen(struct stderr_tail *words) { uv_read_start((uv_stream_t *)&words->pipe, on_alloc, on_read); }

void stderr_tail_end(struct stderr_tail *words)
{
    uv_os_fd_t fd;
    if (uv_fileno((uv_handle_t *)&words->pipe, &fd) != 0)
        return;
    for (int i = 0; i < READS_MAX; i++) {
        const ssize_t got = read(fd, words->read_buffer, sizeof words->read_buffer);
        if (got <= 0)
            break;
        keep(words, words->read_buffer, (size_t)got);
    }
    for (size_t i = 0; i < words->size_bytes; i++)
        if (words->text[i] == '\0')
            words->text[i] = '?';
    words->text[words->size_bytes] = '\0';
}

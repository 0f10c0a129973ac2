#include "daemon/process/last_words.h"

#include <string.h>
#include <unistd.h>

enum { READS_MAX = 16 };

/* size_bytes: at most LAST_WORDS_SIZE. */
static void keep(struct last_words *words, const char *bytes, size_t size_bytes)
{
    if (words->size_bytes + size_bytes > LAST_WORDS_SIZE) {
        const size_t dropped = words->size_bytes + size_bytes - LAST_WORDS_SIZE;
        memmove(words->text, words->text + dropped, words->size_bytes - dropped);
        words->size_bytes -= dropped;
    }
    memcpy(words->text + words->size_bytes, bytes, size_bytes);
    words->size_bytes += size_bytes;
}

static void on_alloc(uv_handle_t *pipe, size_t suggested_bytes __attribute__((unused)), uv_buf_t *out)
{
    struct last_words *words = (struct last_words *)((char *)pipe - offsetof(struct last_words, pipe));
    *out = uv_buf_init(words->read_buffer, sizeof words->read_buffer);
}

static void on_read(uv_stream_t *pipe, ssize_t size_bytes, const uv_buf_t *bytes)
{
    struct last_words *words = (struct last_words *)((char *)pipe - offsetof(struct last_words, pipe));
    if (size_bytes > 0)
        keep(words, bytes->base, (size_t)size_bytes);
    else if (size_bytes < 0)
        uv_read_stop(pipe);
}

void last_words_init(struct last_words *words, uv_loop_t *loop) { uv_pipe_init(loop, &words->pipe, 0); }

uv_stdio_container_t last_words_stdio(struct last_words *words)
{
    return (uv_stdio_container_t){.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE,
                                  .data.stream = (uv_stream_t *)&words->pipe};
}

void last_words_listen(struct last_words *words) { uv_read_start((uv_stream_t *)&words->pipe, on_alloc, on_read); }

void last_words_end(struct last_words *words)
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

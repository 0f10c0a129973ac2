/* last_words.h - the end of what a worker writes to its stderr, where libraries say why they die. Loop thread only. */
#pragma once

#include <stddef.h>
#include <uv.h>

enum { STDERR_TAIL_SIZE = 4096 };

struct stderr_tail {
    uv_pipe_t pipe; /* the owner's to close; its `data` is the owner's */
    char text[STDERR_TAIL_SIZE + 1];
    size_t size_bytes;
    char read_buffer[STDERR_TAIL_SIZE];
};

/* Zeroed memory in, which stays where it is until the pipe is closed. */
void stderr_tail_init(struct stderr_tail *words, uv_loop_t *loop);
/* The process's stderr, for uv_spawn(). */
uv_stdio_container_t stderr_tail_stdio(struct stderr_tail *words);
/* Once the process runs. */
void stderr_tail_listen(struct stderr_tail *words);

/* Once it is gone: `text` is the whole of it, at most STDERR_TAIL_SIZE bytes, without a NUL in it and with one behind
 * it. The end of the stream is not waited for: a child of the process may hold it open. */
void stderr_tail_end(struct stderr_tail *words);

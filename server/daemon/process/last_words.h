/* last_words.h - the end of what a worker writes to its stderr, where libraries say why they die. Loop thread only. */
#pragma once

#include <stddef.h>
#include <uv.h>

enum { LAST_WORDS_SIZE = 4096 };

struct last_words {
    uv_pipe_t pipe; /* the owner's to close; its `data` is the owner's */
    char text[LAST_WORDS_SIZE + 1];
    size_t size_bytes;
    char read_buffer[LAST_WORDS_SIZE];
};

/* Zeroed memory in, which stays where it is until the pipe is closed. */
void last_words_init(struct last_words *words, uv_loop_t *loop);
/* The process's stderr, for uv_spawn(). */
uv_stdio_container_t last_words_stdio(struct last_words *words);
/* Once the process runs. */
void last_words_listen(struct last_words *words);

/* Once it is gone: `text` is the whole of it, at most LAST_WORDS_SIZE bytes, without a NUL in it and with one behind
 * it. The end of the stream is not waited for: a child of the process may hold it open. */
void last_words_end(struct last_words *words);

/* load_speech.h - the languages of load.c: what a request looks like, and where an answer ends. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOAD_HEAD_MAX = 8192 }; /* of a request, and of an answer's head */

/* The head of an answer. */
struct load_answer {
    size_t head_bytes;
    uint64_t body_bytes; /* what follows the head, framing included */
    int status;          /* HTTP's, or 200, or the number of an error; below 200: an answer to nothing that was asked */
};

struct load_speech {
    const char *name;
    /* Writes a request for `target`, NUL-terminated, at most LOAD_HEAD_MAX bytes; returns its size, or 0: the target
     * cannot be asked for. `host`: what was given as the server's address. */
    size_t (*put)(const char *target, const char *host, char *to);
    /* Reads the head of an answer: 1, 0: it goes on behind these bytes, -1: these are none. */
    int (*read)(const char *bytes, size_t size_bytes, struct load_answer *answer);
    /* What a new connection, a blocking socket, says and hears before its first request; false: it was refused. NULL:
     * nothing. */
    bool (*greet)(int fd);
};

/* "http", "resp" (GET TARGET, of redis) or "packets" (a TARGET with a '/' first is a `call`, others are like
 * palette?model=fox.glb&clip=0&layout=mat4&t=0.5: a `palette` with a handle); NULL: there is no such language. */
const struct load_speech *load_speech_find(const char *name);

/* load_speech.h - the protocols of load.c: the form of a request, and the end of an answer. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOAD_HEAD_MAX = 8192 }; /* of a request, and of an answer's head */

/* The head of an answer. */
struct load_answer {
    size_t head_bytes;
    uint64_t body_bytes; /* the bytes after the head, framing included */
    int status;          /* HTTP's, or 200, or the number of an error; below 200: an answer without a request */
};

struct load_speech {
    const char *name;
    /* Writes a request for `target`, NUL-terminated, at most LOAD_HEAD_MAX bytes. Returns its size, or 0 if the
     * protocol cannot express the target. `host`: the server's address as given. */
    size_t (*put)(const char *target, const char *host, char *to);
    /* Reads the head of an answer. Returns 1; 0 if more bytes are needed; -1 if the bytes are not a head. */
    int (*read)(const char *bytes, size_t size_bytes, struct load_answer *answer);
    /* Exchanges the first bytes on a new connection, which is a blocking socket. Returns false if the server refused
     * it. NULL: there are none. */
    bool (*greet)(int fd);
};

/* Finds "http", "resp" (GET TARGET, of redis) or "packets" (a TARGET with a '/' first is a `call`, others are like
 * palette?model=fox.glb&clip=0&layout=mat4&t=0.5: a `palette` with a handle). NULL: there is no such protocol. */
const struct load_speech *load_speech_find(const char *name);

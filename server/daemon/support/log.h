/* log.h - what the daemon says on stderr or in a file: one line per request, and sentences about itself.
 *
 * Loop threads only; they share one log. Bytes from requests are escaped, so no request can forge a line. Forms:
 * text  2026-01-31T12:00:00.123Z info method=GET path=/healthz status=200 bytes=16 ms=0.041 ...: protocol/http.md
 * json  the same keys, one object a line; sentences have "message"
 * off   no requests and no information; warnings and errors stay, as text
 *
 * Each thread gathers its request lines and writes them when it calls log_flush() or has 32 KiB. Sentences are written
 * at once. A stderr that nobody reads costs lines, never replies. Lines that the file does not take go to stderr. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "daemon/config/config.h"

#include <stdbool.h>
#include <stdint.h>

enum log_level { LOG_INFO, LOG_WARN };

/* One answered request. A text is NULL if it is not known or there is none. */
struct log_request {
    const char *method, *path;
    int status; /* 499: the client left before its reply */
    uint64_t body_bytes;
    double elapsed_ms; /* from the complete request to the reply handed to the socket */
    const char *id, *remote;
    const char *code;      /* of the error, by its name */
    const char *operation; /* what was asked, of which */
    const char *model;
    const char *origin;       /* where the model came from: memory, disk or import */
    double queue_ms, work_ms; /* how long it waited for its turn; how long making the reply took */
    const char *message;      /* of the error; the line has the key only if there is one */
    size_t message_bytes;
    const char *trace; /* the trace id; the line has the key only if there is one: neither NULL nor empty */
};

void log_open(enum log_format format); /* text until it is called, which is before there are other threads */
/* Opens a file to append to; it is made with mode 0640 where it is missing. Returns a descriptor or ERR_BAD_PARAMETER
 * with a sentence that names --log-file. Waits for the file system; any thread. */
int log_file_open(const char *path, struct err *err);
/* Lines go there from now on; takes the descriptor and closes the one before. Any thread. */
void log_use_file(int fd);
/* False: log_request() would do nothing, so its struct need not be filled. */
bool log_has_requests(void);
void log_request(const struct log_request *request);
void log_say(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define log_info(...) log_say(LOG_INFO, __VA_ARGS__)
#define log_warn(...) log_say(LOG_WARN, __VA_ARGS__)
/* Writes what stderr takes without waiting and keeps the rest; lines that find too much kept are dropped. */
void log_flush(void);
/* The thread logs no more: it flushes and frees what it gathered in. */
void log_leave(void);
/* Writes the last lines; waits 200 ms at most for a slow reader. */
void log_finish(void);

/* The lines themselves, with their newline, as of time_ms since 1970. Pure. */
void log_put_request(struct buf *out, enum log_format format, int64_t time_ms, const struct log_request *request);
void log_put_sentence(struct buf *out, enum log_format format, int64_t time_ms, enum log_level level,
                      const char *sentence);

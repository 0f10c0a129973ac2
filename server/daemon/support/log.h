/* log.h - logs to stderr or a file: one line per request, and sentences about the daemon itself.
 *
 * Loop threads only; they share one log. Bytes from requests are escaped, so no request can forge a line. Forms:
 * text  2026-01-31T12:00:00.123Z info method=GET path=/healthz status=200 bytes=16 ms=0.041 ...: protocol/http.md
 * json  the same keys, one object a line; sentences have "message"
 * off   no requests and no information; warnings and errors stay, as text
 *
 * Each thread gathers its request lines and writes them when it calls log_flush() or has 32 KiB. Sentences are written
 * at once. If nobody reads stderr, lines are lost, but replies are never delayed. Lines that cannot be written to the
 * file go to stderr. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "daemon/config/config.h"

#include <stdbool.h>
#include <stdint.h>

enum log_level { LOG_INFO, LOG_WARN };

/* One answered request. A text is NULL if it is unknown or missing. */
struct log_request {
    const char *method, *path;
    int status; /* 499: the client left before its reply */
    uint64_t body_bytes;
    double elapsed_ms; /* from the complete request to the reply handed to the socket */
    const char *id, *remote;
    const char *code;      /* the name of the error */
    const char *operation; /* the operation, and its */
    const char *model;
    const char *origin;       /* where the model came from: memory, disk or import */
    double queue_ms, work_ms; /* time in queues; time of making the reply */
    const char *message;      /* of the error; the key is present only if there is one */
    size_t message_bytes;
    const char *trace; /* the trace id; the key is present only if it is neither NULL nor empty */
};

void log_open(enum log_format format); /* sets the format, text by default; before there are other threads */
/* Opens a file for appending, and creates it with mode 0640 if it is missing. Returns a descriptor or ERR_BAD_PARAMETER
 * with a sentence that names --log-file. Waits for the file system; any thread. */
int log_file_open(const char *path, struct err *err);
/* Redirects lines to the file; takes the descriptor and closes the previous one. Any thread. */
void log_use_file(int fd);
/* False if log_request() would do nothing, so that its struct need not be filled. */
bool log_has_requests(void);
void log_request(const struct log_request *request);
void log_say(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define log_info(...) log_say(LOG_INFO, __VA_ARGS__)
#define log_warn(...) log_say(LOG_WARN, __VA_ARGS__)
/* Writes as much as stderr takes without waiting and keeps the rest; if too much is kept, it drops new lines. */
void log_flush(void);
/* Flushes and frees the thread's buffer, when the thread logs no more. */
void log_leave(void);
/* Writes the last lines; waits at most 200 ms for a slow reader. */
void log_finish(void);

/* Append the lines, with newline, for the time time_ms since 1970, to a buffer without a limit. Pure; in log_line.c. */
void log_put_request(struct buf *out, enum log_format format, int64_t time_ms, const struct log_request *request);
void log_put_sentence(struct buf *out, enum log_format format, int64_t time_ms, enum log_level level,
                      const char *sentence);

/* session.h - the server that posectl speaks with: one that is there (--server, POSED_SERVER), or a private one on a
 * Unix socket, which ends with this process however that ends. A session may have links in several threads, each in
 * one. */
#pragma once

#include "clients/c/posed.h"
#include "clients/cli/command_line/args.h"

#include <sys/types.h>

struct session {
    bool is_private;
    bool has_own_parameters; /* --param: no wonder if the server does not know it */
    char address[256];
    char token[260];
    pid_t pid;         /* of the private server */
    int log_fd;        /* what it said on stderr */
    char folder[4096]; /* absolute: what a private server serves; "" for another one */
};

/* `folder`: what a private server serves. `jobs`: how many pictures and imports at the same time. Returns 0, or -1
 * after complaining. */
int session_start(struct session *session, const struct args *args, const char *folder, unsigned jobs);
/* Ends a private server. Also for a session that did not start, when it is {0}. */
void session_end(struct session *session);

/* A connection that grows as it needs. {0} is none. */
struct connection {
    struct posed posed;
    unsigned char *send_memory;
    const struct session *session;
    void (*on_event)(void *context, const struct posed_packet *packet); /* or NULL */
    void *event_context;
};

/* Returns 0, or -1 after complaining. */
int connection_open(struct connection *link, const struct session *session);
/* The same, for watches and streams: see posed_options.on_event. */
int connection_open_for_events(struct connection *link, const struct session *session,
                               void (*on_event)(void *context, const struct posed_packet *packet), void *context);
void connection_close(struct connection *link);

/* An answer to a GET of `target`, or to a POST where there is a `body`. What the server has no time for now is asked
 * again for a while. Returns 0, or an enum posed_status with link->posed.error; the answer holds until the next one. */
int connection_request(struct connection *link, const char *target, const char *body, struct posed_packet *answer);
/* The error's sentence on stderr, with what there is instead of what was not found. */
void connection_report_error(const struct connection *link);
/* connection_request() and connection_report_error(): 0 or an exit status. */
int connection_request_or_report(struct connection *link, const char *target, const char *body,
                                 struct posed_packet *answer);
/* The error's sentence, without "MODEL: " at its beginning: for where the model is named already. */
const char *connection_error_message(const struct connection *link, const char *model);
/* The error's code, "clip_not_found", or what went wrong without an answer, "connection_lost"; in a buffer of the
 * caller. */
void connection_error_code(const struct connection *link, char out[64]);

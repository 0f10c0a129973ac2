/* connection.h - a connection to the server of a session, requests over it, and what their errors are called. Each is
 * used by one thread at a time. */
#pragma once

#include "clients/cli/output/json.h"
#include "clients/cli/server/session.h"

/* Its memory grows with the answers. {0} is a closed one. */
struct connection {
    struct posed posed;
    unsigned char *send_memory, *keep_memory;
    const struct session *session;
    void (*on_event)(void *context, const struct posed_packet *packet); /* or NULL */
    void *event_context;
};

/* `on_event`, for watches and streams, may be NULL: see posed_options. Returns 0, or -1 after printing why. */
int connection_open(struct connection *connection, const struct session *session,
                    void (*on_event)(void *context, const struct posed_packet *packet), void *context);
void connection_close(struct connection *connection);

/* A GET of `target`, or a POST where there is a `body`. Tries again for a while where the server is overloaded. Returns
 * 0, or an enum posed_status with connection->posed.error; the answer is valid until the next request. */
int connection_request(struct connection *connection, const char *target, const char *body,
                       struct posed_packet *answer);
/* The same of /v1/OPERATION?model=MODEL, followed by `query` ("&clip=0"). */
int connection_request_model(struct connection *connection, const char *operation, const char *model, const char *query,
                             const char *body, struct posed_packet *answer);
/* An answer's JSON, the caller's, which is an object. Returns 0, or POSED_E_PROTOCOL with connection->posed.error, as
 * the request would: servers, and what stands in for them, are not trusted to answer what was asked for. */
int connection_read_json(struct connection *connection, const struct posed_packet *answer, cJSON **json);
/* Both together: a request of a model whose answer is JSON. */
int connection_request_json(struct connection *connection, const char *operation, const char *model, const char *query,
                            const char *body, cJSON **json);
/* What a request returned as an exit status; prints the error, and the candidates for a name that was not found. */
int connection_status(const struct connection *connection, int rc);
void connection_report_error(const struct connection *connection);
/* The error's message without "MODEL: " at its beginning, for where the model is named already. */
const char *connection_error_message(const struct connection *connection, const char *model);
/* The error's code ("clip_not_found"; "connection_lost" where there was no answer), into a buffer of the caller. */
void connection_error_code(const struct connection *connection, char out[64]);

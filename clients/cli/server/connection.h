/* connection.h - a connection to the server of a session, requests over it, and the names of their errors. One thread
 * at a time may use a connection. */
#pragma once

#include "clients/cli/output/json.h"
#include "clients/cli/server/session.h"

/* Its memory grows with the answers. {0} is closed. */
struct connection {
    struct posed posed;
    unsigned char *send_memory, *keep_memory;
    const struct session *session;
    void (*on_event)(void *context, const struct posed_packet *packet); /* or NULL */
    void *event_context;
};

/* Opens a connection. `on_event`, for watches and streams, may be NULL: see posed_options. Returns 0, or -1 after
 * printing the error. */
int connection_open(struct connection *connection, const struct session *session,
                    void (*on_event)(void *context, const struct posed_packet *packet), void *context);
void connection_close(struct connection *connection);

/* Sends a GET of `target`, or a POST if there is a `body`. Retries for a while if the server is overloaded. Returns 0,
 * or an enum posed_status with the message in connection->posed.error. The answer is valid until the next request. */
int connection_request(struct connection *connection, const char *target, const char *body,
                       struct posed_packet *answer);
/* The same for /v1/OPERATION?model=MODEL, followed by `query` ("&clip=0"). */
int connection_request_model(struct connection *connection, const char *operation, const char *model, const char *query,
                             const char *body, struct posed_packet *answer);
/* Parses an answer, which must be a JSON object. The caller frees it. Returns 0, or POSED_E_PROTOCOL with the message
 * in connection->posed.error: a server, or what pretends to be one, may answer something else than was asked for. */
int connection_read_json(struct connection *connection, const struct posed_packet *answer, cJSON **json);
/* Does both: requests JSON about a model and parses it. */
int connection_request_json(struct connection *connection, const char *operation, const char *model, const char *query,
                            const char *body, cJSON **json);
/* Returns whether the server refused a parameter or the body, which come from the command line. */
bool connection_blames_command_line(const struct connection *connection);
/* Returns the exit status for the result of a request. Prints the error, and the candidates for a name that was not
 * found. */
int connection_status(const struct connection *connection, int rc);
/* Appends "0 'walk', 1 'wave'", the names that the last error offers instead, with `before` in front, or nothing. */
void connection_put_candidates(const struct connection *connection, const char *before, struct text *out);
void connection_report_error(const struct connection *connection);
/* Returns the error's message without "MODEL: " at its beginning, for lines that name the model already. */
const char *connection_error_message(const struct connection *connection, const char *model);
/* Copies the error's code into a buffer of the caller: "clip_not_found", or "connection_lost" without an answer. */
void connection_error_code(const struct connection *connection, char out[64]);

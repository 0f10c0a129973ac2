/* long_request.h - a request whose answer may take a while. It shows the progress (long_progress.h) by the server's
 * estimate (protocol/http.md), or nothing if the server gives no estimates. */
#pragma once

#include "clients/cli/server/connection.h"

/* What the server expects. */
struct long_request_estimate {
    double seconds;
    double bytes; /* negative: unknown */
};

/* Requests as connection_request_model() does. The server reads the model first, if it is not in memory. `what`: the
 * command, for the bar. */
int long_request(struct connection *connection, const char *what, const char *operation, const char *model,
                 const char *query, const char *body, struct posed_packet *answer);

/* Makes the server read the model, and asks for its estimate. what: NULL shows nothing. *answer is the JSON of the
 * estimate. Returns the same as connection_request_model(). */
int long_request_ask(struct connection *connection, const char *what, const char *operation, const char *model,
                     const char *query, const char *body, struct long_request_estimate *estimate,
                     struct posed_packet *answer);

/* Requests as connection_request_model() does, for an answer that is expected to take expected_s. */
int long_request_expected(struct connection *connection, const char *what, double expected_s, const char *operation,
                          const char *model, const char *query, const char *body, struct posed_packet *answer);

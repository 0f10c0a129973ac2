/* long_request.h - a request whose answer may take a while: how far it is, by the server's estimate (protocol/http.md),
 * is shown (long_progress.h). Nothing is shown of a server that gives no estimates. */
#pragma once

#include "clients/cli/server/connection.h"

/* What the server expects. */
struct long_request_estimate {
    double seconds;
    double bytes; /* negative: not known */
};

/* As connection_request_model(). The model is read first, if it is not in memory. `what`: the command, for the bar. */
int long_request(struct connection *connection, const char *what, const char *operation, const char *model,
                 const char *query, const char *body, struct posed_packet *answer);

/* Has the server read the model, and asks for its estimate; *answer is that one's JSON. Returns as
 * connection_request_model(). */
int long_request_ask(struct connection *connection, const char *what, const char *operation, const char *model,
                     const char *query, const char *body, struct long_request_estimate *estimate,
                     struct posed_packet *answer);

/* As connection_request_model(), of an answer that is expected to take so long. */
int long_request_expected(struct connection *connection, const char *what, double expected_s, const char *operation,
                          const char *model, const char *query, const char *body, struct posed_packet *answer);

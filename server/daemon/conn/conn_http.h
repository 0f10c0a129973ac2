/* conn_http.h - the seam between the files of HTTP on a connection: conn_http.c reads requests and has them answered,
 * http_out.c writes. Private to them. Loop thread only. */
#pragma once

#include "daemon/conn/conn_state.h"

/* Queues the answer to parser.request, coded as its client likes, and logs it; takes *reply. When more of the body
 * follows it is under way afterwards (conn->body). */
void http_send_reply(struct conn *conn, struct reply *reply);
/* allow: the methods that the resource takes, for 405; NULL where no resource is known. */
void http_send_error(struct conn *conn, const struct err *err, const char *allow);
/* The line in the log of an answer that is queued whole, or that nobody is there for. */
void http_log_reply(const struct conn *conn, const struct reply *reply, bool is_head);

/* The If-None-Match of the request as the service understands it: tags of coded bodies are those of the plain ones.
 * NULL when there is none; valid until the next call for any connection. */
const char *http_plain_tags(const struct conn *conn);

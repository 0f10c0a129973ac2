/* http_send.h - sends the responses of connections that speak HTTP. Private to conn_http.c and http_send.c; loop thread
 * only.
 */
#pragma once

#include "daemon/conn/conn.h"

/* Queues *reply as the response to parser.request, compressed as the client prefers, and logs it; takes it. If more of
 * the body follows, the connection is CONN_STREAMING afterwards. */
void http_send_reply(struct conn *conn, struct reply *reply);
/* Queues a response that is an error. allow: the methods that the resource takes, for 405; NULL if no resource is
 * known. */
void http_send_error(struct conn *conn, const struct err *err, const char *allow);
/* Logs a reply that is completely queued or, if the call is abandoned, has no recipient. has_body: its body is sent. */
void http_log_reply(const struct conn *conn, const struct reply *reply, bool has_body);

/* Returns the If-None-Match of the request, with tags of compressed bodies replaced by the tags of the plain bodies.
 * NULL if there is none; valid until the next call for any connection of the group. */
const char *http_plain_tags(const struct conn *conn);

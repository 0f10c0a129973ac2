/* http_begin.h - begins an HTTP request: its id, its client, the coding that it accepts. And it answers a request whose
 * head repeats the previous one of its connection, except for the number of its time, as a client that plays a clip
 * sends it.
 *
 * What was decided from the previous head holds: the client, its access, the accepted coding, the query, and most of
 * the head of the response. The access holds until the group's access rights are replaced, and the query until the
 * queries drop it. Whether the model is current is asked each time. Private to conn_http.c; loop thread only. */
#pragma once

#include "daemon/conn/conn.h"

/* Notes when the request was complete, its id, and who sent it. */
void http_begin_request(struct conn *conn);

/* Begins and answers parser.request if it is a repeat and that is possible at once. False: it takes the usual way. */
bool http_answer_repeat(struct conn *conn);

/* Notes that the request is allowed and its prepared query answers it, before the answer is sent. */
void http_note_repeatable(struct conn *conn, const struct query_key *key);
/* Notes that a repeat of the request has to take the usual way. */
static inline void http_note_unrepeatable(struct conn *conn)
{
    conn->reuse.is_allowed = false;
    buf_clear(&conn->reuse.head.bytes);
}

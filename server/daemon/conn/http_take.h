/* http_take.h - what the HTTP request of a connection asks, and whether it may. Loop thread only. */
#pragma once

#include "daemon/conn/conn.h"

/* At --admin there are no clients, but those who watch the server. 0, or ERR_UNAUTHORIZED or ERR_FORBIDDEN .. of
 * access_check(). */
int http_check_access(const struct conn *conn, struct err *err);

/* What request_parse() takes. It points into the parser, and if_none_match to memory of the group. */
struct request_head http_request_head(const struct conn *conn);

/* ERR_BAD_REQUEST: an upload or a delete with a header that is about a part of a file, or a state of it. */
int http_check_reservation(const struct conn *conn, const struct request *request, struct err *err);

/* Both. *request is to be freed by request_fini() in any case. */
int http_parse_request(const struct conn *conn, struct request *request, struct err *err);

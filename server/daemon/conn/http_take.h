/* http_take.h - parses the HTTP request of a connection and checks its access rights. Loop thread only. */
#pragma once

#include "daemon/conn/conn.h"

/* Checks access rights; the --admin port needs none of a client's. Returns 0, or ERR_UNAUTHORIZED, ERR_FORBIDDEN .. of
 * access_check(). */
int http_check_access(const struct conn *conn, struct err *err);

/* Returns the input of request_parse(). It points into the parser, and if_none_match to memory of the group. */
struct request_head http_request_head(const struct conn *conn);

/* Refuses uploads and deletes with headers for parts of a file or conditions on its state (ERR_BAD_REQUEST). */
int http_check_reservation(const struct conn *conn, const struct request *request, struct err *err);

/* Does both of the above. The caller always frees *request by request_fini(). */
int http_parse_request(const struct conn *conn, struct request *request, struct err *err);

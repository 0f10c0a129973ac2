/* websocket.h - the bytes of a WebSocket (RFC 6455), server side, on wslay. It carries a packet connection.
 *
 * Pure: bytes in, bytes out; no socket. One thread per websocket. The client's binary messages form one stream, whose
 * message boundaries mean nothing; each message of the server is one packet. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "wire/http/http_parser.h"

#include <stdbool.h>
#include <stdint.h>

struct websocket;

/* Status codes of a close (RFC 6455, 7.4.1). */
enum { WEBSOCKET_GOING_AWAY = 1001, WEBSOCKET_PROTOCOL_ERROR = 1002, WEBSOCKET_POLICY = 1008 };

/* True when a comma-separated list such as "keep-alive, Upgrade" (or NULL) contains the token. */
bool websocket_has_token(const char *list, const char *token);
/* True when the request names "websocket" in Upgrade. A proxy may switch the connection to WebSocket whatever the
 * response is. So after a response other than 101, later bytes must not be read as a request. */
static inline bool websocket_is_named(const struct http_request *request)
{
    return request->upgrade != NULL && websocket_has_token(request->upgrade, "websocket");
}
/* True when the request asks for a WebSocket. */
bool websocket_is_wanted(const struct http_request *request);

/* Appends the head of the 101 response, with the traceparent to echo, or "". ERR_BAD_REQUEST when the request is not a
 * valid handshake. */
int websocket_put_handshake(struct buf *out, const struct http_request *request, const char *traceparent,
                            struct err *err);

/* message_max: the largest message of a client, in bytes. */
struct websocket *websocket_new(uint64_t message_max);
void websocket_free(struct websocket *websocket); /* NULL is fine */

/* Consumes bytes of the client. It appends the payload of binary messages to `in`, and the frames that the protocol
 * itself requires (pong, close) to `out`. False: the connection must end after `out` is sent. */
bool websocket_feed(struct websocket *websocket, const char *bytes, size_t size_bytes, struct buf *in, struct buf *out);

/* Appends the head of a binary message of `size_bytes` bytes; the caller sends these. */
void websocket_put_head(struct buf *out, uint64_t size_bytes);
/* Appends a close frame. */
void websocket_put_close(struct buf *out, unsigned status);

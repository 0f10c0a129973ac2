/* websocket.h - a WebSocket's bytes (RFC 6455), server side, on wslay: what a connection of packets is wrapped in.
 *
 * Pure: bytes in, bytes out; no socket. One thread per websocket. Binary messages of the client are a stream, whose
 * bounds mean nothing; each message of the server is one packet. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "wire/http/http_parser.h"

#include <stdbool.h>
#include <stdint.h>

struct websocket;

/* Status codes of a close (RFC 6455, 7.4.1). */
enum { WEBSOCKET_GOING_AWAY = 1001, WEBSOCKET_PROTOCOL_ERROR = 1002, WEBSOCKET_POLICY = 1008 };

/* True when the token is in a list of them, "keep-alive, Upgrade", or NULL. */
bool websocket_has_token(const char *list, const char *token);
/* True when the request has a word of a WebSocket. A proxy may take the connection for one whatever the answer is, so
 * where it is not 101 nothing that comes behind may be read as a request. */
static inline bool websocket_is_named(const struct http_request *request)
{
    return request->upgrade != NULL && websocket_has_token(request->upgrade, "websocket");
}
/* True when the request asks for a WebSocket at all. */
bool websocket_is_wanted(const struct http_request *request);

/* Appends the head of the answer 101 that opens it, with the traceparent that is echoed, or "". ERR_BAD_REQUEST: the
 * request is no such opening. */
int websocket_put_handshake(struct buf *out, const struct http_request *request, const char *traceparent,
                            struct err *err);

/* message_max: bytes that a message of the client may have. */
struct websocket *websocket_new(uint64_t message_max);
void websocket_free(struct websocket *websocket); /* NULL is fine */

/* Takes bytes of the client: what its binary messages hold is appended to `in`, what the protocol answers by itself
 * (pong, close) to `out`. False: the connection ends, after `out`. */
bool websocket_feed(struct websocket *websocket, const char *bytes, size_t size_bytes, struct buf *in, struct buf *out);

/* Appends the head of a binary message of so many bytes, which follow. */
void websocket_put_head(struct buf *out, uint64_t size_bytes);
/* Appends a close. */
void websocket_put_close(struct buf *out, unsigned status);

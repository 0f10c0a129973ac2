#include "wire/http/websocket.h"

#include "base/mem.h"
#include "wire/http/url.h"

#include <nettle/base64.h>
#include <nettle/sha1.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wslay/wslay.h>

enum { KEY_BYTES = 24 /* 16 bytes in base64 */, ACCEPT_BYTES = BASE64_ENCODE_RAW_LENGTH(SHA1_DIGEST_SIZE) };
#define PROTOCOL "posed.1"

struct websocket {
    wslay_event_context_ptr context;
    const char *bytes; /* unread bytes; during websocket_feed() */
    size_t size_bytes;
    struct buf *in, *out; /* likewise */
    bool is_in_text;      /* within a text message */
    bool is_in_control;   /* within a ping, pong or close frame */
};

/* --- handshake --- */

bool websocket_has_token(const char *list, const char *token)
{
    const char *entry;
    size_t size_bytes;
    while (url_next_entry(&list, &entry, &size_bytes))
        if (url_is_word(entry, size_bytes, token))
            return true;
    return false;
}

bool websocket_is_wanted(const struct http_request *request)
{
    return request->method != NULL && strcmp(request->method, "GET") == 0 && websocket_is_named(request);
}

static bool is_key(const char *key)
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    return key != NULL && strlen(key) == KEY_BYTES && strspn(key, DIGITS) == KEY_BYTES - 2 &&
           strcmp(key + KEY_BYTES - 2, "==") == 0;
}

/* RFC 6455, 4.2.2: base64 of the SHA-1 of the key and this GUID. */
static void put_accept(const char *key, char out[ACCEPT_BYTES + 1])
{
    static const char GUID[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    uint8_t digest[SHA1_DIGEST_SIZE];
    struct sha1_ctx sha1;
    sha1_init(&sha1);
    sha1_update(&sha1, strlen(key), (const uint8_t *)key);
    sha1_update(&sha1, sizeof GUID - 1, (const uint8_t *)GUID);
    sha1_digest(&sha1, sizeof digest, digest);
    base64_encode_raw(out, sizeof digest, digest);
    out[ACCEPT_BYTES] = '\0';
}

int websocket_put_handshake(struct buf *out, const struct http_request *request, const char *traceparent,
                            struct err *err)
{
    char accept[ACCEPT_BYTES + 1];
    if (request->is_http_1_0 || !websocket_has_token(request->connection, "Upgrade"))
        return err_set(err, ERR_BAD_REQUEST, "a WebSocket needs HTTP/1.1 and 'Connection: Upgrade'");
    if (request->websocket_version == NULL || strcmp(request->websocket_version, "13") != 0)
        return err_set(err, ERR_BAD_REQUEST, "this server speaks version 13 of WebSocket: Sec-WebSocket-Version");
    if (!is_key(request->websocket_key))
        return err_set(err, ERR_BAD_REQUEST, "the request has no Sec-WebSocket-Key of 16 bytes in base64");
    if (request->has_body)
        return err_set(err, ERR_BAD_REQUEST, "a request that opens a WebSocket has no body");
    put_accept(request->websocket_key, accept);
    buf_printf(out,
               "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
               "Sec-WebSocket-Accept: %s\r\n%s%s%s%s\r\n",
               accept, *traceparent == '\0' ? "" : "traceparent: ", traceparent, *traceparent == '\0' ? "" : "\r\n",
               websocket_has_token(request->websocket_protocol, PROTOCOL) ? "Sec-WebSocket-Protocol: " PROTOCOL "\r\n"
                                                                          : "");
    return 0;
}

/* --- wslay's callbacks --- */

static ssize_t on_wants_bytes(wslay_event_context_ptr context, uint8_t *out, size_t size, int flags, void *user)
{
    struct websocket *websocket = user;
    const size_t part = websocket->size_bytes < size ? websocket->size_bytes : size;
    (void)flags;
    if (part == 0) {
        wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    memcpy(out, websocket->bytes, part);
    websocket->bytes += part;
    websocket->size_bytes -= part;
    return (ssize_t)part;
}

static ssize_t on_sends(wslay_event_context_ptr context, const uint8_t *bytes, size_t size, int flags, void *user)
{
    struct websocket *websocket = user;
    (void)context;
    (void)flags;
    buf_put(websocket->out, bytes, size);
    return (ssize_t)size;
}

static void on_frame(wslay_event_context_ptr context, const struct wslay_event_on_frame_recv_start_arg *frame,
                     void *user)
{
    struct websocket *websocket = user;
    websocket->is_in_control = wslay_is_ctrl_frame(frame->opcode);
    if (frame->opcode != WSLAY_TEXT_FRAME || websocket->is_in_text)
        return;
    websocket->is_in_text = true;
    wslay_event_queue_close(context, WSLAY_CODE_UNSUPPORTED_DATA, NULL, 0);
    wslay_event_shutdown_read(context);
}

static void on_chunk(wslay_event_context_ptr context, const struct wslay_event_on_frame_recv_chunk_arg *chunk,
                     void *user)
{
    struct websocket *websocket = user;
    (void)context;
    if (!websocket->is_in_text && !websocket->is_in_control)
        buf_put(websocket->in, chunk->data, chunk->data_length);
}

struct websocket *websocket_new(uint64_t message_max)
{
    static const struct wslay_event_callbacks CALLBACKS = {
        .recv_callback = on_wants_bytes,
        .send_callback = on_sends,
        .on_frame_recv_start_callback = on_frame,
        .on_frame_recv_chunk_callback = on_chunk,
    };
    struct websocket *websocket = mem_zalloc(1, sizeof *websocket);
    if (wslay_event_context_server_init(&websocket->context, &CALLBACKS, websocket) != 0)
        abort(); /* a small allocation, which aborts on failure like those of mem.h */
    wslay_event_config_set_no_buffering(websocket->context, 1);
    wslay_event_config_set_max_recv_msg_length(websocket->context, message_max);
    return websocket;
}

void websocket_free(struct websocket *websocket)
{
    if (websocket == NULL)
        return;
    wslay_event_context_free(websocket->context);
    free(websocket);
}

bool websocket_feed(struct websocket *websocket, const char *bytes, size_t size_bytes, struct buf *in, struct buf *out)
{
    websocket->bytes = bytes;
    websocket->size_bytes = size_bytes;
    websocket->in = in;
    websocket->out = out;
    const bool is_sound = wslay_event_recv(websocket->context) == 0;
    /* always complete: on_sends() never waits */
    const bool is_sent = wslay_event_send(websocket->context) == 0;
    return is_sound && is_sent && wslay_event_want_read(websocket->context) &&
           !wslay_event_get_close_sent(websocket->context);
}

/* --- frames of the server --- */

void websocket_put_head(struct buf *out, uint64_t size_bytes)
{
    enum { FINAL_BINARY = 0x82, BYTES_2 = 126, BYTES_8 = 127 };
    const unsigned length = size_bytes < BYTES_2 ? (unsigned)size_bytes : size_bytes <= UINT16_MAX ? BYTES_2 : BYTES_8;
    const int length_bytes = length == BYTES_2 ? 2 : length == BYTES_8 ? 8 : 0;
    buf_put_char(out, (char)FINAL_BINARY);
    buf_put_char(out, (char)length);
    for (int i = length_bytes - 1; i >= 0; i--) /* big-endian (RFC 6455, 5.2) */
        buf_put_char(out, (char)(size_bytes >> (8 * i)));
}

void websocket_put_close(struct buf *out, unsigned status)
{
    enum { FINAL_CLOSE = 0x88, STATUS_BYTES = 2 };
    buf_put_char(out, (char)FINAL_CLOSE);
    buf_put_char(out, STATUS_BYTES);
    buf_put_char(out, (char)(status >> 8));
    buf_put_char(out, (char)status);
}

/* packets.c - splits the bytes of a connection into packets, and passes each to the file that answers it. */
#include "daemon/packets/packets.h"

#include "base/mem.h"
#include "wire/http/websocket.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a WebSocket frame in addition to the payload: header and padding of a packet, or a hello; protocol/tcp.md
 * states the number. */
enum { MESSAGE_OVERHEAD_BYTES = 512 };

static const char UNKNOWN_TOKEN[] = "the token is not one of this server's";

static void forget_token(struct packets *packets)
{
    if (packets->token != NULL)
        explicit_bzero(packets->token, strlen(packets->token));
    free(packets->token);
    packets->token = NULL;
}

/* NULL: nothing to keep. */
static void keep_token(struct packets *packets, const char *token)
{
    if (token == NULL)
        return;
    forget_token(packets);
    packets->token = mem_strdup(token);
}

static void start(struct conn *conn, const struct http_request *opening)
{
    struct packets *packets = mem_zalloc(1, sizeof *packets);
    conn->packets = packets;
    packet_reader_init(&packets->reader, packet_payload_max(&conn->group->config->limits));
    if (opening == NULL)
        return;
    keep_token(packets, access_bearer_token(opening->authorization));
    packets->websocket = websocket_new(packets->reader.payload_max + MESSAGE_OVERHEAD_BYTES);
}

static void begin(struct conn *conn)
{
    const struct packet *packet = &conn->packets->reader.packet;
    struct err err;
    size_t bad_at = PACKET_NOT_MALFORMED;
    conn->packets->asked = *packet;
    conn_begin_request(conn);
    if ((packet->kind >= PACKET_FIND && packet->kind <= PACKET_CALL) || packet->kind == PACKET_OPEN ||
        packet->kind == PACKET_CROWD || packet->kind == PACKET_RAYCAST) {
        packets_start_call(conn, packet);
        return;
    }
    const int rc = packets_control(conn, packet, &bad_at, &err);
    if (rc < 0)
        packets_send_failure(conn, bad_at, &err);
    else if (rc > 0)
        packets_send_done(conn);
    packet_reader_forget(&conn->packets->reader);
}

static void greet(struct conn *conn)
{
    const struct packet_reader *reader = &conn->packets->reader;
    const struct access *access = conn->group->access;
    struct err err;
    if (access->scope == ACCESS_TOKEN_ALL) {
        keep_token(conn->packets, reader->token[0] == '\0' ? NULL : reader->token);
        const char *token = conn->packets->token;
        if (token == NULL || !access_knows_token(access, token)) {
            err_set(&err, ERR_UNAUTHORIZED, token == NULL ? "this server wants a token in the hello" : UNKNOWN_TOKEN);
            packets_refuse(conn, &err);
            return;
        }
    }
    struct packet hello = {.kind = PACKET_HELLO};
    struct buf payload;
    buf_init(&payload, 0);
    packet_put_hello(&payload, reader->version, &conn->group->config->limits);
    packets_put(conn, &hello, &payload, NULL, NULL);
    buf_fini(&payload);
    conn->has_answered = true;
}

/* --- the protocol --- */

static void feed(struct conn *conn)
{
    struct packet_reader *reader = &conn->packets->reader;
    struct err err;
    size_t used = 0;
    const int rc = packet_reader_feed(reader, conn->in, conn->in_bytes, &used, &err);
    conn->in += used;
    conn->in_bytes -= used;
    conn->packets->asked = (struct packet){0};
    if (rc == PACKET_COMPLETE || rc == PACKET_GREETED)
        timeout_disarm(&conn->timeout); /* restart the timeout for the next packet */
    if (rc == PACKET_COMPLETE) {
        begin(conn);
    } else if (rc == PACKET_GREETED) {
        greet(conn);
    } else if (rc < 0) {
        conn->packets->asked.id = reader->packet.id;
        packets_end_with_error(conn, &err, reader->bad_offset);
    } else if (conn_check_capacity(conn, reader->held.capacity_bytes, &err) < 0) {
        packets_refuse(conn, &err);
    }
}

/* Ends streams and watches, because the client gives no more credit and does not listen. */
static void on_left(struct conn *conn)
{
    streams_end_all(conn, 0);
    model_watches_remove(conn, 0);
}

/* Closes the connection of a client that requests more and more pongs without reading them. */
static void unwrap(struct conn *conn, const char **bytes, size_t *size_bytes)
{
    struct conn_group *group = conn->group;
    struct buf out;
    if (conn->packets->websocket == NULL)
        return;
    buf_init(&out, 0);
    buf_clear(&group->unwrapped);
    const bool goes_on = websocket_feed(conn->packets->websocket, *bytes, *size_bytes, &group->unwrapped, &out);
    if (!conn->packets->is_over)
        send_queue_put(&conn->out, out.data, out.size_bytes);
    buf_fini(&out);
    *bytes = group->unwrapped.data;
    *size_bytes = goes_on ? group->unwrapped.size_bytes : 0;
    if (!goes_on) {
        on_left(conn);
        conn->is_last = conn->packets->is_over = true;
    } else if (conn->out.unsent_bytes > group->config->limits.value[LIMIT_WRITE_QUEUE_BYTES]) {
        conn_close(conn);
    }
}

static enum timeout_kind timeout(const struct conn *conn)
{
    static const enum timeout_kind TIMEOUTS[] = {[PACKET_PHASE_HELLO] = TIMEOUT_HEADER,
                                                 [PACKET_PHASE_IDLE] = TIMEOUT_NONE,
                                                 [PACKET_PHASE_INSIDE] = TIMEOUT_BODY,
                                                 [PACKET_PHASE_FAILED] = TIMEOUT_NONE};
    return TIMEOUTS[conn->packets->reader.phase];
}

static size_t held_bytes(const struct conn *conn)
{
    return sizeof *conn->packets + conn->packets->reader.held.capacity_bytes +
           model_handles_held_bytes(&conn->packets->handles) + streams_held_bytes(conn) +
           model_watches_held_bytes(conn);
}

/* A client that shuts down its sending side has left (protocol/tcp.md). */
static void probe(struct conn *conn) { conn_close(conn); }

static bool drain(struct conn *conn)
{
    if (conn->state <= CONN_READING && !conn->is_last)
        packets_end_for_shutdown(conn);
    return false;
}

/* Streams end at once, and an error replaces the current reply. In the middle of a body there is no way to report an
 * error. */
static bool end_if_revoked(struct conn *conn)
{
    const struct access *access = conn->group->access;
    const struct packets *packets = conn->packets;
    struct err err;
    if (access->scope != ACCESS_TOKEN_ALL || packets->token == NULL || !access_is_revoked(access, packets->token))
        return false;
    if (conn->state == CONN_STREAMING) {
        conn_close(conn);
        return true;
    }
    err_set(&err, ERR_UNAUTHORIZED, "%s", UNKNOWN_TOKEN);
    streams_fail_all(conn, &err);
    model_watches_remove(conn, 0);
    if (conn->state == CONN_CALLING)
        conn->is_revoked = true;
    else
        packets_refuse(conn, &err);
    return true;
}

static void fini(struct conn *conn)
{
    forget_token(conn->packets);
    packet_reader_fini(&conn->packets->reader);
    buf_fini(&conn->packets->body_tail);
    model_handles_fini(&conn->packets->handles);
    websocket_free(conn->packets->websocket);
    free(conn->packets);
}

static const struct conn_protocol PROTOCOL = {
    .start = start,
    .feed = feed,
    .timeout = timeout,
    .reply = packets_reply_to_call,
    .unwrap = unwrap,
    .held_bytes = held_bytes,
    .refuse = packets_refuse,
    .probe = probe,
    .left = on_left,
    .sent = streams_resume,
    .drain = drain,
    .revoke = end_if_revoked,
    .close = on_left,
    .fini = fini,
};

void packets_attach(struct conn_group *group)
{
    group->packets = &PROTOCOL;
    model_watches_init(group);
}

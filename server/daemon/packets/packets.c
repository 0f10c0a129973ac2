/* conn_packets.c - packets on a connection: from its bytes to packets, each to whoever answers it (protocol/tcp.md). */
#include "base/mem.h"
#include "wire/http/websocket.h"
#include "daemon/support/log.h"
#include "daemon/packets/packets.h"
#include "daemon/support/stats.h"

#include <stdlib.h>

/* Of a frame of a WebSocket: header and padding of a packet, or a hello; protocol/tcp.md names the number. */
enum { MESSAGE_OVERHEAD_BYTES = 512 };

void packets_start(struct conn *conn)
{
    conn->packets = mem_zalloc(1, sizeof *conn->packets);
    packet_reader_init(&conn->packets->reader, packet_payload_max(&conn->shared->config->limits));
}

void packets_start_websocket(struct conn *conn)
{
    const bool is_authorized = conn->parser.request.authorization != NULL; /* access_check() has seen it */
    const char *bytes = conn->in;
    size_t size_bytes = conn->in_bytes;
    http_parser_fini(&conn->parser);
    conn->language = &PROTOCOL_PACKETS;
    packets_start(conn);
    conn->packets->is_authorized = is_authorized;
    conn->packets->websocket = websocket_new(conn->packets->reader.payload_max + MESSAGE_OVERHEAD_BYTES);
    conn->has_answered = false;
    /* what came behind the opening */
    PROTOCOL_PACKETS.unwrap(conn, &bytes, &size_bytes);
    buf_fini(&conn->unread);
    conn->in = bytes;
    conn->in_bytes = size_bytes;
}

static void begin(struct conn *conn)
{
    const struct packet *packet = &conn->packets->reader.packet;
    struct err err;
    size_t bad_at = PACKET_NOT_MALFORMED;
    conn->packets->asked = *packet;
    if (log_has_requests())
        conn->start_ns = uv_hrtime();
    if ((packet->kind >= PACKET_FIND && packet->kind <= PACKET_CALL) || packet->kind == PACKET_OPEN) {
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
    const struct access *access = conn->shared->access;
    struct err err;
    if (access->scope == ACCESS_TOKEN_ALL && !(conn->packets->is_authorized && reader->token[0] == '\0') &&
        !access_knows_token(access, reader->token)) {
        err_set(&err, ERR_UNAUTHORIZED,
                reader->token[0] == '\0' ? "this server wants a token in the hello"
                                         : "the token is not one of this server's");
        packets_refuse(conn, &err);
        return;
    }
    struct packet hello = {.kind = PACKET_HELLO};
    struct buf payload;
    buf_init(&payload, 0);
    packet_put_hello(&payload, reader->version, &conn->shared->config->limits);
    packets_put(conn, &hello, &payload, NULL, NULL);
    buf_fini(&payload);
    conn->has_answered = true;
}

/* --- the language --- */

/* A large packet that is being received needs room like a body of HTTP's. */
static bool is_without_room(const struct conn *conn)
{
    return conn->packets->reader.held.capacity_bytes > BUDGET_SMALL_BYTES && !budget_has_room(conn->shared->budget, 0);
}

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
        timeout_disarm(&conn->timeout); /* the next packet's time starts anew */
    if (rc == PACKET_COMPLETE) {
        begin(conn);
    } else if (rc == PACKET_GREETED) {
        greet(conn);
    } else if (rc < 0) {
        conn->packets->asked.id = reader->packet.id;
        packets_end_with_error(conn, &err, reader->bad_offset);
    } else if (is_without_room(conn)) {
        stats_add(STAT_CLIENT_MEMORY_REFUSED, 1);
        err_set(&err, ERR_OVERLOADED, "too many large requests are being received; try again later");
        packets_refuse(conn, &err);
    }
}

/* A client that asks for more and more pongs, and reads none, is closed. */
static void unwrap(struct conn *conn, const char **bytes, size_t *size_bytes)
{
    struct conn_group *shared = conn->shared;
    struct buf out;
    if (conn->packets->websocket == NULL)
        return;
    buf_init(&out, 0);
    buf_clear(&shared->unwrapped);
    const bool goes_on = websocket_feed(conn->packets->websocket, *bytes, *size_bytes, &shared->unwrapped, &out);
    if (!conn->packets->is_over)
        send_queue_put(&conn->out, out.data, out.size_bytes);
    buf_fini(&out);
    *bytes = shared->unwrapped.data;
    *size_bytes = goes_on ? shared->unwrapped.size_bytes : 0;
    if (!goes_on) {
        streams_end_all(conn, 0);
        model_watches_remove(conn, 0);
        conn->is_last = conn->packets->is_over = true;
    } else if (conn->out.unsent_bytes > shared->config->limits.value[LIMIT_WRITE_QUEUE_BYTES]) {
        conn_close(conn);
    }
}

static enum conn_phase phase(const struct conn *conn)
{
    switch (conn->packets->reader.phase) {
    case PACKET_PHASE_HELLO:
        return CONN_PHASE_HEAD;
    case PACKET_PHASE_INSIDE:
        return CONN_PHASE_BODY;
    case PACKET_PHASE_IDLE:
    case PACKET_PHASE_FAILED:
        break;
    }
    return CONN_PHASE_REST;
}

static size_t held_bytes(const struct conn *conn)
{
    return sizeof *conn->packets + conn->packets->reader.held.capacity_bytes +
           model_handles_held_bytes(&conn->packets->handles) + streams_held_bytes(conn) +
           model_watches_held_bytes(conn);
}

/* Who shuts down his sending side has left (protocol/tcp.md). */
static void probe(struct conn *conn) { conn_close(conn); }

static void sent(struct conn *conn) { streams_go_on(conn); }

static bool drain(struct conn *conn)
{
    if (!conn->is_calling && conn->body == NULL && !conn->is_last && !conn->is_closing)
        packets_end_for_shutdown(conn);
    return false;
}

/* Nobody gives credit any more, nor listens. Also when the connection closes. */
static void on_left(struct conn *conn)
{
    streams_end_all(conn, 0);
    model_watches_remove(conn, 0);
}

static void fini(struct conn *conn)
{
    packet_reader_fini(&conn->packets->reader);
    buf_fini(&conn->packets->body_tail);
    model_handles_fini(&conn->packets->handles);
    websocket_free(conn->packets->websocket);
    free(conn->packets);
}

const struct conn_protocol PROTOCOL_PACKETS = {
    .feed = feed,
    .phase = phase,
    .unwrap = unwrap,
    .held_bytes = held_bytes,
    .refuse = packets_refuse,
    .probe = probe,
    .left = on_left,
    .sent = sent,
    .drain = drain,
    .close = on_left,
    .fini = fini,
};

/* conn_packets.c - packets on a connection: bytes to requests, a request to its answer. Document: protocol/tcp.md. */
#include "../base/mem.h"
#include "../wire/websocket.h"
#include "log.h"
#include "packets.h"
#include "stats.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a WebSocket's message: header and padding of a packet, or a hello. */
enum { MESSAGE_OVERHEAD_BYTES = 512 };

static const char ZEROS[PACKET_ALIGNMENT];

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
    http_fini(&conn->parser);
    conn->language = &CONN_PACKETS;
    packets_start(conn);
    conn->packets->is_authorized = is_authorized;
    conn->packets->websocket = websocket_new(conn->packets->reader.payload_max + MESSAGE_OVERHEAD_BYTES);
    conn->has_answered = false;
    /* what came behind the opening */
    CONN_PACKETS.unwrap(conn, &bytes, &size_bytes);
    buf_fini(&conn->unread);
    conn->in = bytes;
    conn->in_bytes = size_bytes;
}

/* --- out --- */

static size_t size_of(const struct buf *buf) { return buf == NULL ? 0 : buf->size_bytes; }

void packets_put(struct conn *conn, struct packet *packet, const struct buf *front, struct reply *reply,
                 const struct buf *notes)
{
    const size_t body_bytes = reply == NULL ? 0 : reply_body_bytes(reply);
    struct buf header;
    if (conn->packets->is_over)
        return;
    buf_init(&header, 0);
    packet->payload_bytes = (uint32_t)(size_of(front) + body_bytes + size_of(notes));
    packet->note_bytes = (uint32_t)size_of(notes);
    if (conn->packets->websocket != NULL)
        websocket_put_head(&header, PACKET_HEADER_BYTES + (uint64_t)packet->payload_bytes +
                                        packet_padding(packet->payload_bytes));
    packet_put_header(&header, packet);
    if (front != NULL)
        buf_put(&header, front->data, front->size_bytes);
    out_put(&conn->out, header.data, header.size_bytes);
    buf_fini(&header);
    if (body_bytes > 0)
        out_put_body(&conn->out, reply);
    if (notes != NULL)
        out_put(&conn->out, notes->data, notes->size_bytes);
    out_put(&conn->out, ZEROS, packet_padding(packet->payload_bytes));
}

void packets_note_model(struct conn *conn, struct packet *packet, uint32_t model, const struct reply *reply)
{
    struct handle *handle = handles_find(&conn->packets->handles, model);
    if (handle == NULL)
        return;
    const bool is_other = reply->has_content && handle_see(handle, reply->content_hash);
    packet->model = model;
    packet->generation = reply->has_content ? handle->generation : 0;
    packet->flags |= is_other ? PACKET_HEADER_CHANGED : 0;
}

/* Like HTTP's: the operation and what it was about. */
static void note_answer(const struct conn *conn, const struct reply *reply)
{
    const struct packet *asked = &conn->packets->asked;
    const struct handle *handle = handles_find(&conn->packets->handles, asked->model);
    char path[256], id[16];
    if (asked->kind == 0 && reply->code == ERR_SHUTTING_DOWN)
        return; /* nobody has asked */
    snprintf(path, sizeof path, "%s%s%s", asked->kind == 0 ? "-" : packet_name(asked->kind), handle == NULL ? "" : " ",
             handle == NULL ? "" : handle->path);
    snprintf(id, sizeof id, "%u", asked->id);
    conn_count_answer(reply);
    log_request(&(struct log_request){
        .method = "PACKET",
        .path = path,
        .status = reply->status,
        .body_bytes = reply_body_bytes(reply),
        .elapsed_ms = (double)(uv_hrtime() - conn->start_ns) / 1e6,
        .id = id,
        .remote = conn->remote,
    });
}

/* Queues the answer to `asked`; takes *reply. bad_offset: of a malformed packet. */
static void answer(struct conn *conn, struct reply *reply, uint64_t bad_offset)
{
    const struct packet *asked = &conn->packets->asked;
    struct packet_frame frame;
    if (reply_body_bytes(reply) > UINT32_MAX - PACKET_HEADER_BYTES * PACKET_ALIGNMENT) {
        struct err err;
        err_set(&err, ERR_TOO_MANY_FRAMES, "the answer does not fit a packet");
        reply_error(reply, &err, NULL, 0);
    }
    note_answer(conn, reply);
    conn->has_answered = true;
    packet_frame_reply(&frame, reply, asked->id, bad_offset);
    packets_note_model(conn, &frame.packet, asked->model, reply);
    if (conn->is_last)
        frame.packet.flags |= PACKET_HEADER_CLOSING;
    packets_put(conn, &frame.packet, &frame.front, frame.has_body ? reply : NULL, &frame.notes);
    packet_frame_fini(&frame);
    reply_fini(reply);
    packet_forget(&conn->packets->reader);
}

static void answer_error_at(struct conn *conn, const struct err *err, uint64_t bad_offset)
{
    struct reply reply;
    reply_init(&reply);
    reply_error(&reply, err, NULL, 0);
    answer(conn, &reply, bad_offset);
}

static void answer_error(struct conn *conn, const struct err *err) { answer_error_at(conn, err, PACKET_NO_OFFSET); }

/* Queues a packet without payload. */
static void answer_done(struct conn *conn)
{
    const struct packet *asked = &conn->packets->asked;
    const struct handle *handle = handles_find(&conn->packets->handles, asked->model);
    struct reply reply;
    struct packet done = {.kind = PACKET_DONE,
                          .id = asked->id,
                          .model = handle == NULL ? 0 : asked->model,
                          .generation = handle == NULL ? 0 : handle->generation};
    reply_init(&reply);
    note_answer(conn, &reply);
    conn->has_answered = true;
    packets_put(conn, &done, NULL, NULL, NULL);
}

/* Nothing comes behind this. */
static void close_websocket(struct conn *conn, unsigned status)
{
    struct buf out;
    buf_init(&out, 0);
    websocket_put_close(&out, status);
    out_put(&conn->out, out.data, out.size_bytes);
    buf_fini(&out);
    conn->packets->is_over = true;
}

/* What the connection ends with: not the answer to a packet. */
static void say_last(struct conn *conn, const struct err *err, uint64_t bad_offset)
{
    streams_end_all(conn, 0);
    watches_remove(conn, 0);
    conn->is_last = true;
    conn->start_ns = uv_hrtime();
    answer_error_at(conn, err, bad_offset);
    if (conn->packets->websocket != NULL)
        close_websocket(conn, bad_offset != PACKET_NO_OFFSET   ? WEBSOCKET_PROTOCOL_ERROR
                              : err->code == ERR_SHUTTING_DOWN ? WEBSOCKET_GOING_AWAY
                                                               : WEBSOCKET_POLICY);
}

static void refuse(struct conn *conn, const struct err *err)
{
    conn->packets->asked = (struct packet){0};
    say_last(conn, err, PACKET_NO_OFFSET);
}

static void say_goodbye(struct conn *conn)
{
    struct err err;
    err_set(&err, ERR_SHUTTING_DOWN, "the server is stopping");
    refuse(conn, &err);
}

/* --- requests --- */

int packets_find_model(struct conn *conn, const struct packet *packet, struct packet_model *out, struct err *err)
{
    const struct handle *handle = handles_find(&conn->packets->handles, packet->model);
    const char *name = packet_name(packet->kind);
    *out = (struct packet_model){0};
    if (packet->model == 0 && packet->generation != 0)
        return err_set(err, ERR_BAD_PARAMETER, "%s: a generation, but no model", name);
    if (packet->model == 0)
        return 0;
    if (handle == NULL)
        return err_set(err, ERR_MODEL_NOT_FOUND, "%s: the handle %u is not open", name, packet->model);
    if (packet->generation != 0 && packet->generation != handle->generation)
        return err_set(err, ERR_HASH_MISMATCH, "%s: the model of handle %u is at generation %u, not %u", name,
                       packet->model, handle->generation, packet->generation);
    *out = (struct packet_model){.path = handle->path, .hash = packet->generation == 0 ? NULL : handle->hash};
    return 0;
}

/* The answer of `open` has what it asked for: it gets a handle. */
static void give_handle(struct conn *conn, const struct call *call, const struct reply *reply)
{
    struct packets *packets = conn->packets;
    if (packets->asked.kind == PACKET_OPEN && reply->code == 0)
        packets->asked.model = handles_add(&packets->handles, call->request.model, reply->content_hash);
}

static void on_call_done(struct call *call, struct reply *reply)
{
    struct conn *conn = (struct conn *)((char *)call - offsetof(struct conn, call));
    conn->is_calling = false;
    if (conn->is_closing) {
        stats_add(STAT_REQUESTS_ABANDONED, 1);
        request_fini(&call->request);
        reply_fini(reply);
        conn_free_when_done(conn);
        return;
    }
    give_handle(conn, call, reply);
    answer(conn, reply, PACKET_NO_OFFSET);
    request_fini(&call->request);
    if (conn->shared->is_draining)
        say_goodbye(conn);
    conn_run(conn);
}

/* What went wrong with a packet: malformed, or only its request. */
static int fail(struct conn *conn, size_t bad_at, const struct err *err)
{
    if (bad_at == PACKET_NOT_MALFORMED)
        answer_error(conn, err);
    else
        say_last(conn, err, conn->packets->reader.offset + bad_at);
    return err->code;
}

/* What needs a place in the connection's memory. */
static int check_room(const struct conn *conn, struct err *err)
{
    const uint64_t most = conn->shared->config->limits.value[LIMIT_HANDLES];
    if (conn->packets->handles.count >= most)
        return err_set(err, ERR_OVERLOADED, "the connection has %llu handles, which is all it may have",
                       (unsigned long long)most);
    if (!budget_has_room(conn->shared->budget, 0))
        return err_set(err, ERR_OVERLOADED, "the memory for clients is used up; try again later");
    return 0;
}

static void begin_call(struct conn *conn, const struct packet *packet)
{
    struct call *call = &conn->call;
    struct packet_model model;
    struct err err;
    size_t bad_at = PACKET_NOT_MALFORMED;
    *call = (struct call){.done = on_call_done};
    if (packets_find_model(conn, packet, &model, &err) < 0 ||
        (packet->kind == PACKET_OPEN && check_room(conn, &err) < 0) ||
        packet_read_request(&call->request, packet, model.path == NULL ? NULL : &model, &conn->shared->config->limits,
                            &bad_at, &err) < 0) {
        request_fini(&call->request);
        fail(conn, bad_at, &err);
        return;
    }
    conn->is_calling = true;
    service_handle(conn->shared->service, call);
}

/* --- what the connection answers itself --- */

static int begin_stream(struct conn *conn, const struct packet *packet, size_t *bad_at, struct err *err)
{
    struct packet_model model;
    struct packet_subscribe how;
    struct request request = {0};
    if (packets_find_model(conn, packet, &model, err) < 0)
        return err->code;
    if (packet_read_subscribe(&request, packet, model.path == NULL ? NULL : &model, &conn->shared->config->limits, &how,
                              bad_at, err) < 0 ||
        streams_begin(conn, packet, &request, &how, err) < 0) {
        request_fini(&request);
        return err->code;
    }
    return 0;
}

static int control(struct conn *conn, const struct packet *packet, size_t *bad_at, struct err *err)
{
    struct packet_control asked;
    if (packet_read_control(packet, &conn->shared->config->limits, &asked, bad_at, err) < 0)
        return err->code;
    return streams_control(conn, &asked, err);
}

/* close, watch: about a handle. */
static int change_handle(struct conn *conn, const struct packet *packet, size_t *bad_at, struct err *err)
{
    struct packet_model model;
    uint32_t is_on = 0, unused;
    const bool is_watch = packet->kind == PACKET_WATCH;
    if ((is_watch ? packet_read_numbers(packet, &is_on, &unused, bad_at, err)
                  : packet_read_empty(packet, bad_at, err)) < 0 ||
        packets_find_model(conn, packet, &model, err) < 0)
        return err->code;
    if (model.path == NULL)
        return err_set(err, ERR_MODEL_NOT_FOUND, "%s: the header names no model", packet_name(packet->kind));
    if (is_watch && is_on == 1) {
        watches_add(conn, packet->model, packet->id);
        return 0;
    }
    watches_remove(conn, packet->model);
    if (is_watch)
        return 0;
    streams_end_all(conn, packet->model);
    handles_remove(&conn->packets->handles, packet->model);
    return 0;
}

/* 1: an answer is wanted, 0: none is. */
static int do_here(struct conn *conn, const struct packet *packet, size_t *bad_at, struct err *err)
{
    uint32_t stream = 0, credit = 0;
    int rc;
    switch (packet->kind) {
    case PACKET_CLOSE:
    case PACKET_WATCH:
        rc = change_handle(conn, packet, bad_at, err);
        break;
    case PACKET_SUBSCRIBE:
        rc = begin_stream(conn, packet, bad_at, err);
        break;
    case PACKET_CONTROL:
        rc = control(conn, packet, bad_at, err);
        break;
    case PACKET_CREDIT:
        if (packet_read_numbers(packet, &stream, &credit, bad_at, err) < 0)
            return err->code;
        streams_credit(conn, stream, credit);
        return 0;
    case PACKET_UNSUBSCRIBE:
        rc = packet_read_numbers(packet, &stream, &credit, bad_at, err);
        if (rc == 0)
            streams_end(conn, stream);
        break;
    case PACKET_PING:
        rc = packet_read_empty(packet, bad_at, err);
        break;
    default:
        rc = err_set(err, ERR_NOT_FOUND, "there is no packet of kind %u for a server", packet->kind);
    }
    return rc < 0 ? rc : 1;
}

static void begin(struct conn *conn)
{
    const struct packet *packet = &conn->packets->reader.packet;
    struct err err;
    size_t bad_at = PACKET_NOT_MALFORMED;
    conn->packets->asked = *packet;
    conn->start_ns = uv_hrtime();
    if ((packet->kind >= PACKET_FIND && packet->kind <= PACKET_CALL) || packet->kind == PACKET_OPEN) {
        begin_call(conn, packet);
        return;
    }
    const int rc = do_here(conn, packet, &bad_at, &err);
    if (rc < 0)
        fail(conn, bad_at, &err);
    else if (rc > 0)
        answer_done(conn);
    packet_forget(&conn->packets->reader);
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
        refuse(conn, &err);
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
    const int rc = packet_feed(reader, conn->in, conn->in_bytes, &used, &err);
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
        say_last(conn, &err, reader->bad_offset);
    } else if (is_without_room(conn)) {
        stats_add(STAT_CLIENT_MEMORY_REFUSED, 1);
        err_set(&err, ERR_OVERLOADED, "too many large requests are being received; try again later");
        refuse(conn, &err);
    }
}

/* A client that asks for more and more pongs, and reads none, is closed. */
static void unwrap(struct conn *conn, const char **bytes, size_t *size_bytes)
{
    struct conn_shared *shared = conn->shared;
    struct buf out;
    if (conn->packets->websocket == NULL)
        return;
    buf_init(&out, 0);
    buf_clear(&shared->unwrapped);
    const bool goes_on = websocket_feed(conn->packets->websocket, *bytes, *size_bytes, &shared->unwrapped, &out);
    if (!conn->packets->is_over)
        out_put(&conn->out, out.data, out.size_bytes);
    buf_fini(&out);
    *bytes = shared->unwrapped.data;
    *size_bytes = goes_on ? shared->unwrapped.size_bytes : 0;
    if (!goes_on) {
        streams_end_all(conn, 0);
        watches_remove(conn, 0);
        conn->is_last = conn->packets->is_over = true;
    } else if (conn->out.unsent_bytes > shared->config->limits.value[LIMIT_WRITE_QUEUE_BYTES]) {
        conn_close_now(conn);
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
           handles_held_bytes(&conn->packets->handles) + streams_held_bytes(conn) + watches_held_bytes(conn);
}

/* Who shuts down his sending side has left (protocol/tcp.md). */
static void probe(struct conn *conn) { conn_close_now(conn); }

static void sent(struct conn *conn) { streams_go_on(conn); }

static bool drain(struct conn *conn)
{
    if (!conn->is_calling && !conn->is_last && !conn->is_closing)
        say_goodbye(conn);
    return false;
}

/* Nobody gives credit any more, nor listens. Also when the connection closes. */
static void on_left(struct conn *conn)
{
    streams_end_all(conn, 0);
    watches_remove(conn, 0);
}

static void fini(struct conn *conn)
{
    packet_reader_fini(&conn->packets->reader);
    handles_fini(&conn->packets->handles);
    websocket_free(conn->packets->websocket);
    free(conn->packets);
}

const struct conn_language CONN_PACKETS = {
    .feed = feed,
    .phase = phase,
    .unwrap = unwrap,
    .held_bytes = held_bytes,
    .refuse = refuse,
    .probe = probe,
    .left = on_left,
    .sent = sent,
    .drain = drain,
    .close = on_left,
    .fini = fini,
};

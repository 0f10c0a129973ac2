/* packets.h - what a connection that speaks packets remembers, and the seam between its files: conn_packets.c reads
 * packets, packets_requests.c has the service answer, packets_control.c answers the rest, packets_out.c writes,
 * streams.c sends frames by the clock, watches.c tells of changes. Private to them. Loop thread only. */
#pragma once

#include "wire/packet/packet_reply.h"
#include "wire/packet/packet_request.h"
#include "daemon/conn/conn_state.h"
#include "daemon/packets/model_handles.h"

struct stream;
struct model_watch;

struct packets {
    struct packet_reader reader;
    struct model_handles handles;
    struct stream *streams;
    uint32_t stream_count;
    struct model_watch *watches;
    uint32_t watch_count;
    struct packet asked;         /* the header of the request under way */
    struct websocket *websocket; /* what the packets are wrapped in, or NULL */
    struct buf body_tail;        /* what stands behind the body that is under way: notes and padding */
    bool is_authorized;          /* the token came with the WebSocket's opening */
    bool is_over;                /* the WebSocket is closed: nothing more may be sent */
};

/* --- conn_packets.c --- */

/* The connection speaks packets from now on. */
void packets_start(struct conn *conn);
/* Likewise, in a WebSocket, whose opening is answered; its request is still there. */
void packets_start_websocket(struct conn *conn);

/* --- packets_out.c --- */

/* Queues a packet. Its payload is `front`, then the body of *reply (or NULL), which is taken, then `notes`;
 * payload_bytes is filled in. front and notes may be NULL. When more of the body follows it is under way afterwards
 * (conn->body). */
void packets_put(struct conn *conn, struct packet *packet, const struct buf *front, struct reply *reply,
                 const struct buf *notes);
/* *reply is about the handle's model: fills in what the header says of it. */
void packets_set_model(struct conn *conn, struct packet *packet, uint32_t model, const struct reply *reply);
/* Queues the answer to `asked`; takes *reply. bad_offset: of a malformed packet, or PACKET_NO_OFFSET. */
void packets_send_reply(struct conn *conn, struct reply *reply, uint64_t bad_offset);
void packets_send_error(struct conn *conn, const struct err *err);
/* Queues the answer without payload. */
void packets_send_done(struct conn *conn);
/* What the connection ends with: not the answer to a packet. */
void packets_end_with_error(struct conn *conn, const struct err *err, uint64_t bad_offset);
void packets_refuse(struct conn *conn, const struct err *err);
void packets_end_for_shutdown(struct conn *conn);

/* --- packets_requests.c --- */

/* The model of a request's header, with the content it wants. ERR_MODEL_NOT_FOUND, ERR_HASH_MISMATCH,
 * ERR_BAD_PARAMETER. */
int packets_find_model(struct conn *conn, const struct packet *packet, struct packet_model *out, struct err *err);
/* Answers that something is wrong with a packet: it is malformed (bad_at: where), or only what it asks for
 * (PACKET_NOT_MALFORMED). Returns the error's code. */
int packets_send_failure(struct conn *conn, size_t bad_at, const struct err *err);
/* The packet is a request: it is answered, or under way. */
void packets_start_call(struct conn *conn, const struct packet *packet);

/* --- packets_control.c --- */

/* Does what a packet asks of the connection itself. 1: an answer is wanted, 0: none is; or a negative ERR_ with
 * *bad_at as packets_send_failure() takes it. */
int packets_control(struct conn *conn, const struct packet *packet, size_t *bad_at, struct err *err);

/* --- streams.c --- */

/* Begins one: takes *request. ERR_CONFLICT, ERR_OVERLOADED. */
int streams_begin(struct conn *conn, const struct packet *packet, struct request *request,
                  const struct packet_subscribe *how, struct err *err);
/* ERR_NOT_FOUND. */
int streams_control(struct conn *conn, const struct packet_control *control, struct err *err);
void streams_credit(struct conn *conn, uint32_t id, uint32_t credit);
void streams_end(struct conn *conn, uint32_t id);
/* Those of one handle; 0: all. */
void streams_end_all(struct conn *conn, uint32_t model);
/* Everything is sent: those that wait for that go on. */
void streams_go_on(struct conn *conn);
size_t streams_held_bytes(const struct conn *conn);

/* --- watches.c --- */

/* Tells from now on in packets with this id; again changes the id. */
void model_watches_add(struct conn *conn, uint32_t model, uint32_t id);
/* 0: all of the connection. */
void model_watches_remove(struct conn *conn, uint32_t model);
size_t model_watches_held_bytes(const struct conn *conn);

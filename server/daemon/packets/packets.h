/* packets.h - connections that speak packets, protocol/tcp.md. Loop thread only.
 *
 * packets.c reads packets, packets_requests.c turns them into calls, packets_row.c answers rows of similar ones,
 * packets_control.c answers packets that need no call, packets_reply.c writes replies, streams.c sends poses by the
 * clock, model_watches.c reports changed models. */
#pragma once

#include "daemon/conn/conn.h"
#include "daemon/packets/model_handles.h"
#include "wire/packet/packet_reply.h"
#include "wire/packet/packet_request.h"

/* --- for the owner of the group of connections --- */

/* Allows packets on connections of the group, whose dispatcher is set. */
void packets_attach(struct conn_group *group);
/* Checks watched models that nothing else has checked; call it regularly. */
void packets_expire(struct conn_group *group);
/* Ends packets, after the last connection and the service. */
void packets_detach(struct conn_group *group);

/* --- private to daemon/packets/ --- */

struct stream;
struct model_watch;

/* The state of a connection that speaks packets. */
struct packets {
    struct packet_reader reader;
    struct model_handles handles;
    struct stream *streams;
    uint32_t stream_count;
    struct model_watch *watches;
    uint32_t watch_count;
    struct packet asked;         /* the header of the request under way */
    struct websocket *websocket; /* its frames contain the packets; or NULL */
    struct buf body_tail;        /* follows the current body: notes and padding */
    char *token;                 /* of the hello, or of the request that opened the WebSocket; or NULL */
    bool is_over;                /* the WebSocket is closed: do not send anything more */
};

/* --- packets_reply.c --- */

/* Queues a packet. Its payload is `head`, then the body of *reply, which is taken, then `notes`; each may be NULL.
 * Fills in payload_bytes. If more of the body follows, the connection is CONN_STREAMING afterwards. */
void packets_put(struct conn *conn, struct packet *packet, const struct buf *head, struct reply *reply,
                 const struct buf *notes);
/* Fills in the header's fields about the handle's model, from *reply. */
void packets_set_model(struct conn *conn, struct packet *packet, uint32_t model, const struct reply *reply);
/* Queues the reply to `asked`; takes *reply. bad_offset: of a malformed packet, or PACKET_NO_OFFSET. */
void packets_send_reply(struct conn *conn, struct reply *reply, uint64_t bad_offset);
void packets_send_error(struct conn *conn, const struct err *err, uint64_t bad_offset);
/* Queues a reply without payload. */
void packets_send_done(struct conn *conn);
/* Implements conn_protocol.reply. */
void packets_reply_to_call(struct conn *conn, struct reply *reply);
/* Queues the error that ends the connection and is not the reply to a packet. */
void packets_end_with_error(struct conn *conn, const struct err *err, uint64_t bad_offset);
void packets_refuse(struct conn *conn, const struct err *err);
void packets_end_for_shutdown(struct conn *conn);

/* Checks whether the connection, which has `count` handles or streams, may have one more. Returns 0 or
 * ERR_OVERLOADED. */
int packets_check_place(const struct conn *conn, const char *things, uint32_t count, enum limit limit, struct err *err);

/* --- packets_requests.c --- */

/* Finds the model of a request's header, with its required content. ERR_MODEL_NOT_FOUND, ERR_HASH_MISMATCH,
 * ERR_BAD_PARAMETER. */
int packets_find_model(struct conn *conn, const struct packet *packet, struct packet_model *out, struct err *err);
/* Answers that a packet is malformed (bad_at: the offset) or invalid (PACKET_NOT_MALFORMED). */
void packets_send_failure(struct conn *conn, size_t bad_at, const struct err *err);
/* Answers a request packet, or hands it to the dispatcher. */
void packets_start_call(struct conn *conn, const struct packet *packet);

/* --- packets_row.c --- */

/* Answers the packets after `first` that differ from it only in id and time. Call it after queueing the reply to
 * `first`, which is a prepared query. */
void packets_answer_row(struct conn *conn, const struct packet *first);

/* --- packets_control.c --- */

/* Executes a packet that the connection handles itself. Returns 1 if it needs a reply, 0 if not; or a negative ERR_
 * with *bad_at for packets_send_failure(). */
int packets_control(struct conn *conn, const struct packet *packet, size_t *bad_at, struct err *err);

/* --- streams.c --- */

/* Starts a stream; takes *request. ERR_CONFLICT, ERR_OVERLOADED. */
int streams_start(struct conn *conn, const struct packet *packet, struct request *request,
                  const struct packet_subscribe *how, struct err *err);
/* ERR_NOT_FOUND. */
int streams_control(struct conn *conn, const struct packet_control *control, struct err *err);
void streams_credit(struct conn *conn, uint32_t id, uint32_t credit);
void streams_end(struct conn *conn, uint32_t id);
/* Ends the streams of one handle; 0: all. */
void streams_end_all(struct conn *conn, uint32_t model);
/* Ends all streams, and reports the reason to each if possible. */
void streams_fail_all(struct conn *conn, const struct err *err);
/* Resumes the streams that waited until everything was sent. */
void streams_resume(struct conn *conn);
size_t streams_held_bytes(const struct conn *conn);

/* --- model_watches.c --- */

/* Prepares the group for watches. */
void model_watches_init(struct conn_group *group);
/* Starts reporting changes of the handle's model, in packets with this id. A second call changes the id. */
void model_watches_add(struct conn *conn, uint32_t model, uint32_t id);
/* 0: all of the connection. */
void model_watches_remove(struct conn *conn, uint32_t model);
size_t model_watches_held_bytes(const struct conn *conn);

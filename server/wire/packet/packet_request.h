/* packet_request.h - from packets to what they ask: the one request struct, and what concerns a stream.
 *
 * Pure; any thread. Values go through the parsers of request_params.def, so a packet and a query that mean the same are
 * the same request, and what is wrong with one is wrong with the other. Document: protocol/tcp.md.
 *
 * Whoever reads a packet gets 0, or an error. bad_at is then PACKET_NOT_MALFORMED when the packet is sound and the
 * request is wrong, or else the place in the packet of the byte that breaks its form: nothing can follow on the
 * connection. */
#pragma once

#include "wire/packet/packet.h"
#include "wire/request/request.h"

#define PACKET_NOT_MALFORMED SIZE_MAX

/* The model of a packet's handle; NULL stands for a packet without one, which is checked for its form all the same. */
struct packet_model {
    const char *path; /* checked */
    const char *hash; /* 64 hex digits: the content that is meant, or NULL */
};

/* Fills *request from a packet of one of the kinds open, find, info, palette, pose, mesh, render or call. Errors are
 * those of request_parse(). */
int packet_read_request(struct request *request, const struct packet *packet, const struct packet_model *model,
                        const struct limits *limits, size_t *bad_at, struct err *err);

/* Fills *request, of OP_CROWD, from a packet of kind crowd: its models with handles still need their paths, and all
 * request_complete_crowd(). */
int packet_read_crowd(struct request *request, const struct packet *packet, const struct limits *limits, size_t *bad_at,
                      struct err *err);

/* The same, of OP_RAYCAST, from a packet of kind raycast; then request_complete_raycast(). */
int packet_read_raycast(struct request *request, const struct packet *packet, const struct limits *limits,
                        size_t *bad_at, struct err *err);

/* How a stream begins. */
struct packet_subscribe {
    bool is_paused;
    uint32_t credit;
    double rate;       /* frames a second; 0: one for each credit */
    double position_s; /* finite */
    double speed;      /* finite */
};

/* Of a packet of kind subscribe: *request is that of a frame, with one time (request_set_time()). */
int packet_read_subscribe(struct request *request, const struct packet *packet, const struct packet_model *model,
                          const struct limits *limits, struct packet_subscribe *subscribe, size_t *bad_at,
                          struct err *err);

struct packet_control {
    uint32_t stream;
    uint32_t flags; /* PACKET_CONTROL_ bits; the others of the fields are 0 */
    double position_s, speed, rate;
};

/* Of control: 0, or an error with *bad_at as above. */
int packet_read_control(const struct packet *packet, const struct limits *limits, struct packet_control *control,
                        size_t *bad_at, struct err *err);
/* Of credit, unsubscribe (*number 0) and watch (*stream is is_on). */
int packet_read_numbers(const struct packet *packet, uint32_t *stream, uint32_t *number, size_t *bad_at,
                        struct err *err);
/* Of close, ping: nothing may be in it. */
int packet_read_empty(const struct packet *packet, size_t *bad_at, struct err *err);

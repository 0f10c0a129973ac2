/* packet_request.h - converts packets to the common request struct, and to commands about streams.
 *
 * Values go through the parsers of request_params.def. So a packet and a query of the same meaning give the same
 * request and the same errors. Document: protocol/tcp.md. Pure; any thread.
 *
 * All functions return 0 or an error. On error bad_at is PACKET_NOT_MALFORMED when the packet is well-formed and the
 * request is wrong. Otherwise it is the offset in the packet of the malformed byte, and the connection must end. */
#pragma once

#include "wire/packet/packet.h"
#include "wire/request/request.h"

#define PACKET_NOT_MALFORMED SIZE_MAX

/* The model of a packet's handle. NULL for a packet without one; its form is checked all the same. */
struct packet_model {
    const char *path; /* validated */
    const char *hash; /* 64 hex digits of the required content, or NULL */
};

/* Fills *request from a packet of kind open, find, info, palette, pose, mesh, render or call. Errors as of
 * request_parse(). */
int packet_read_request(struct request *request, const struct packet *packet, const struct packet_model *model,
                        const struct limits *limits, size_t *bad_at, struct err *err);

/* Fills *request, an OP_CROWD, from a packet of kind crowd. Models given by handle then need their paths, and the
 * request needs request_complete_crowd(). */
int packet_read_crowd(struct request *request, const struct packet *packet, const struct limits *limits, size_t *bad_at,
                      struct err *err);

/* Fills *request, an OP_RAYCAST, likewise from a packet of kind raycast. Complete it with request_complete_raycast().
 */
int packet_read_raycast(struct request *request, const struct packet *packet, const struct limits *limits,
                        size_t *bad_at, struct err *err);

/* The initial state of a stream. */
struct packet_subscribe {
    bool is_paused;
    uint32_t credit;
    double rate;       /* frames per second; 0: one frame per credit */
    double position_s; /* finite */
    double speed;      /* finite */
};

/* Reads a packet of kind subscribe. *request is the request of one frame, with one time (request_set_time()). */
int packet_read_subscribe(struct request *request, const struct packet *packet, const struct packet_model *model,
                          const struct limits *limits, struct packet_subscribe *subscribe, size_t *bad_at,
                          struct err *err);

struct packet_control {
    uint32_t stream;
    uint32_t flags; /* PACKET_CONTROL_ bits; fields without their bit are 0 */
    double position_s, speed, rate;
};

/* Reads a packet of kind control. Returns 0, or an error with *bad_at as above. */
int packet_read_control(const struct packet *packet, const struct limits *limits, struct packet_control *control,
                        size_t *bad_at, struct err *err);
/* Reads a packet of kind credit, unsubscribe (*number is 0) or watch (*stream is is_on). */
int packet_read_numbers(const struct packet *packet, uint32_t *stream, uint32_t *number, size_t *bad_at,
                        struct err *err);
/* Reads a packet of kind close or ping, whose payload is empty. */
int packet_read_empty(const struct packet *packet, size_t *bad_at, struct err *err);

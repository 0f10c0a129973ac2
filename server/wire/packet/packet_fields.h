/* packet_fields.h - parse the payload of a packet field by field; private to packet_*.c. Pure. */
#pragma once

#include "wire/packet/packet_request.h"
#include "wire/request/request_parser.h"

/* --- packet_payload.c --- */

/* A payload that is being read. */
struct payload {
    const char *bytes;
    uint32_t size_bytes;
    unsigned kind; /* for messages */
    size_t *bad_at;
    struct err *err;
};

struct payload payload_of(const struct packet *packet, size_t *bad_at, struct err *err);

/* The payload has exactly, or at least, so many bytes. */
int payload_check_size(struct payload *payload, uint64_t size_bytes);
int payload_check_least(struct payload *payload, uint32_t size_bytes);
/* All `count` bytes from `at` on are 0. */
int payload_check_zeros(struct payload *payload, size_t at, size_t count);
/* What the bytes from `at` on say is well-formed UTF-8 without NUL; `code` otherwise. */
int payload_check_text(struct payload *payload, size_t at, size_t size_bytes, int code);
/* A finite f64, not -0; ERR_BAD_PARAMETER otherwise. `name` is what messages call it. */
int payload_number(struct payload *payload, size_t at, const char *name, double *out);

/* --- packet_query.c --- */

/* A request on its way from a packet. All are borrowed. */
struct packet_parse {
    struct payload payload;
    struct request *request;
    const struct packet *packet;
    const struct packet_model *model;
    const struct limits *limits;
    struct param_set seen;
    size_t fixed_bytes; /* in front of times and indices */
    struct err *err;
};

/* Takes the fields that a query, a picture or a stream begins with, times and indices of PACKET_AT_QUERY_, as the
 * parameters of the request's operation. Errors of request_parse(), in parse->err. */
int packet_take_query(struct packet_parse *parse);
/* Those of PACKET_AT_RENDER_, which a picture has beside them. */
int packet_take_picture(struct packet_parse *parse);

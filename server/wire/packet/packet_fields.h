/* packet_fields.h - parses the payload of a packet field by field; private to packet_*.c. Pure. */
#pragma once

#include "wire/packet/packet_request.h"
#include "wire/request/request_parser.h"

/* --- packet_payload.c --- */

/* A payload during parsing. */
struct payload {
    const char *bytes;
    uint32_t size_bytes;
    unsigned kind; /* for messages */
    size_t *bad_at;
    struct err *err;
};

struct payload payload_of(const struct packet *packet, size_t *bad_at, struct err *err);

/* Check that the payload has exactly, or at least, this size. */
int payload_check_size(struct payload *payload, uint64_t size_bytes);
int payload_check_least(struct payload *payload, uint32_t size_bytes);
/* Checks that all `count` bytes from `at` on are 0. */
int payload_check_zeros(struct payload *payload, size_t at, size_t count);
/* Checks that the bytes from `at` on are well-formed UTF-8 without NUL; otherwise returns `code`. */
int payload_check_text(struct payload *payload, size_t at, size_t size_bytes, int code);
/* Reads a finite f64 other than -0, or returns ERR_BAD_PARAMETER. `name` is its name in messages. */
int payload_number(struct payload *payload, size_t at, const char *name, double *out);

/* --- packet_query.c --- */

/* A request that is being built from a packet. It borrows all pointers. */
struct packet_parse {
    struct payload payload;
    struct request *request;
    const struct packet *packet;
    const struct packet_model *model;
    const struct limits *limits;
    struct param_set seen;
    size_t fixed_bytes; /* size of the fields before times and indices */
    struct cJSON *more; /* the parameters of the flag `more`, or NULL */
    struct err *err;
};

/* Takes the fields at the start of a query, a picture or a stream, with times and indices (PACKET_AT_QUERY_), as
 * parameters of the request's operation. Returns the errors of request_parse(), in parse->err. */
int packet_take_query(struct packet_parse *parse);
/* Opens the JSON object behind the indices of a stream with the flag `more`, as parse->more, which the caller deletes.
 */
int packet_open_more(struct packet_parse *parse);
/* Takes its members as parameters. */
int packet_take_more(struct packet_parse *parse);
/* Takes the additional PACKET_AT_RENDER_ fields of a picture. */
int packet_take_picture(struct packet_parse *parse);

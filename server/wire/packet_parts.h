/* packet_parts.h - reading the payload of a packet field by field; private to packet_*.c. Pure. */
#pragma once

#include "packet_request.h"

/* A payload that is being read. */
struct payload {
    const char *bytes;
    uint32_t size_bytes;
    unsigned kind; /* for messages */
    size_t *bad_at;
    struct err *err;
};

struct payload payload_of(const struct packet *packet, size_t *bad_at, struct err *err);

/* The packet breaks its form at this byte of the payload. Returns ERR_BAD_REQUEST. */
int payload_bad(struct payload *payload, size_t at, const char *what);
/* The payload has exactly, or at least, so many bytes. */
int payload_check_size(struct payload *payload, uint64_t size_bytes);
int payload_check_least(struct payload *payload, uint32_t size_bytes);
/* All `count` bytes from `at` on are 0. */
int payload_check_zeros(struct payload *payload, size_t at, size_t count);
/* What the bytes from `at` on say is well-formed UTF-8 without NUL; `code` otherwise. */
int payload_check_text(struct payload *payload, size_t at, size_t size_bytes, int code);
/* A finite f64, not -0; ERR_BAD_PARAMETER otherwise. `name` is what messages call it. */
int payload_number(struct payload *payload, size_t at, const char *name, double *out);

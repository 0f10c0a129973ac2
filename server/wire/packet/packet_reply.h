/* packet_reply.h - frames a struct reply as a packet. Document: protocol/tcp.md. Pure; any thread. */
#pragma once

#include "base/limits.h"
#include "wire/packet/packet.h"
#include "wire/encode/reply.h"
#include "wire/request/request.h"

#define PACKET_TYPE_OPENED "application/vnd.posed.opened" /* internal content types, never sent */
#define PACKET_TYPE_FOUND  "application/vnd.posed.found"

#define PACKET_NO_OFFSET UINT64_MAX

/* The parts of a packet around a reply's body. */
struct packet_envelope {
    struct packet packet; /* header; payload_bytes covers all three parts */
    struct buf front;     /* of an error: its fields, which are the whole payload */
    bool has_body;        /* the reply's body is part of the payload */
    struct buf notes;
};

/* Frames *reply as the answer to `id`. bad_offset: offset of the malformed byte, or PACKET_NO_OFFSET. */
void packet_envelope_wrap(struct packet_envelope *frame, const struct reply *reply, uint32_t id, uint64_t bad_offset);
void packet_envelope_fini(struct packet_envelope *frame);

/* Returns the largest payload of a request. */
uint32_t packet_payload_max(const struct limits *limits);

/* Appends the payload of hello. */
void packet_put_hello(struct buf *out, uint16_t version, const struct limits *limits);

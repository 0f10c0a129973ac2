/* packet_reply.h - from a struct reply to the packet that answers. Pure; any thread. Document: protocol/tcp.md. */
#pragma once

#include "base/limits.h"
#include "wire/packet/packet.h"
#include "wire/encode/reply.h"
#include "wire/request/request.h"

#define PACKET_TYPE_OPENED "application/vnd.posed.opened" /* content types of replies that never leave as such */
#define PACKET_TYPE_FOUND  "application/vnd.posed.found"

#define PACKET_NO_OFFSET UINT64_MAX

/* What stands around a reply's body in its packet. */
struct packet_envelope {
    struct packet packet; /* header; payload_bytes is of all three parts */
    struct buf front;     /* of an error: its fields; they are the whole payload */
    bool has_body;        /* the reply's body is part of the payload */
    struct buf notes;
};

/* Frames *reply as the answer to `id`. bad_offset: of a malformed packet, else PACKET_NO_OFFSET. */
void packet_envelope_wrap(struct packet_envelope *frame, const struct reply *reply, uint32_t id, uint64_t bad_offset);
void packet_envelope_fini(struct packet_envelope *frame);

/* Bytes that the payload of a request may have. */
uint32_t packet_payload_max(const struct limits *limits);

/* Payload of hello. */
void packet_put_hello(struct buf *out, uint16_t version, const struct limits *limits);

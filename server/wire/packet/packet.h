/* packet.h - packets of the binary protocol from bytes, and their headers to bytes (protocol/tcp.md).
 *
 * Pure: bytes in, struct out; no socket, no clock. One reader per connection, one thread at a time. It stops behind
 * each packet, so that the caller answers one at a time and goes on with the rest later. Offsets of fields, kinds and
 * flags are those of protocol/packets.def. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define PACKET_MAGIC "\x89PSDP\r\n" /* and its NUL: 8 bytes */

enum {
    PACKET_VERSION = 1,
    PACKET_MAGIC_BYTES = 8,
    PACKET_HELLO_BYTES = 16, /* of the client, without its token */
    PACKET_TOKEN_MAX = 256,
    PACKET_HEADER_BYTES = 32,
    PACKET_ALIGNMENT = 16,
};

enum packet_kind {
#define PACKET(symbol, number, name, who, text) PACKET_##symbol = (number),
#include "protocol/packets.def"
};

/* PACKET_AT_QUERY_clip is where the field lies in its payload. */
enum packet_offset {
#define FIELD(part, offset, type, name, text) PACKET_AT_##part##_##name = (offset),
#include "protocol/packets.def"
};

enum packet_flag {
#define FLAG(part, symbol, bit, name, text) PACKET_##part##_##symbol = (bit),
#include "protocol/packets.def"
};

/* A header, and where its payload is. */
struct packet {
    uint32_t payload_bytes;
    uint16_t kind, flags;
    uint32_t id;
    uint32_t model;      /* a handle, or 0 */
    uint32_t generation; /* or 0 */
    uint16_t code;       /* 0, or the number of an error */
    uint32_t warnings, note_bytes;
    const char *payload; /* payload_bytes long, at any alignment; borrowed */
};

/* Bytes from the payload's end to the end of its packet. */
static inline uint32_t packet_padding(uint64_t payload_bytes)
{
    return (uint32_t)(-payload_bytes & (PACKET_ALIGNMENT - 1));
}

enum packet_phase {
    PACKET_PHASE_HELLO,  /* the hello is not whole */
    PACKET_PHASE_IDLE,   /* between packets */
    PACKET_PHASE_INSIDE, /* in a packet */
    PACKET_PHASE_FAILED, /* after an error */
};

enum { PACKET_NEED_MORE = 0, PACKET_COMPLETE = 1, PACKET_GREETED = 2 };

struct packet_reader {
    enum packet_phase phase;
    struct packet packet; /* after PACKET_COMPLETE, until the next call; its payload may lie in the bytes given; after
                           * an error in a packet whose header is there, its id */
    uint16_t version;     /* after PACKET_GREETED: of the connection */
    const char *token;    /* likewise, NUL-terminated; "" where there is none; until the next call */
    uint64_t offset;      /* of the packet under way, or handed out, from the connection's first byte */
    uint64_t bad_offset;  /* after an error: the byte that is wrong */
    uint32_t payload_max; /* of the client's packets */
    struct buf held;      /* a part of a packet; private */
    uint64_t end;         /* bytes that belong to packets handed out; private */
    struct err err;       /* of PACKET_PHASE_FAILED; private */
};

void packet_reader_init(struct packet_reader *reader, uint32_t payload_max);
void packet_reader_fini(struct packet_reader *reader);

/* Takes bytes of a client; *used_bytes is how many, at most to the end of one packet.
 * PACKET_NEED_MORE  all are taken
 * PACKET_GREETED    the hello is whole
 * PACKET_COMPLETE   reader->packet is filled; it is a request as far as its header goes
 * ERR_BAD_REQUEST or ERR_BODY_TOO_LARGE: the bytes are malformed, at reader->bad_offset. Later calls say the same. */
int packet_reader_feed(struct packet_reader *reader, const char *bytes, size_t size_bytes, size_t *used_bytes,
                       struct err *err);

/* The packet that was handed out is done with: gives back what it took. */
void packet_reader_forget(struct packet_reader *reader);

/* The next `size_bytes` from the client are a packet that was read elsewhere: no part of it was fed. */
void packet_reader_pass(struct packet_reader *reader, size_t size_bytes);

/* The 32 bytes of the header, to `to` or appended. */
void packet_write_header(char *to, const struct packet *packet);
void packet_put_header(struct buf *out, const struct packet *packet);

/* "palette" for PACKET_PALETTE; "?" for a kind that is not in the table. */
const char *packet_name(unsigned kind);

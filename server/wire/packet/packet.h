/* packet.h - parses packets of the binary protocol and writes their headers (protocol/tcp.md).
 *
 * Pure: bytes in, struct out; no socket, no clock. Each connection has its own reader, used by one thread at a time.
 * The reader stops after each packet, so that the caller answers one at a time and continues with the rest later.
 * Offsets of fields, kinds and flags come from protocol/packets.def. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define PACKET_MAGIC "\x89PSDP\r\n" /* with its NUL: 8 bytes */

enum {
    PACKET_VERSION = 1,
    PACKET_MAGIC_BYTES = 8,
    PACKET_HELLO_BYTES = 16, /* of the client's hello, without its token */
    PACKET_TOKEN_MAX = 256,
    PACKET_HEADER_BYTES = 32,
    PACKET_ALIGNMENT = 16,
};

enum packet_kind {
#define PACKET(symbol, number, name, who, text) PACKET_##symbol = (number),
#include "protocol/packets.def"
};

/* PACKET_AT_QUERY_clip is the offset of the field in its payload. */
enum packet_offset {
#define FIELD(part, offset, type, name, text) PACKET_AT_##part##_##name = (offset),
#include "protocol/packets.def"
};

enum packet_flag {
#define FLAG(part, symbol, bit, name, text) PACKET_##part##_##symbol = (bit),
#include "protocol/packets.def"
};

/* A header and its payload. */
struct packet {
    uint32_t payload_bytes;
    uint16_t kind, flags;
    uint32_t id;
    uint32_t model;      /* a handle, or 0 */
    uint32_t generation; /* or 0 */
    uint16_t code;       /* 0, or an error number */
    uint32_t warnings, note_bytes;
    const char *payload; /* payload_bytes bytes at any alignment; borrowed */
};

/* Returns the number of padding bytes after the payload. */
static inline uint32_t packet_padding(uint64_t payload_bytes)
{
    return (uint32_t)(-payload_bytes & (PACKET_ALIGNMENT - 1));
}

enum packet_phase {
    PACKET_PHASE_HELLO,  /* the hello is incomplete */
    PACKET_PHASE_IDLE,   /* between packets */
    PACKET_PHASE_INSIDE, /* in a packet */
    PACKET_PHASE_FAILED, /* after an error */
};

enum { PACKET_NEED_MORE = 0, PACKET_COMPLETE = 1, PACKET_GREETED = 2 };

struct packet_reader {
    enum packet_phase phase;
    struct packet packet; /* valid from PACKET_COMPLETE to the next call; the payload may lie in the caller's bytes.
                             After an error in a packet whose header was read it holds the id */
    uint16_t version;     /* of the connection, after PACKET_GREETED */
    const char *token;    /* likewise, NUL-terminated; "" when absent; valid until the next call */
    uint64_t offset;      /* of the current or the last packet, from the connection's first byte */
    uint64_t bad_offset;  /* after an error: offset of the wrong byte */
    uint32_t payload_max; /* limit on the client's packets */
    struct buf held;      /* the incomplete packet; private */
    uint64_t end;         /* number of bytes of packets that were handed out; private */
    struct err err;       /* of PACKET_PHASE_FAILED; private */
};

void packet_reader_init(struct packet_reader *reader, uint32_t payload_max);
void packet_reader_fini(struct packet_reader *reader);

/* Consumes bytes of a client, at most to the end of one packet; *used_bytes is their number. Returns
 * - PACKET_NEED_MORE: all bytes are consumed.
 * - PACKET_GREETED: the hello is complete.
 * - PACKET_COMPLETE: reader->packet is filled; its header is that of a request.
 * - ERR_BAD_REQUEST or ERR_BODY_TOO_LARGE: the bytes are malformed at reader->bad_offset. Later calls return the same
 * code. */
int packet_reader_feed(struct packet_reader *reader, const char *bytes, size_t size_bytes, size_t *used_bytes,
                       struct err *err);

/* Drops the current packet once it is handled, and releases its memory. */
void packet_reader_forget(struct packet_reader *reader);

/* Skips a packet of `size_bytes` bytes that the caller read without this reader. */
void packet_reader_pass(struct packet_reader *reader, size_t size_bytes);

/* Write the 32 bytes of the header to `to`, or append them. */
void packet_write_header(char *to, const struct packet *packet);
void packet_put_header(struct buf *out, const struct packet *packet);

/* Returns "palette" for PACKET_PALETTE, and "?" for an unknown kind. */
const char *packet_name(unsigned kind);

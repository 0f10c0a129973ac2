#include "wire/packet/packet.h"

#include "base/bytes.h"

#include <endian.h>
#include <string.h>

enum {
    KEPT_BYTES = 4096,    /* a larger buffer is freed before the next packet */
    OVERHEAD_BYTES = 512, /* header and padding, or hello and token */
};

static const struct name {
    unsigned kind;
    const char *name;
} NAMES[] = {
#define PACKET(symbol, number, name, who, text) {number, name},
#include "protocol/packets.def"
};

const char *packet_name(unsigned kind)
{
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (NAMES[i].kind == kind)
            return NAMES[i].name;
    return "?";
}

void packet_reader_init(struct packet_reader *reader, uint32_t payload_max)
{
    *reader = (struct packet_reader){.payload_max = payload_max};
    buf_init(&reader->held, (size_t)payload_max + OVERHEAD_BYTES);
}

void packet_reader_fini(struct packet_reader *reader)
{
    buf_fini(&reader->held);
    reader->phase = PACKET_PHASE_FAILED;
}

void packet_reader_forget(struct packet_reader *reader)
{
    if (reader->held.capacity_bytes > KEPT_BYTES)
        buf_fini(&reader->held);
    buf_clear(&reader->held);
}

/* --- checks of the bytes so far; each returns 0, or the error and its position --- */

static int bad(struct packet_reader *reader, size_t at, int code, const char *what)
{
    reader->bad_offset = reader->offset + at;
    return err_set(&reader->err, code, "byte %llu: %s", (unsigned long long)reader->bad_offset, what);
}

/* Checks that all `count` bytes from `at` on are 0. */
static int check_zeros(struct packet_reader *reader, const char *bytes, size_t at, size_t count, const char *what)
{
    for (size_t i = at; i < at + count; i++)
        if (bytes[i] != 0)
            return bad(reader, i, ERR_BAD_REQUEST, what);
    return 0;
}

static int check_magic(struct packet_reader *reader, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size && i < PACKET_MAGIC_BYTES; i++)
        if (bytes[i] != PACKET_MAGIC[i])
            return bad(reader, i, ERR_BAD_REQUEST, "this is not the hello of the binary protocol");
    return 0;
}

/* Checks the first 16 bytes of the hello. */
static int check_hello(struct packet_reader *reader, const char *bytes)
{
    const unsigned version = get_u16(bytes + PACKET_MAGIC_BYTES);
    if (version == 0)
        return bad(reader, 8, ERR_BAD_REQUEST, "version 0 does not exist");
    if (check_zeros(reader, bytes, 10, 2, "this field of the hello is reserved: 0") < 0)
        return reader->err.code;
    if (get_u32(bytes + 12) > PACKET_TOKEN_MAX)
        return bad(reader, 12, ERR_BAD_REQUEST, "a token has at most 256 bytes");
    reader->version = (uint16_t)(version < PACKET_VERSION ? version : PACKET_VERSION);
    return 0;
}

/* Checks the complete header for values that a request may have. */
static int check_header(struct packet_reader *reader, const char *bytes)
{
    static const char ZERO[] = "this field of a request's header is 0";
    reader->packet = (struct packet){.id = get_u32(bytes + PACKET_AT_HEADER_id)};
    if (get_u32(bytes + PACKET_AT_HEADER_payload_bytes) > reader->payload_max)
        return bad(reader, 0, ERR_BODY_TOO_LARGE, "the payload is larger than payload_max");
    _Static_assert(PACKET_HEADER_BYTES - PACKET_AT_HEADER_code == 12, "three numbers of four bytes");
    const char *end = bytes + PACKET_AT_HEADER_code;
    if ((get_u16(bytes + PACKET_AT_HEADER_flags) | get_u32(end) | get_u32(end + 4) | get_u32(end + 8)) == 0)
        return 0;
    if (check_zeros(reader, bytes, PACKET_AT_HEADER_flags, 2, ZERO) == 0)
        check_zeros(reader, bytes, PACKET_AT_HEADER_code, PACKET_HEADER_BYTES - PACKET_AT_HEADER_code, ZERO);
    return reader->err.code;
}

/* --- the hello or a packet, from its first byte --- */

/* Returns the size of the part that begins at `bytes`, of which `size` bytes are available: the hello, the header or
 * the whole packet. Negative: an error. */
static int64_t wanted_bytes(struct packet_reader *reader, const char *bytes, size_t size)
{
    if (reader->phase == PACKET_PHASE_HELLO) {
        if (check_magic(reader, bytes, size) < 0)
            return reader->err.code;
        if (size < PACKET_HELLO_BYTES)
            return PACKET_HELLO_BYTES;
        if (check_hello(reader, bytes) < 0)
            return reader->err.code;
        const uint32_t token_bytes = get_u32(bytes + 12);
        return (int64_t)PACKET_HELLO_BYTES + token_bytes + packet_padding(token_bytes);
    }
    if (size < PACKET_HEADER_BYTES)
        return PACKET_HEADER_BYTES;
    if (check_header(reader, bytes) < 0)
        return reader->err.code;
    const uint32_t payload_bytes = get_u32(bytes + PACKET_AT_HEADER_payload_bytes);
    return (int64_t)PACKET_HEADER_BYTES + payload_bytes + packet_padding(payload_bytes);
}

static int finish_hello(struct packet_reader *reader, const char *bytes, size_t size)
{
    const uint32_t token_bytes = get_u32(bytes + 12);
    const char *token = bytes + PACKET_HELLO_BYTES;
    const char *nul = memchr(token, 0, token_bytes);
    if (nul != NULL)
        return bad(reader, (size_t)(nul - bytes), ERR_BAD_REQUEST, "a token has no NUL");
    const size_t end = PACKET_HELLO_BYTES + token_bytes;
    if (check_zeros(reader, bytes, end, size - end, "the padding behind the token is 0") < 0)
        return reader->err.code;
    /* a copy, because the bytes in place have no NUL after them */
    if (reader->held.size_bytes == 0)
        buf_put(&reader->held, bytes, size);
    buf_put_char(&reader->held, '\0');
    if (buf_failed(&reader->held))
        return bad(reader, 0, ERR_NO_MEMORY, "no memory for the hello");
    reader->held.data[end] = '\0';
    reader->token = reader->held.data + PACKET_HELLO_BYTES;
    return PACKET_GREETED;
}

static int finish_packet(struct packet_reader *reader, const char *bytes, size_t size)
{
    reader->packet = (struct packet){
        .payload_bytes = get_u32(bytes + PACKET_AT_HEADER_payload_bytes),
        .kind = get_u16(bytes + PACKET_AT_HEADER_kind),
        .id = get_u32(bytes + PACKET_AT_HEADER_id),
        .model = get_u32(bytes + PACKET_AT_HEADER_model),
        .generation = get_u32(bytes + PACKET_AT_HEADER_generation),
        .payload = bytes + PACKET_HEADER_BYTES,
    };
    const size_t end = (size_t)PACKET_HEADER_BYTES + reader->packet.payload_bytes;
    if (check_zeros(reader, bytes, end, size - end, "the padding behind a payload is 0") < 0)
        return reader->err.code;
    return PACKET_COMPLETE;
}

/* Handles the complete bytes. */
static int finish(struct packet_reader *reader, const char *bytes, size_t size)
{
    reader->end = reader->offset + size;
    const int rc =
        reader->phase == PACKET_PHASE_HELLO ? finish_hello(reader, bytes, size) : finish_packet(reader, bytes, size);
    reader->phase = PACKET_PHASE_IDLE;
    return rc;
}

static int take(struct packet_reader *reader, const char *bytes, size_t size_bytes, size_t *used_bytes)
{
    struct buf *held = &reader->held;
    while (true) {
        const bool is_in_place = held->size_bytes == 0;
        const char *from = is_in_place ? bytes : held->data;
        const size_t there = is_in_place ? size_bytes : held->size_bytes;
        const int64_t wanted = wanted_bytes(reader, from, there);
        if (wanted < 0)
            return (int)wanted;
        if (there >= (size_t)wanted) {
            *used_bytes += is_in_place ? (size_t)wanted : 0;
            return finish(reader, from, (size_t)wanted);
        }
        const size_t left = size_bytes - *used_bytes, missing = (size_t)wanted - held->size_bytes;
        const size_t part = left < missing ? left : missing;
        if (part == 0)
            return PACKET_NEED_MORE;
        buf_put(held, bytes + *used_bytes, part);
        *used_bytes += part;
        if (buf_failed(held))
            return bad(reader, 0, ERR_NO_MEMORY, "no memory for a packet of this size");
    }
}

int packet_reader_feed(struct packet_reader *reader, const char *bytes, size_t size_bytes, size_t *used_bytes,
                       struct err *err)
{
    *used_bytes = 0;
    int rc = reader->err.code;
    if (reader->phase != PACKET_PHASE_FAILED && size_bytes == 0)
        return PACKET_NEED_MORE;
    if (reader->phase != PACKET_PHASE_FAILED) {
        if (reader->phase == PACKET_PHASE_IDLE) {
            packet_reader_forget(reader);
            reader->offset = reader->end;
            reader->phase = PACKET_PHASE_INSIDE;
        }
        rc = take(reader, bytes, size_bytes, used_bytes);
    }
    if (rc < 0) {
        reader->phase = PACKET_PHASE_FAILED;
        if (err != NULL)
            *err = reader->err;
    }
    return rc;
}

void packet_reader_pass(struct packet_reader *reader, size_t size_bytes) { reader->end += size_bytes; }

static void put16(char *to, uint16_t value)
{
    value = htole16(value);
    memcpy(to, &value, sizeof value);
}

static void put32(char *to, uint32_t value)
{
    value = htole32(value);
    memcpy(to, &value, sizeof value);
}

void packet_write_header(char *to, const struct packet *packet)
{
    put32(to + PACKET_AT_HEADER_payload_bytes, packet->payload_bytes);
    put16(to + PACKET_AT_HEADER_kind, packet->kind);
    put16(to + PACKET_AT_HEADER_flags, packet->flags);
    put32(to + PACKET_AT_HEADER_id, packet->id);
    put32(to + PACKET_AT_HEADER_model, packet->model);
    put32(to + PACKET_AT_HEADER_generation, packet->generation);
    put16(to + PACKET_AT_HEADER_code, packet->code);
    put16(to + PACKET_AT_HEADER_reserved, 0);
    put32(to + PACKET_AT_HEADER_warnings, packet->warnings);
    put32(to + PACKET_AT_HEADER_note_bytes, packet->note_bytes);
}

void packet_put_header(struct buf *out, const struct packet *packet)
{
    char *to = buf_reserve(out, PACKET_HEADER_BYTES);
    if (to == NULL)
        return; /* the buffer records the failure */
    packet_write_header(to, packet);
    buf_advance(out, PACKET_HEADER_BYTES);
}

/* Packets from bytes: whole, in pieces, cut off, and with each byte changed. */
#include "tests/unit/support/check.h"

#include "base/hash.h"
#include "wire/packet/packet.h"

#include <stdlib.h>
#include <string.h>

enum { PAYLOAD_MAX = 64, STREAM_MAX = 512 };

/* The hello with a token of five bytes, a packet with a payload of 20, one without, one of 64. */
static const uint32_t SIZES[] = {20, 0, 64};
enum { PACKETS = 3 };

static size_t put_hello(char *out, const char *token)
{
    const size_t token_bytes = strlen(token);
    memset(out, 0, PACKET_HELLO_BYTES + token_bytes + packet_padding(token_bytes));
    memcpy(out, PACKET_MAGIC, PACKET_MAGIC_BYTES);
    out[8] = 1;
    out[12] = (char)token_bytes;
    memcpy(out + PACKET_HELLO_BYTES, token, token_bytes);
    return PACKET_HELLO_BYTES + token_bytes + packet_padding(token_bytes);
}

static size_t put_packet(char *out, uint32_t id, uint32_t payload_bytes)
{
    const struct packet packet = {
        .payload_bytes = payload_bytes, .kind = PACKET_PALETTE, .id = id, .model = 7, .generation = 9};
    struct buf header;
    buf_init(&header, 0);
    packet_put_header(&header, &packet);
    assert_int_equal(header.size_bytes, PACKET_HEADER_BYTES);
    memcpy(out, header.data, header.size_bytes);
    buf_fini(&header);
    memset(out + PACKET_HEADER_BYTES, 0, payload_bytes + packet_padding(payload_bytes));
    memset(out + PACKET_HEADER_BYTES, 'a' + (char)id, payload_bytes);
    return PACKET_HEADER_BYTES + payload_bytes + packet_padding(payload_bytes);
}

static size_t put_stream(char out[STREAM_MAX])
{
    size_t size = put_hello(out, "token");
    for (uint32_t i = 0; i < PACKETS; i++)
        size += put_packet(out + size, i, SIZES[i]);
    return size;
}

/* What a reader made of some bytes. */
struct outcome {
    int rc; /* the last */
    unsigned greeted, packets;
    uint64_t bad_offset;
    uint64_t sum; /* over all payloads */
};

/* Feeds pieces of at most `piece` bytes, each in a block of its own size, so that a read behind its end is seen. */
static struct outcome feed(const char *bytes, size_t size, size_t piece)
{
    struct packet_reader reader;
    struct outcome outcome = {0};
    packet_reader_init(&reader, PAYLOAD_MAX);
    for (size_t at = 0; at < size && outcome.rc >= 0;) {
        size_t part = size - at < piece ? size - at : piece, used = 0;
        char *block = malloc(part);
        assert_non_null(block);
        memcpy(block, bytes + at, part);
        outcome.rc = packet_reader_feed(&reader, block, part, &used, NULL);
        if (outcome.rc == PACKET_GREETED) {
            outcome.greeted++;
            assert_int_equal(reader.version, 1);
        } else if (outcome.rc == PACKET_COMPLETE) {
            outcome.sum = hash64(outcome.sum, reader.packet.payload, reader.packet.payload_bytes);
            outcome.packets++;
        } else if (outcome.rc == PACKET_NEED_MORE) {
            assert_int_equal(used, part);
        }
        free(block);
        at += used;
    }
    outcome.bad_offset = reader.bad_offset;
    packet_reader_fini(&reader);
    return outcome;
}

TEST(packet_stream_is_the_same_in_any_pieces)
{
    char bytes[STREAM_MAX];
    const size_t size = put_stream(bytes);
    for (size_t piece = 1; piece <= size; piece++) {
        const struct outcome outcome = feed(bytes, size, piece);
        assert_int_equal(outcome.greeted, 1);
        assert_int_equal(outcome.packets, PACKETS);
    }
}

TEST(packet_header_has_its_fields)
{
    char bytes[STREAM_MAX];
    struct packet_reader reader;
    size_t used, at = put_hello(bytes, "secret token");
    at += put_packet(bytes + at, 0x01020304, 3);
    packet_reader_init(&reader, PAYLOAD_MAX);
    assert_int_equal(packet_reader_feed(&reader, bytes, at, &used, NULL), PACKET_GREETED);
    assert_string_equal(reader.token, "secret token");
    assert_int_equal(used, 32);
    assert_int_equal(packet_reader_feed(&reader, bytes + used, at - used, &used, NULL), PACKET_COMPLETE);
    assert_int_equal(used, 48);
    assert_int_equal(reader.offset, 32);
    assert_int_equal(reader.packet.payload_bytes, 3);
    assert_int_equal(reader.packet.kind, PACKET_PALETTE);
    assert_int_equal(reader.packet.id, 0x01020304);
    assert_int_equal(reader.packet.model, 7);
    assert_int_equal(reader.packet.generation, 9);
    packet_reader_fini(&reader);
}

/* Bytes as the document has them, not as the code makes them. */
TEST(packet_header_is_little_endian)
{
    static const unsigned char EXPECTED[32] = {0x04, 0x03, 0x02, 0x01, 0x86, 0x00, 0x01, 0x00, 0x0d, 0x0c, 0x0b,
                                               0x0a, 0x21, 0,    0,    0,    0x31, 0,    0,    0,    0x15, 0,
                                               0,    0,    0x41, 0,    0,    0,    0x51, 0,    0,    0};
    const struct packet packet = {.payload_bytes = 0x01020304,
                                  .kind = PACKET_FRAMES,
                                  .flags = PACKET_HEADER_CHANGED,
                                  .id = 0x0a0b0c0d,
                                  .model = 0x21,
                                  .generation = 0x31,
                                  .code = 21,
                                  .warnings = 0x41,
                                  .note_bytes = 0x51};
    struct buf out;
    buf_init(&out, 0);
    packet_put_header(&out, &packet);
    assert_int_equal(out.size_bytes, sizeof EXPECTED);
    assert_memory_equal(out.data, EXPECTED, sizeof EXPECTED);
    buf_fini(&out);
}

TEST(packet_stream_cut_anywhere_only_waits)
{
    char bytes[STREAM_MAX];
    const size_t size = put_stream(bytes);
    for (size_t cut = 0; cut < size; cut++) {
        const struct outcome outcome = feed(bytes, cut, cut == 0 ? 1 : cut);
        assert_true(outcome.rc >= 0);
        assert_true(outcome.packets < PACKETS);
    }
}

/* Which bytes of the stream may be anything, and which break it when they are not what they are. */
static bool is_free(size_t at)
{
    if (at < 32)
        return (at >= 8 && at < 10) || (at >= 12 && at < 21); /* version, length of the token, token */
    size_t start = 32;
    for (int i = 0; i < PACKETS; i++) {
        const size_t end = start + PACKET_HEADER_BYTES + SIZES[i];
        if (at < end) {
            const size_t in = at - start;
            return in < 6 || (in >= 8 && in < 20) || in >= PACKET_HEADER_BYTES;
        }
        start = end + packet_padding(SIZES[i]);
        if (at < start)
            return false; /* padding */
    }
    return false;
}

TEST(packet_stream_with_one_byte_changed_is_refused_where_it_counts)
{
    char bytes[STREAM_MAX];
    const size_t size = put_stream(bytes);
    for (size_t at = 0; at < size; at++) {
        for (unsigned change = 1; change < 256; change++) {
            bytes[at] = (char)(bytes[at] ^ (char)change);
            const struct outcome whole = feed(bytes, size, size), pieces = feed(bytes, size, 1);
            assert_int_equal(whole.rc < 0 ? whole.rc : 0, pieces.rc < 0 ? pieces.rc : 0);
            assert_int_equal(whole.packets, pieces.packets);
            assert_true(whole.sum == pieces.sum);
            assert_int_equal(whole.bad_offset, pieces.bad_offset);
            if (!is_free(at)) {
                assert_true(whole.rc < 0);
                assert_int_equal(whole.bad_offset, at);
            }
            bytes[at] = (char)(bytes[at] ^ (char)change);
        }
    }
}

static void check_refused(const char *bytes, size_t size, int code, uint64_t bad_offset)
{
    const struct outcome outcome = feed(bytes, size, size);
    assert_int_equal(outcome.rc, code);
    assert_int_equal(outcome.bad_offset, bad_offset);
}

TEST(packet_reader_refuses_what_is_too_long_before_it_comes)
{
    char bytes[STREAM_MAX];
    const size_t hello = put_hello(bytes, "");
    put_packet(bytes + hello, 1, 0);
    bytes[hello] = PAYLOAD_MAX + 1;
    check_refused(bytes, hello + PACKET_HEADER_BYTES, ERR_BODY_TOO_LARGE, hello);
    memset(bytes + hello, -1, 4);
    check_refused(bytes, hello + PACKET_HEADER_BYTES, ERR_BODY_TOO_LARGE, hello);
    put_hello(bytes, "");
    bytes[12] = 1;
    bytes[13] = 1; /* 257 */
    check_refused(bytes, PACKET_HELLO_BYTES, ERR_BAD_REQUEST, 12);
}

TEST(packet_reader_knows_another_protocol_by_its_first_wrong_byte)
{
    check_refused("\x89PNG", 4, ERR_BAD_REQUEST, 2);
    check_refused("\x89PSDP\n", 6, ERR_BAD_REQUEST, 5); /* line ends were changed on the way */
}

TEST(packet_reader_takes_a_later_version_for_its_own)
{
    char bytes[STREAM_MAX];
    put_hello(bytes, "");
    bytes[8] = 3;
    assert_int_equal(feed(bytes, PACKET_HELLO_BYTES, PACKET_HELLO_BYTES).greeted, 1);
    bytes[8] = 0;
    check_refused(bytes, PACKET_HELLO_BYTES, ERR_BAD_REQUEST, 8);
}

TEST(packet_token_has_no_nul)
{
    char bytes[STREAM_MAX];
    const size_t size = put_hello(bytes, "abcdef");
    bytes[PACKET_HELLO_BYTES + 2] = 0;
    check_refused(bytes, size, ERR_BAD_REQUEST, PACKET_HELLO_BYTES + 2);
}

TEST(packet_names_are_those_of_the_table)
{
    assert_string_equal(packet_name(PACKET_PALETTE), "palette");
    assert_string_equal(packet_name(PACKET_CHANGED), "changed");
    assert_string_equal(packet_name(99), "?");
}

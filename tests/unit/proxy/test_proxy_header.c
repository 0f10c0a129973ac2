/* server/wire/proxy/proxy_header.h: both versions of the PROXY protocol, complete, cut anywhere, and with any byte
 * changed. */
#include "tests/unit/support/check.h"

#include "wire/proxy/proxy_header.h"

#include <stdlib.h>
#include <string.h>

#define SIGNATURE   "\r\n\r\n\0\r\nQUIT\n"
#define BYTES(text) text, sizeof(text) - 1

static const char V1[] = "PROXY TCP4 203.0.113.9 198.51.100.1 56324 443\r\n",
                  V1_6[] = "PROXY TCP6 2001:db8::9 2001:db8::1 56324 443\r\n",
                  V2_4[] = SIGNATURE "\x21\x11\0\x0c\xcb\0\x71\x09\xc6\x33\x64\x01\xdc\x04\x01\xbb",
                  V2_6[] = SIGNATURE "\x21\x21\0\x24" /* two addresses and two ports */
                                     "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x09"
                                     "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01\xdc\x04\x01\xbb",
                  V2_TLV[] = SIGNATURE "\x21\x11\0\x14\xcb\0\x71\x09\xc6\x33\x64\x01\xdc\x04\x01\xbb" /* 12 bytes */
                                       "\x02\0\x02hi\x04\0\0";

/* Returns the header's address, "203.0.113.9:56324", "" for none, or how it is refused. */
static const char *read_header(const char *bytes, size_t size_bytes, size_t *used)
{
    static char text[PEER_TEXT_SIZE + ERR_MESSAGE_SIZE];
    struct proxy_header header;
    struct err err = {0};
    char *copy = malloc(size_bytes == 0 ? 1 : size_bytes); /* so that a sanitizer sees a byte behind the end */
    assert_non_null(copy);
    memcpy(copy, bytes, size_bytes);
    const int rc = proxy_header_read(copy, size_bytes, &header, used, &err);
    free(copy);
    text[0] = '\0';
    if (rc == PROXY_HEADER_NEED_MORE || rc == PROXY_HEADER_NONE) {
        assert_int_equal(*used, 0);
        return rc == PROXY_HEADER_NONE ? "none" : "more";
    }
    if (rc < 0) {
        assert_int_equal(rc, ERR_BAD_REQUEST);
        assert_int_equal(*used, 0);
        assert_non_null(strstr(err.message, "PROXY header"));
        return "refused";
    }
    if (header.source.kind != PEER_NONE)
        peer_address_format(&header.source, text);
    return text;
}

static void check(const char *bytes, size_t size_bytes, const char *expected)
{
    char longer[PROXY_HEADER_MAX_BYTES + 64];
    size_t used;
    assert_string_equal(read_header(bytes, size_bytes, &used), expected);
    const bool is_read =
        strcmp(expected, "more") != 0 && strcmp(expected, "none") != 0 && strcmp(expected, "refused") != 0;
    if (!is_read)
        return;
    assert_int_equal(used, size_bytes);
    memcpy(longer, bytes, size_bytes); /* what follows is not part of it */
    memcpy(longer + size_bytes, "GET / HTTP/1.1\r\n", 16);
    assert_string_equal(read_header(longer, size_bytes + 16, &used), expected);
    assert_int_equal(used, size_bytes);
}

TEST(proxy_header_whole)
{
    check(BYTES(V1), "203.0.113.9:56324");
    check(BYTES(V1_6), "[2001:db8::9]:56324");
    check(BYTES("PROXY UNKNOWN\r\n"), "");
    check(BYTES("PROXY UNKNOWN ffff:f...f:ffff what ever 65535\r\n"), "");
    check(BYTES("PROXY TCP4 0.0.0.0 255.255.255.255 0 65535\r\n"), "0.0.0.0");
    check(BYTES(V2_4), "203.0.113.9:56324");
    check(BYTES(V2_6), "[2001:db8::9]:56324");
    check(BYTES(V2_TLV), "203.0.113.9:56324");
    check(BYTES(SIGNATURE "\x20\0\0\0"), ""); /* LOCAL */
    check(BYTES(SIGNATURE "\x20\x11\0\x03"
                          "abc"),
          "");                                /* whatever comes with it */
    check(BYTES(SIGNATURE "\x21\0\0\0"), ""); /* UNSPEC */
    check(BYTES(SIGNATURE "\x21\0\0\x02"
                          "ab"),
          "");
    char local[16 + 216] = SIGNATURE "\x21\x31\0\xd8/run/a";
    check(local, sizeof local, "unix");
}

TEST(proxy_header_none)
{
    check(BYTES("GET / HTTP/1.1\r\n"), "none");
    check(BYTES("POST / HTTP/1.1\r\n"), "none");
    check(BYTES("PROPFIND / HTTP/1.1\r\n"), "none");
    check(BYTES("proxy TCP4"), "none");
    check(BYTES("PROXY\t"), "none");
    check(BYTES("\r\nGET /"), "none"); /* HTTP takes some empty lines */
    check(BYTES("\r\n\r\nGET /"), "none");
    check(BYTES("\x50\x53\x45\x44"), "none");
    check("", 0, "more");
}

TEST(proxy_header_refused)
{
    check(BYTES("PROXY \r\n"), "refused");
    check(BYTES("PROXY TCP5 1.2.3.4 1.2.3.4 1 2\r\n"), "refused");
    check(BYTES("PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n"), "refused");
    check(BYTES("PROXY TCP4 1.2.3.4 1.2.3.4 1 2 3\r\n"), "refused");
    check(BYTES("PROXY TCP4 1.2.3.4  1.2.3.4 1 2\r\n"), "refused");
    check(BYTES("PROXY TCP4 1.2.3.4 1.2.3.4 1 2 \r\n"), "refused");
    check(BYTES("PROXY TCP4 ::1 ::1 1 2\r\n"), "refused");
    check(BYTES("PROXY TCP6 1.2.3.4 1.2.3.4 1 2\r\n"), "refused");
    check(BYTES("PROXY TCP4 1.2.3.4 1.2.3.256 1 2\r\n"), "refused");
    check(BYTES("PROXY TCP4 1.2.3.4 1.2.3.4 65536 2\r\n"), "refused");
    check(BYTES("PROXY TCP4 1.2.3.4 1.2.3.4 01 2\r\n"), "refused");
    check(BYTES("PROXY TCP4 1.2.3.4 1.2.3.4 +1 2\r\n"), "refused");
    check(BYTES("PROXY TCP4 1.2.3.4 1.2.3.4 1 2\n"), "refused");
    check(BYTES("PROXY TCP4 1.2.3.4\0 1.2.3.4 1 2\r\n"), "refused");
    check(BYTES("PROXY UNKNOWNS\r\n"), "refused");
    check(BYTES("PROXY UNKNOWN \r\r\n"), "refused");
    check(BYTES(SIGNATURE "\x11\x11\0\0"), "refused");   /* version 1 */
    check(BYTES(SIGNATURE "\x22\x11\0\0"), "refused");   /* a command that there is not */
    check(BYTES(SIGNATURE "\x21\x12\0\x0c"), "refused"); /* a datagram */
    check(BYTES(SIGNATURE "\x21\x41\0\x0c"), "refused");
    check(BYTES(SIGNATURE "\x21\x11\0\x0b"), "refused");   /* too short for its addresses */
    check(BYTES(SIGNATURE "\x21\x11\xff\xff"), "refused"); /* refused before so much has come */
    check(BYTES(SIGNATURE "\x21\x11\0\x0e\xcb\0\x71\x09\xc6\x33\x64\x01\xdc\x04\x01\xbb\x02\0"), "refused");
    check(BYTES(SIGNATURE "\x21\x11\0\x0f\xcb\0\x71\x09\xc6\x33\x64\x01\xdc\x04\x01\xbb\x02\0\x01"), "refused");
}

TEST(proxy_header_sizes)
{
    static char longest[PROXY_HEADER_MAX_BYTES + 1];
    char line[128] = "PROXY UNKNOWN ";
    memset(line + 14, 'x', sizeof line - 14);
    memcpy(line + 105, "\r\n", 2);
    check(line, 107, "");
    check(line, 106, "more");
    memset(line + 14, 'x', sizeof line - 14);
    memcpy(line + 106, "\r\n", 2);
    check(line, 107, "refused");
    check(line, 108, "refused");
    memcpy(longest, SIGNATURE "\x20\0\x0f\xf0", 16);
    check(longest, PROXY_HEADER_MAX_BYTES, "");
    memcpy(longest, SIGNATURE "\x20\0\x0f\xf1", 16);
    check(longest, 16, "refused");
}

static const struct {
    const char *bytes;
    size_t size_bytes;
} WHOLE[] = {{BYTES(V1)}, {BYTES(V1_6)}, {BYTES(V2_4)}, {BYTES(V2_6)}, {BYTES(V2_TLV)}};

TEST(proxy_header_cut_anywhere_waits_for_the_rest)
{
    size_t used;
    for (size_t i = 0; i < sizeof WHOLE / sizeof *WHOLE; i++)
        for (size_t size = 0; size < WHOLE[i].size_bytes; size++)
            assert_string_equal(read_header(WHOLE[i].bytes, size, &used), "more");
}

/* Every other value of every byte: the result is a header with another meaning, or no header. */
TEST(proxy_header_with_a_byte_changed)
{
    char changed[sizeof V2_6];
    size_t used;
    for (size_t i = 0; i < sizeof WHOLE / sizeof *WHOLE; i++) {
        const size_t size = WHOLE[i].size_bytes;
        const bool is_v2 = WHOLE[i].bytes[0] == '\r';
        for (size_t at = 0; at < size; at++)
            for (int value = 0; value < 256; value++) {
                memcpy(changed, WHOLE[i].bytes, size);
                if (changed[at] == (char)value)
                    continue;
                changed[at] = (char)value;
                const char *got = read_header(changed, size, &used);
                assert_true(used <= size);
                const bool is_start = at < (is_v2 ? 12 : 6);
                if (is_start && strcmp(got, "none") != 0)
                    fail_msg("byte %zu of header %zu may not be %d: %s", at, i, value, got);
                if (!is_start && strcmp(got, "none") == 0)
                    fail_msg("byte %zu of header %zu as %d makes it none", at, i, value);
                if (is_v2 && (at == 12 || at == 13) && strcmp(got, "") != 0 && strcmp(got, "refused") != 0)
                    fail_msg("byte %zu of header %zu as %d is taken for %s", at, i, value, got);
                if (!is_v2 && at >= size - 2 && strcmp(got, "refused") != 0 && strcmp(got, "more") != 0)
                    fail_msg("byte %zu of header %zu as %d still ends the line: %s", at, i, value, got);
            }
    }
}

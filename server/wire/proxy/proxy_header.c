#include "wire/proxy/proxy_header.h"

#include "base/ascii.h"
#include "wire/http/http_target.h"

#include <arpa/inet.h>
#include <string.h>

enum {
    V1_MAX_BYTES = 107, /* the longest line with its CRLF */
    V1_FIELDS = 4,
    V2_HEAD_BYTES = 16,
    V2_LOCAL = 0x20,
    V2_PROXY = 0x21,
    V2_UNSPEC = 0x00,
    V2_TCP4 = 0x11,
    V2_TCP6 = 0x21,
    V2_UNIX = 0x31,
    TLV_HEAD_BYTES = 3,
    PORT_MAX = 65535,
};

static const char V1_START[] = "PROXY ", V2_START[] = "\r\n\r\n\0\r\nQUIT\n";

static int malformed(struct err *err, const char *what)
{
    return err_set(err, ERR_BAD_REQUEST, "the PROXY header of a trusted proxy %s", what);
}

/* True when the bytes begin with `start`, or are a beginning of it. */
static bool may_begin(const char *bytes, size_t size_bytes, const char *start, size_t start_bytes)
{
    return memcmp(bytes, start, size_bytes < start_bytes ? size_bytes : start_bytes) == 0;
}

/* --- version 1: "PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\n" --- */

struct field {
    const char *text;
    size_t size_bytes;
};

static bool take_port(const struct field *field, uint16_t *out)
{
    unsigned number = 0;
    if (field->size_bytes == 0 || field->size_bytes > 5 || (field->text[0] == '0' && field->size_bytes > 1))
        return false;
    for (size_t i = 0; i < field->size_bytes; i++) {
        if (!ascii_is_digit(field->text[i]))
            return false;
        number = 10 * number + (unsigned)(field->text[i] - '0');
    }
    *out = (uint16_t)number;
    return number <= PORT_MAX;
}

/* Parses source, destination and their ports, separated by single spaces. */
static bool take_v1_addresses(int family, const char *text, size_t size_bytes, struct proxy_header *out)
{
    struct field fields[V1_FIELDS];
    uint8_t source[16], destination[16];
    uint16_t source_port, destination_port;
    const char *end = text + size_bytes;
    for (int i = 0; i < V1_FIELDS; i++) {
        const char *space = memchr(text, ' ', (size_t)(end - text));
        const bool is_last = i == V1_FIELDS - 1;
        if ((space == NULL) != is_last)
            return false;
        fields[i] = (struct field){text, (size_t)((is_last ? end : space) - text)};
        text = is_last ? end : space + 1;
    }
    if (!http_is_address(family, fields[0].text, fields[0].size_bytes, source) ||
        !http_is_address(family, fields[1].text, fields[1].size_bytes, destination) ||
        !take_port(&fields[2], &source_port) || !take_port(&fields[3], &destination_port))
        return false;
    out->source = peer_address_ip(family == AF_INET, source, source_port);
    return true;
}

static int read_v1(const char *bytes, size_t size_bytes, struct proxy_header *out, size_t *used_bytes, struct err *err)
{
    static const char UNKNOWN[] = "UNKNOWN", TCP4[] = "TCP4 ", TCP6[] = "TCP6 ";
    const size_t seen_bytes = size_bytes < V1_MAX_BYTES ? size_bytes : V1_MAX_BYTES;
    for (size_t i = 0; i < seen_bytes; i++) {
        const bool is_end = bytes[i] == '\n' && i > 0 && bytes[i - 1] == '\r';
        const bool is_last_cr = bytes[i] == '\r' && (i + 1 == seen_bytes || bytes[i + 1] == '\n');
        if (is_end)
            *used_bytes = i + 1;
        if (is_end)
            break;
        if (bytes[i] != ' ' && !ascii_is_visible(bytes[i]) && !is_last_cr)
            return malformed(err, "has a byte that is no text");
    }
    if (*used_bytes == 0)
        return size_bytes < V1_MAX_BYTES ? PROXY_HEADER_NEED_MORE : malformed(err, "has a line of more than 107 bytes");
    const char *text = bytes + sizeof V1_START - 1, *end = bytes + *used_bytes - 2;
    const size_t left = (size_t)(end - text), tcp_bytes = sizeof TCP4 - 1, unknown_bytes = sizeof UNKNOWN - 1;
    const bool is_v4 = left >= tcp_bytes && memcmp(text, TCP4, tcp_bytes) == 0;
    const bool is_v6 = left >= tcp_bytes && memcmp(text, TCP6, tcp_bytes) == 0;
    const bool is_unknown = left >= unknown_bytes && memcmp(text, UNKNOWN, unknown_bytes) == 0 &&
                            (left == unknown_bytes || text[unknown_bytes] == ' ');
    if (is_unknown)
        return PROXY_HEADER_READ;
    if (!is_v4 && !is_v6)
        return malformed(err, "names no protocol: TCP4, TCP6 or UNKNOWN");
    if (!take_v1_addresses(is_v4 ? AF_INET : AF_INET6, text + tcp_bytes, left - tcp_bytes, out))
        return malformed(err, "does not have two addresses and two ports");
    return PROXY_HEADER_READ;
}

/* --- version 2: binary, numbers in network order --- */

static unsigned get_u16_be(const char *bytes)
{
    return (unsigned)(unsigned char)bytes[0] << 8 | (unsigned char)bytes[1];
}

/* Checks fields of type, length and value up to the end. */
static bool are_tlvs(const char *bytes, size_t size_bytes)
{
    while (size_bytes >= TLV_HEAD_BYTES) {
        const size_t part_bytes = TLV_HEAD_BYTES + get_u16_be(bytes + 1);
        if (part_bytes > size_bytes)
            return false;
        bytes += part_bytes;
        size_bytes -= part_bytes;
    }
    return size_bytes == 0;
}

/* Returns the size of the two addresses; SIZE_MAX for a family and transport that a stream cannot have. */
static size_t v2_address_bytes(unsigned family)
{
    switch (family) {
    case V2_TCP4:
        return 2 * (4 + 2);
    case V2_TCP6:
        return 2 * (16 + 2);
    case V2_UNIX:
        return 2 * 108;
    default:
        return family == V2_UNSPEC ? 0 : SIZE_MAX;
    }
}

static int read_v2(const char *bytes, size_t size_bytes, struct proxy_header *out, size_t *used_bytes, struct err *err)
{
    if (size_bytes < V2_HEAD_BYTES)
        return PROXY_HEADER_NEED_MORE;
    const unsigned command = (unsigned char)bytes[12], family = (unsigned char)bytes[13];
    const size_t rest_bytes = get_u16_be(bytes + 14), address_bytes = v2_address_bytes(family);
    const char *rest = bytes + V2_HEAD_BYTES;
    if (command != V2_LOCAL && command != V2_PROXY)
        return malformed(err, "has a version or command that there is not");
    if (address_bytes == SIZE_MAX)
        return malformed(err, "has a family or transport that there is not over a stream");
    if (V2_HEAD_BYTES + rest_bytes > PROXY_HEADER_MAX_BYTES)
        return malformed(err, "is longer than 4096 bytes");
    if (command == V2_PROXY && rest_bytes < address_bytes)
        return malformed(err, "is too short for its addresses");
    if (size_bytes < V2_HEAD_BYTES + rest_bytes)
        return PROXY_HEADER_NEED_MORE;
    *used_bytes = V2_HEAD_BYTES + rest_bytes;
    if (command == V2_LOCAL || family == V2_UNSPEC) /* the rest is meaningless */
        return PROXY_HEADER_READ;
    if (!are_tlvs(rest + address_bytes, rest_bytes - address_bytes))
        return malformed(err, "has fields that do not end where it ends");
    if (family == V2_UNIX)
        out->source = peer_address_unix();
    else if (family == V2_TCP4)
        out->source = peer_address_ip(true, rest, (uint16_t)get_u16_be(rest + 8));
    else
        out->source = peer_address_ip(false, rest, (uint16_t)get_u16_be(rest + 32));
    return PROXY_HEADER_READ;
}

int proxy_header_read(const char *bytes, size_t size_bytes, struct proxy_header *out, size_t *used_bytes,
                      struct err *err)
{
    const size_t v1_bytes = sizeof V1_START - 1, v2_bytes = sizeof V2_START - 1;
    *out = (struct proxy_header){0};
    *used_bytes = 0;
    const bool is_v2 = may_begin(bytes, size_bytes, V2_START, v2_bytes);
    if (!is_v2 && !may_begin(bytes, size_bytes, V1_START, v1_bytes))
        return PROXY_HEADER_NONE;
    if (!is_v2 && size_bytes < v1_bytes)
        return PROXY_HEADER_NEED_MORE;
    const int rc =
        is_v2 ? read_v2(bytes, size_bytes, out, used_bytes, err) : read_v1(bytes, size_bytes, out, used_bytes, err);
    if (rc < 0)
        *used_bytes = 0;
    return rc;
}

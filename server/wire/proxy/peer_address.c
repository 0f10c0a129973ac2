#include "wire/proxy/peer_address.h"

#include "base/ascii.h"
#include "wire/http/http_target.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

enum { V4_AT = 12, PORT_MAX = 65535, PORT_DIGITS = 5 };

static const uint8_t V4_PREFIX[V4_AT] = {[10] = 0xff, [11] = 0xff};

struct peer_address peer_address_ip(bool is_v4, const void *bytes, uint16_t port)
{
    struct peer_address out = {.kind = PEER_IP, .port = port};
    if (is_v4) {
        memcpy(out.ip, V4_PREFIX, sizeof V4_PREFIX);
        memcpy(out.ip + V4_AT, bytes, sizeof out.ip - V4_AT);
    } else {
        memcpy(out.ip, bytes, sizeof out.ip);
    }
    return out;
}

bool peer_address_is_v4(const struct peer_address *address)
{
    return address->kind == PEER_IP && memcmp(address->ip, V4_PREFIX, sizeof V4_PREFIX) == 0;
}

/* Parses ":5000", or nothing. */
static bool parse_port(const char *text, size_t size_bytes, uint16_t *out)
{
    unsigned number = 0;
    *out = 0;
    if (size_bytes == 0)
        return true;
    if (text[0] != ':' || size_bytes < 2 || size_bytes > 1 + PORT_DIGITS)
        return false;
    for (size_t i = 1; i < size_bytes; i++) {
        if (!ascii_is_digit(text[i]))
            return false;
        number = 10 * number + (unsigned)(text[i] - '0');
    }
    *out = (uint16_t)number;
    return number <= PORT_MAX;
}

bool peer_address_parse(const char *text, size_t size_bytes, struct peer_address *out)
{
    uint8_t bytes[16];
    uint16_t port;
    const char *colon = size_bytes > 0 ? memchr(text, ':', size_bytes) : NULL;
    const size_t name_bytes = colon == NULL ? size_bytes : (size_t)(colon - text);
    if (size_bytes > 0 && text[0] == '[') {
        const char *end = memchr(text, ']', size_bytes);
        if (end == NULL || !parse_port(end + 1, size_bytes - (size_t)(end + 1 - text), &port) ||
            !http_is_address(AF_INET6, text + 1, (size_t)(end - text) - 1, bytes))
            return false;
        *out = peer_address_ip(false, bytes, port);
        return true;
    }
    if (http_is_address(AF_INET, text, name_bytes, bytes) &&
        parse_port(text + name_bytes, size_bytes - name_bytes, &port)) {
        *out = peer_address_ip(true, bytes, port);
        return true;
    }
    if (!http_is_address(AF_INET6, text, size_bytes, bytes))
        return false;
    *out = peer_address_ip(false, bytes, 0);
    return true;
}

void peer_address_format(const struct peer_address *address, char out[PEER_TEXT_SIZE])
{
    const bool is_v4 = peer_address_is_v4(address);
    char host[INET6_ADDRSTRLEN] = "";
    if (address->kind != PEER_IP) {
        snprintf(out, PEER_TEXT_SIZE, "%s", address->kind == PEER_UNIX ? "unix" : "-");
        return;
    }
    inet_ntop(is_v4 ? AF_INET : AF_INET6, address->ip + (is_v4 ? V4_AT : 0), host, sizeof host);
    const int bytes = snprintf(out, PEER_TEXT_SIZE, is_v4 ? "%s" : "[%s]", host);
    if (address->port != 0)
        snprintf(out + bytes, PEER_TEXT_SIZE - (size_t)bytes, ":%u", address->port);
}

#include "wire/http/http_target.h"

#include "base/hex.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

/* True for a reg-name (RFC 3986, 3.2.2) or IPv4 address without commas, which would make it a list. */
static bool is_name(const char *text, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes; i++) {
        const char c = text[i];
        const bool is_escape =
            c == '%' && size_bytes - i > 2 && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0;
        const bool is_plain = ascii_is_alnum(c) || (c != '\0' && strchr("-._~!$&'()*+;=", c) != NULL);
        if (!is_escape && !is_plain)
            return false;
    }
    return size_bytes > 0;
}

bool http_is_address(int family, const char *text, size_t size_bytes, void *out)
{
    char copy[INET6_ADDRSTRLEN];
    if (size_bytes >= sizeof copy)
        return false;
    memcpy(copy, text, size_bytes);
    copy[size_bytes] = '\0';
    return inet_pton(family, copy, out) == 1;
}

/* True for nothing, or for a colon with an optional valid port number (RFC 3986, 3.2.3). */
static bool is_port(const char *text, size_t size_bytes)
{
    enum { PORT_MAX = 65535 };
    unsigned number = 0;
    for (size_t i = 1; i < size_bytes && number <= PORT_MAX; i++) {
        if (!ascii_is_digit(text[i]))
            return false;
        number = 10 * number + (unsigned)(text[i] - '0');
    }
    return size_bytes == 0 || (text[0] == ':' && number <= PORT_MAX);
}

bool http_host_is_good(const char *text, size_t size_bytes)
{
    struct in6_addr ignored;
    const bool is_literal = size_bytes > 0 && text[0] == '[';
    const char *end = size_bytes > 0 ? memchr(text, is_literal ? ']' : ':', size_bytes) : NULL;
    if (is_literal)
        return end != NULL && http_is_address(AF_INET6, text + 1, (size_t)(end - text) - 1, &ignored) &&
               is_port(end + 1, size_bytes - (size_t)(end - text) - 1);
    const size_t name_bytes = end == NULL ? size_bytes : (size_t)(end - text);
    return is_name(text, name_bytes) && is_port(text + name_bytes, size_bytes - name_bytes);
}

size_t http_scheme_bytes(const char *text, size_t size_bytes)
{
    return size_bytes >= 7 && strncasecmp(text, "http://", 7) == 0    ? 7
           : size_bytes >= 8 && strncasecmp(text, "https://", 8) == 0 ? 8
                                                                      : 0;
}

int http_target_parse(const char *target, size_t size_bytes, bool may_be_asterisk, struct http_target *out,
                      struct err *err)
{
    const char *const end = target + size_bytes;
    *out = (struct http_target){.path = target, .path_bytes = size_bytes};
    for (size_t i = 0; i < size_bytes; i++) {
        if (target[i] == '#')
            return err_set(err, ERR_BAD_REQUEST, "the request target has a fragment; write '#' as %%23");
        if (!ascii_is_visible(target[i]))
            return err_set(err, ERR_BAD_REQUEST,
                           "byte %zu of the request target must be percent-encoded (space, control or not ASCII)", i);
    }
    const size_t scheme_bytes = http_scheme_bytes(target, size_bytes);
    if (scheme_bytes > 0) {
        out->host = out->path = target + scheme_bytes;
        while (out->path < end && *out->path != '/' && *out->path != '?')
            out->path++;
        out->host_bytes = (size_t)(out->path - out->host);
        out->path_bytes = (size_t)(end - out->path);
        out->is_root = out->path == end || *out->path == '?';
        return http_host_is_good(out->host, out->host_bytes)
                   ? 0
                   : err_set(err, ERR_BAD_REQUEST, "the request target's host is not a host and port");
    }
    if (size_bytes > 0 && (target[0] == '/' || (size_bytes == 1 && target[0] == '*' && may_be_asterisk)))
        return 0;
    return err_set(err, ERR_BAD_REQUEST, "the request target does not begin with '/'");
}

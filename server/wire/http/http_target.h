/* http_target.h - the target of a request line, and the host of a Host header or an absolute target. Pure. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* True for a name, an IPv4 address or a bracketed IPv6 address, optionally followed by a colon and a port. The port is
 * empty or a number up to 65535. False for an empty text. */
bool http_host_is_good(const char *text, size_t size_bytes);

/* True for an address of AF_INET or AF_INET6 without brackets; `out` then receives its 4 or 16 bytes. */
bool http_is_address(int family, const char *text, size_t size_bytes, void *out);
/* Length of the "http://" or "https://" at the start of the text, else 0. */
size_t http_scheme_bytes(const char *text, size_t size_bytes);

/* The parts of a target, borrowed. */
struct http_target {
    const char *host; /* of "http://host/path" (RFC 9112, 3.2.2); NULL when the target has no host */
    size_t host_bytes;
    const char *path; /* includes the query; begins with '/', except for the asterisk and with is_root */
    size_t path_bytes;
    bool is_root; /* the path is "/", written as a bare query or as nothing */
};

/* may_be_asterisk: the method is OPTIONS. Returns 0 or ERR_BAD_REQUEST. */
int http_target_parse(const char *target, size_t size_bytes, bool may_be_asterisk, struct http_target *out,
                      struct err *err);

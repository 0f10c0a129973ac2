/* http_target.h - the target of a request line, and what may stand in Host and before the path of an absolute target.
 * Pure. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* A name, an IPv4 address or an IPv6 address in brackets, and perhaps a colon and a port, which is digits up to 65535
 * or nothing. The empty text is none. */
bool http_host_is_good(const char *text, size_t size_bytes);

/* Whether it is an address of AF_INET or AF_INET6 without brackets; `out` then has its 4 or 16 bytes. */
bool http_is_address(int family, const char *text, size_t size_bytes, void *out);
/* How long "http://" or "https://" is that the text begins with; 0: it does with neither. */
size_t http_scheme_bytes(const char *text, size_t size_bytes);

/* The parts of a target, borrowed. */
struct http_target {
    const char *host; /* of "http://host/path" (RFC 9112, 3.2.2); NULL: it has none */
    size_t host_bytes;
    const char *path; /* with its query; begins with '/' but for the asterisk, and where is_root says so */
    size_t path_bytes;
    bool is_root; /* the path is the query of "/", or nothing */
};

/* may_be_asterisk: the method is OPTIONS. 0 or ERR_BAD_REQUEST. */
int http_target_parse(const char *target, size_t size_bytes, bool may_be_asterisk, struct http_target *out,
                      struct err *err);

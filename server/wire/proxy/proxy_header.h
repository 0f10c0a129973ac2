/* proxy_header.h - parses the PROXY protocol header, versions 1 and 2, at the start of a connection
 * (https://www.haproxy.org/download/2.6/doc/proxy-protocol.txt).
 *
 * Only the header of a trusted proxy may be parsed. Pure: bytes in, struct out. */
#pragma once

#include "base/err.h"
#include "wire/proxy/peer_address.h"

enum proxy_header_found {
    PROXY_HEADER_NEED_MORE, /* the bytes may be the beginning of a header */
    PROXY_HEADER_NONE,      /* the connection does not begin with a header */
    PROXY_HEADER_READ,      /* the header is *used_bytes long, *out is filled */
};

enum { PROXY_HEADER_MAX_BYTES = 4096 };

struct proxy_header {
    struct peer_address source; /* of the client; PEER_NONE: the proxy speaks for itself, or does not name the client */
};

/* Parses all bytes received so far from the start of a connection. ERR_BAD_REQUEST: the header is malformed or longer
 * than PROXY_HEADER_MAX_BYTES; *used_bytes is then 0. It checks only the lengths of version 2 fields after the
 * addresses, and skips them. */
int proxy_header_read(const char *bytes, size_t size_bytes, struct proxy_header *out, size_t *used_bytes,
                      struct err *err);

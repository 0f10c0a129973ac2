/* proxy_header.h - the header of the PROXY protocol, versions 1 and 2, in front of what a connection says
 * (https://www.haproxy.org/download/2.6/doc/proxy-protocol.txt).
 *
 * Pure: bytes in, struct out. Only a trusted proxy's may be read. */
#pragma once

#include "base/err.h"
#include "wire/proxy/peer_address.h"

enum proxy_header_found {
    PROXY_HEADER_NEED_MORE, /* what there is may be the beginning of one */
    PROXY_HEADER_NONE,      /* the connection does not begin with one */
    PROXY_HEADER_READ,      /* *used_bytes are the header, *out is filled */
};

enum { PROXY_HEADER_MAX_BYTES = 4096 };

struct proxy_header {
    struct peer_address source; /* of the client; PEER_NONE: the proxy speaks for itself, or does not say for whom */
};

/* Of a connection's first bytes, all that have come. ERR_BAD_REQUEST: it is such a header, but malformed or longer than
 * PROXY_HEADER_MAX_BYTES; *used_bytes is 0 then. Fields of version 2 behind the addresses are checked for their lengths
 * and skipped. */
int proxy_header_read(const char *bytes, size_t size_bytes, struct proxy_header *out, size_t *used_bytes,
                      struct err *err);

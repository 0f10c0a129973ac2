/* trusted_proxies.h - the proxies whose word about their clients is believed, by their addresses. Pure; read-only once
 * it is made, from any thread. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "wire/proxy/peer_address.h"

/* Zeroed: nobody is trusted. */
struct trusted_proxies {
    struct buf networks; /* of struct trusted_network */
    bool has_unix;       /* whoever may connect to the Unix socket */
};

/* Adds the entries of "10.0.0.0/8, 192.0.2.7, fd00::/8, unix": networks in CIDR notation (RFC 4632, RFC 4291), single
 * addresses, and "unix". ERR_BAD_PARAMETER names what is none, also a network with bits behind its prefix. */
int trusted_proxies_add(struct trusted_proxies *proxies, const char *list, struct err *err);
void trusted_proxies_fini(struct trusted_proxies *proxies);

/* Whether anybody is trusted. */
static inline bool trusted_proxies_are_any(const struct trusted_proxies *proxies)
{
    return proxies->has_unix || proxies->networks.size_bytes > 0;
}

/* A network of IPv6 does not hold IPv4 addresses, not even mapped ones. */
bool trusted_proxies_have(const struct trusted_proxies *proxies, const struct peer_address *address);

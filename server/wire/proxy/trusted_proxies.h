/* trusted_proxies.h - the addresses of proxies whose statements about clients are trusted. Pure; read-only after
 * construction, from any thread. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "wire/proxy/peer_address.h"

/* Zeroed, it trusts nobody. */
struct trusted_proxies {
    struct buf networks; /* struct trusted_network */
    bool has_unix;       /* trusts every peer of the Unix socket */
};

/* Adds the entries of "10.0.0.0/8, 192.0.2.7, fd00::/8, unix": networks in CIDR notation (RFC 4632, RFC 4291), single
 * addresses, and "unix". ERR_BAD_PARAMETER names the invalid entry; a network with host bits set is invalid. */
int trusted_proxies_add(struct trusted_proxies *proxies, const char *list, struct err *err);
void trusted_proxies_fini(struct trusted_proxies *proxies);

/* Whether any proxy is trusted. */
static inline bool trusted_proxies_are_any(const struct trusted_proxies *proxies)
{
    return proxies->has_unix || proxies->networks.size_bytes > 0;
}

/* An IPv6 network contains no IPv4 addresses, not even mapped ones. */
bool trusted_proxies_have(const struct trusted_proxies *proxies, const struct peer_address *address);

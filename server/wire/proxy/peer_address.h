/* peer_address.h - the address of a client or a proxy: an IP address, or the peer of a Unix socket. Pure; any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum peer_kind { PEER_NONE, PEER_UNIX, PEER_IP };

/* Zeroed, the address is unknown. */
struct peer_address {
    enum peer_kind kind;
    uint8_t ip[16]; /* PEER_IP: in network order; IPv4 as an IPv4-mapped address ::ffff:a.b.c.d (RFC 4291, 2.5.5.2) */
    uint16_t port;  /* PEER_IP: 0 when unknown */
};

enum { PEER_TEXT_SIZE = 64 };

static inline struct peer_address peer_address_unix(void) { return (struct peer_address){.kind = PEER_UNIX}; }

/* `bytes` are 4 bytes of IPv4 or 16 of IPv6, in network order. */
struct peer_address peer_address_ip(bool is_v4, const void *bytes, uint16_t port);

/* True for an IPv4 or IPv4-mapped address. */
bool peer_address_is_v4(const struct peer_address *address);

/* Parses "203.0.113.9", "203.0.113.9:5000", "2001:db8::1", "[2001:db8::1]" or "[2001:db8::1]:5000", without surrounding
 * text. */
bool peer_address_parse(const char *text, size_t size_bytes, struct peer_address *out);

/* Writes "203.0.113.9:5000" or "[2001:db8::1]:5000", without an unknown port; "unix"; "-" for PEER_NONE. */
void peer_address_format(const struct peer_address *address, char out[PEER_TEXT_SIZE]);

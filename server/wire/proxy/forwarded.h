/* forwarded.h - finds the client by the headers of proxies: X-Forwarded-For, and Forwarded (RFC 7239).
 *
 * Each proxy appends the address of its own client. So the list is read from its end: while an address belongs to a
 * trusted proxy, the address before it is believed. Anything further left may be forged. Pure; any thread. */
#pragma once

#include "wire/proxy/trusted_proxies.h"

/* Writes the client that a trusted proxy names: "203.0.113.9", "[2001:db8::1]:4711", or an identifier of RFC 7239
 * ("unknown", "_gateway"). The result is empty when the headers name none. An absent header is NULL. X-Forwarded-For
 * precedes Forwarded: proxies write the former by default and forward the latter unchanged from their clients. */
void forwarded_client(const struct trusted_proxies *proxies, const char *x_forwarded_for, const char *forwarded,
                      char out[PEER_TEXT_SIZE]);

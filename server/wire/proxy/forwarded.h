/* forwarded.h - who the client is, by the headers that proxies write: X-Forwarded-For, and Forwarded (RFC 7239).
 *
 * Each proxy adds the address of its own client at the end. So the list is read from its end: as long as an address is
 * that of a trusted proxy, the one before it is believed. What stands further left may be anybody's invention.
 * Pure; any thread. */
#pragma once

#include "wire/proxy/trusted_proxies.h"

/* Writes what a trusted proxy says about the client of its request: "203.0.113.9", "[2001:db8::1]:4711", or an
 * identifier of RFC 7239 ("unknown", "_gateway"). Empty: it says nothing that can be read.
 * Each header is NULL where there is none. X-Forwarded-For goes before Forwarded: proxies write the former by default
 * and pass the latter on as their clients send it. */
void forwarded_client(const struct trusted_proxies *proxies, const char *x_forwarded_for, const char *forwarded,
                      char out[PEER_TEXT_SIZE]);

/* address_counts.h - counts the connections of each client address, over all loops. Any thread. */
#pragma once

#include "wire/proxy/peer_address.h"

struct address_counts;

struct address_counts *address_counts_new(void);
/* NULL is fine. */
void address_counts_free(struct address_counts *counts);

/* The unit of counting: an IPv4 address, or the first 64 bits of an IPv6 address, because a client with one address
 * usually has that whole network (RFC 6177, 2). */
struct address_key {
    uint8_t bytes[16];
};
struct address_key address_key_of(const struct peer_address *address);

/* Adds a connection of the address; returns the new number. */
uint64_t address_counts_add(struct address_counts *counts, const struct address_key *key);
/* Removes a connection that was added. */
void address_counts_remove(struct address_counts *counts, const struct address_key *key);

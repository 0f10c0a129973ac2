/* address_counts.h - how many connections each client address has, over all loops. Any thread. */
#pragma once

#include "wire/proxy/peer_address.h"

struct address_counts;

struct address_counts *address_counts_new(void);
/* NULL is fine. */
void address_counts_free(struct address_counts *counts);

/* What is counted together: an IPv4 address, or 64 bits of an IPv6 address, since whoever has one has all of that
 * network (RFC 6177, 2). */
struct address_key {
    uint8_t bytes[16];
};
struct address_key address_key_of(const struct peer_address *address);

/* One more connection of the address; returns how many there are with it. */
uint64_t address_counts_add(struct address_counts *counts, const struct address_key *key);
/* One that was added is gone. */
void address_counts_remove(struct address_counts *counts, const struct address_key *key);

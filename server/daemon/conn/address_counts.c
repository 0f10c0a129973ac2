#include "daemon/conn/address_counts.h"

#include "base/mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum { IP6_NETWORK_BYTES = 8 };

struct entry {
    struct address_key key;
    uint64_t count;
    UT_hash_handle hh;
};

/* uthash's function has no secret: who owns many addresses may choose them so that all meet in one bucket. That has no
 * more entries than there may be connections, since an entry goes with the last of its own. */
struct address_counts {
    pthread_mutex_t mutex;
    struct entry *entries;
};

struct address_counts *address_counts_new(void)
{
    struct address_counts *counts = mem_zalloc(1, sizeof *counts);
    pthread_mutex_init(&counts->mutex, NULL);
    return counts;
}

void address_counts_free(struct address_counts *counts)
{
    struct entry *entry, *next;
    if (counts == NULL)
        return;
    HASH_ITER(hh, counts->entries, entry, next)
    {
        HASH_DEL(counts->entries, entry);
        free(entry);
    }
    pthread_mutex_destroy(&counts->mutex);
    free(counts);
}

struct address_key address_key_of(const struct peer_address *address)
{
    struct address_key key = {0};
    memcpy(key.bytes, address->ip, peer_address_is_v4(address) ? sizeof key.bytes : IP6_NETWORK_BYTES);
    return key;
}

uint64_t address_counts_add(struct address_counts *counts, const struct address_key *key)
{
    struct entry *entry;
    pthread_mutex_lock(&counts->mutex);
    HASH_FIND(hh, counts->entries, key, sizeof *key, entry);
    if (entry == NULL) {
        entry = mem_zalloc(1, sizeof *entry);
        entry->key = *key;
        HASH_ADD(hh, counts->entries, key, sizeof entry->key, entry);
    }
    const uint64_t count = ++entry->count;
    pthread_mutex_unlock(&counts->mutex);
    return count;
}

void address_counts_remove(struct address_counts *counts, const struct address_key *key)
{
    struct entry *entry;
    pthread_mutex_lock(&counts->mutex);
    HASH_FIND(hh, counts->entries, key, sizeof *key, entry);
    if (entry != NULL && --entry->count == 0) {
        HASH_DEL(counts->entries, entry);
        free(entry);
    }
    pthread_mutex_unlock(&counts->mutex);
}

#include "daemon/cache/retargeted_clip_cache.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "daemon/model/imported_model.h"
#include "daemon/support/stats.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

struct entry {
    struct retargeted_clip *retargeted; /* a reference */
    size_t bytes;                       /* of memory, the entry's own with it */
    UT_hash_handle hh;
    struct entry *prev, *next; /* by use, the latest first */
    size_t key_bytes;
    char key[];
};

struct retargeted_clip_cache {
    struct retargeted_clip_store store;
    uint64_t max_bytes;
    pthread_mutex_t mutex; /* of all below */
    struct entry *entries, *used;
    uint64_t bytes;
    uint64_t hits, misses, evicted; /* not counted yet */
};

/* --- keys --- */

static uint64_t key_of(const struct model *model)
{
    return container_of((struct model *)(uintptr_t)model, struct imported_model, model)->key;
}

/* The bytes by which a retargeted clip is found, in an entry without a retargeted clip. */
static struct entry *new_entry(const struct retargeted_clip_key *key)
{
    const uint64_t models[2] = {key_of(key->model), key_of(key->source)};
    const size_t key_bytes = sizeof models + key->parameters->size_bytes;
    struct entry *entry = mem_zalloc(1, sizeof *entry + key_bytes);
    entry->key_bytes = key_bytes;
    memcpy(entry->key, models, sizeof models);
    memcpy(entry->key + sizeof models, key->parameters->data, key->parameters->size_bytes);
    return entry;
}

static struct entry *find_entry(const struct retargeted_clip_cache *cache, const struct entry *like)
{
    struct entry *entry;
    HASH_FIND(hh, cache->entries, like->key, like->key_bytes, entry);
    return entry;
}

/* --- entries --- */

static void remove_entry(struct retargeted_clip_cache *cache, struct entry *entry)
{
    HASH_DELETE(hh, cache->entries, entry);
    DL_DELETE(cache->used, entry);
    cache->bytes -= entry->bytes;
}

static void free_entry(struct entry *entry)
{
    retargeted_clip_unref(entry->retargeted);
    free(entry);
}

static struct retargeted_clip *find(struct retargeted_clip_store *store, const struct retargeted_clip_key *key)
{
    struct retargeted_clip_cache *cache = container_of(store, struct retargeted_clip_cache, store);
    struct entry *like = new_entry(key);
    struct retargeted_clip *retargeted = NULL;
    pthread_mutex_lock(&cache->mutex);
    struct entry *entry = find_entry(cache, like);
    if (entry != NULL) {
        DL_DELETE(cache->used, entry);
        DL_PREPEND(cache->used, entry);
        retargeted = retargeted_clip_ref(entry->retargeted);
        cache->hits++;
    }
    pthread_mutex_unlock(&cache->mutex);
    free(like);
    return retargeted;
}

/* If two threads made the same retargeted clip, the first one stays. Evicted entries are freed outside of the lock. */
static void put(struct retargeted_clip_store *store, const struct retargeted_clip_key *key,
                struct retargeted_clip *made)
{
    struct retargeted_clip_cache *cache = container_of(store, struct retargeted_clip_cache, store);
    struct entry *entry = new_entry(key), *gone = NULL;
    entry->retargeted = retargeted_clip_ref(made);
    entry->bytes = sizeof *entry + entry->key_bytes + made->held_bytes;
    pthread_mutex_lock(&cache->mutex);
    cache->misses++;
    if (entry->bytes > cache->max_bytes || find_entry(cache, entry) != NULL) {
        DL_PREPEND(gone, entry);
    } else {
        HASH_ADD(hh, cache->entries, key, entry->key_bytes, entry);
        DL_PREPEND(cache->used, entry);
        cache->bytes += entry->bytes;
    }
    while (cache->bytes > cache->max_bytes) {
        struct entry *last = cache->used->prev; /* utlist: the head's prev is the tail */
        remove_entry(cache, last);
        DL_PREPEND(gone, last);
        cache->evicted++;
    }
    pthread_mutex_unlock(&cache->mutex);
    struct entry *next;
    DL_FOREACH_SAFE(gone, entry, next)
    free_entry(entry);
}

/* --- life --- */

struct retargeted_clip_cache *retargeted_clip_cache_new(uint64_t max_bytes)
{
    struct retargeted_clip_cache *cache = mem_zalloc(1, sizeof *cache);
    cache->store = (struct retargeted_clip_store){.find = find, .put = put};
    cache->max_bytes = max_bytes;
    pthread_mutex_init(&cache->mutex, NULL);
    return cache;
}

void retargeted_clip_cache_free(struct retargeted_clip_cache *cache)
{
    if (cache == NULL)
        return;
    while (cache->used != NULL) {
        struct entry *entry = cache->used;
        remove_entry(cache, entry);
        free_entry(entry);
    }
    pthread_mutex_destroy(&cache->mutex);
    free(cache);
}

struct retargeted_clip_store *retargeted_clip_cache_store(struct retargeted_clip_cache *cache) { return &cache->store; }

uint64_t retargeted_clip_cache_bytes(struct retargeted_clip_cache *cache)
{
    pthread_mutex_lock(&cache->mutex);
    const uint64_t bytes = cache->bytes;
    pthread_mutex_unlock(&cache->mutex);
    return bytes;
}

void retargeted_clip_cache_count(struct retargeted_clip_cache *cache)
{
    pthread_mutex_lock(&cache->mutex);
    stats_set(STAT_CLIP_VIEWS_KEPT, HASH_COUNT(cache->entries));
    stats_set(STAT_CLIP_VIEWS_BYTES, cache->bytes);
    stats_add(STAT_CLIP_VIEWS_HITS, cache->hits);
    stats_add(STAT_CLIP_VIEWS_MISSES, cache->misses);
    stats_add(STAT_CLIP_VIEWS_EVICTED, cache->evicted);
    cache->hits = cache->misses = cache->evicted = 0;
    pthread_mutex_unlock(&cache->mutex);
}

#include "cache.h"

#include "../base/mem.h"
#include "endings.h"
#include "stats.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

/* Failed models are small but not nothing. */
enum { SLOTS_MAX = 16384 };

struct cache_slot {
    struct cache *cache;
    char *path;
    struct stamp stamp;  /* of the model file, when its import began or as the import read it */
    struct baked *baked; /* ready */
    struct err *err;     /* failed */
    uint64_t failed_ms;
    bool is_importing;
    struct import_job job;
    struct cache_wait *served;      /* came before the import under way began: its result is theirs */
    struct cache_wait *waiting;     /* came later, or it has not begun */
    uint64_t checked_turn;          /* when the files were last seen to be unchanged */
    struct cache_slot *prev, *next; /* by use, latest first */
    UT_hash_handle hh;
};

struct cache {
    const struct config *config;
    struct import_pool *pool;
    int root_fd;
    struct cache_slot *slots; /* by path */
    struct cache_slot *used;  /* latest first */
    uint64_t baked_bytes, baked_count;
    uint64_t turn;
};

struct cache *cache_new(const struct config *config, struct import_pool *pool, int root_fd)
{
    struct cache *cache = mem_zalloc(1, sizeof *cache);
    *cache = (struct cache){.config = config, .pool = pool, .root_fd = root_fd, .turn = 1};
    return cache;
}

static uint64_t now_ms(void) { return uv_hrtime() / 1000000; }

/* A model comes (1) or goes (-1). */
static void count_model(struct cache *cache, int sign, const struct baked *baked)
{
    cache->baked_count += (uint64_t)(int64_t)sign;
    cache->baked_bytes += sign > 0 ? baked->model.size_bytes : -baked->model.size_bytes;
    stats_set(STAT_CACHE_MODELS, cache->baked_count);
    stats_set(STAT_CACHE_BYTES, cache->baked_bytes);
}

/* Back to knowing nothing; references elsewhere live on. */
static void clear(struct cache_slot *slot)
{
    if (slot->baked != NULL)
        count_model(slot->cache, -1, slot->baked);
    baked_unref(slot->baked);
    slot->baked = NULL;
    free(slot->err);
    slot->err = NULL;
    slot->checked_turn = 0;
}

static void remove_slot(struct cache_slot *slot)
{
    struct cache *cache = slot->cache;
    clear(slot);
    HASH_DEL(cache->slots, slot);
    DL_DELETE(cache->used, slot);
    free(slot->path);
    free(slot);
}

void cache_free(struct cache *cache)
{
    if (cache == NULL)
        return;
    while (cache->used != NULL)
        remove_slot(cache->used);
    free(cache);
}

static struct cache_slot *find(const struct cache *cache, const char *path)
{
    struct cache_slot *slot;
    HASH_FIND_STR(cache->slots, path, slot);
    return slot;
}

static void touch(struct cache_slot *slot)
{
    if (slot->cache->used == slot)
        return;
    DL_DELETE(slot->cache->used, slot);
    DL_PREPEND(slot->cache->used, slot);
}

/* From the least recently used on, until the rest fits. Imports under way stay: they hold nothing yet. */
static void evict(struct cache *cache)
{
    struct cache_slot *slot = cache->used != NULL ? cache->used->prev : NULL; /* utlist: the head's prev is the tail */
    while (slot != NULL && (cache->baked_bytes > cache->config->cache_bytes || HASH_COUNT(cache->slots) > SLOTS_MAX)) {
        struct cache_slot *before = slot != cache->used ? slot->prev : NULL;
        if (!slot->is_importing) {
            stats_add(STAT_CACHE_EVICTED, slot->baked != NULL);
            remove_slot(slot);
        }
        slot = before;
    }
}

static bool on_starting(struct import_job *job);
static void on_done(struct import_job *job, struct baked *baked, const struct err *err);

static struct cache_slot *add_slot(struct cache *cache, const char *path)
{
    struct cache_slot *slot = mem_zalloc(1, sizeof *slot);
    slot->cache = cache;
    slot->path = mem_strdup(path);
    slot->job = (struct import_job){.path = slot->path, .starting = on_starting, .done = on_done};
    HASH_ADD_KEYPTR(hh, cache->slots, slot->path, strlen(slot->path), slot);
    DL_PREPEND(cache->used, slot);
    return slot;
}

/* Answers a list that no slot holds any more. *baked and *err are borrowed. */
static void answer(struct cache_wait *list, struct baked *baked, const struct err *err)
{
    struct cache_wait *wait, *next;
    for (wait = list; wait != NULL; wait = next) {
        next = wait->next;
        wait->prev = wait->next = NULL;
        wait->ready(wait, baked, err);
    }
}

/* One by one, as if each had just asked. */
static void ask_again(struct cache *cache, const char *path, struct cache_wait *list)
{
    struct cache_wait *wait, *next;
    for (wait = list; wait != NULL; wait = next) {
        next = wait->next;
        wait->prev = wait->next = NULL;
        struct baked *baked = NULL;
        struct err err = {0};
        const int rc = cache_get(cache, path, wait, &baked, &err);
        if (rc != 0)
            wait->ready(wait, baked, &err);
        baked_unref(baked);
    }
}

static bool is_wanted(const struct cache_wait *list)
{
    const struct cache_wait *wait;
    DL_FOREACH(list, wait)
    if (!*wait->is_abandoned)
        return true;
    return false;
}

static bool on_starting(struct import_job *job)
{
    struct cache_slot *slot = (struct cache_slot *)((char *)job - offsetof(struct cache_slot, job));
    struct cache_wait *list = slot->waiting;
    slot->waiting = NULL;
    if (is_wanted(list)) {
        slot->served = list;
        return true;
    }
    struct err err;
    err_set(&err, ERR_REQUEST_TIMEOUT, "%s: nobody waits for the import any more", slot->path);
    remove_slot(slot);
    answer(list, NULL, &err);
    return false;
}

/* The model file as the import read it, which may be newer than what its request saw. */
static struct stamp model_stamp(const struct model *model, const struct stamp *otherwise)
{
    for (uint32_t i = 0; i < model->source_file_count; i++) {
        const struct source_file *file = &model->source_files[i];
        if (file->role == SOURCE_MODEL)
            return (struct stamp){file->size_bytes, file->mtime_ns, file->ctime_ns, file->inode};
    }
    return *otherwise;
}

static void keep_result(struct cache_slot *slot, struct baked *baked, const struct err *err)
{
    slot->is_importing = false;
    if (baked != NULL) {
        slot->baked = baked;
        count_model(slot->cache, 1, baked);
        slot->stamp = model_stamp(&baked->model, &slot->stamp);
        return;
    }
    slot->err = mem_alloc(sizeof *slot->err);
    *slot->err = *err;
    slot->failed_ms = now_ms();
}

/* Whether the result is also that of the file as it is now, for those who asked while it was being made. */
static bool is_current(const struct cache_slot *slot)
{
    if (slot->baked != NULL)
        return root_is_unchanged(slot->cache->root_fd, &slot->baked->model);
    struct stamp stamp;
    struct err err;
    return root_stat(slot->cache->root_fd, slot->path, &stamp, &err) == 0 && stamp_equal(&stamp, &slot->stamp);
}

static void on_done(struct import_job *job, struct baked *baked, const struct err *err)
{
    struct cache_slot *slot = (struct cache_slot *)((char *)job - offsetof(struct cache_slot, job));
    struct cache *cache = slot->cache;
    struct cache_wait *served = slot->served, *late = slot->waiting;
    slot->served = slot->waiting = NULL;
    keep_result(slot, baked, err);
    if (baked != NULL)
        baked_ref(baked); /* for the answers: the slot may be gone at any time from here on */
    if (is_current(slot)) {
        DL_CONCAT(served, late);
        late = NULL;
    }
    char *path = late != NULL ? mem_strdup(slot->path) : NULL;
    evict(cache);
    answer(served, baked, err);
    if (late != NULL)
        ask_again(cache, path, late);
    free(path);
    baked_unref(baked);
}

/* Queues the import; `wait` is the first to wait for it. */
static int begin(struct cache *cache, struct cache_slot *slot, const struct stamp *stamp, struct cache_wait *wait,
                 struct err *err)
{
    clear(slot);
    slot->stamp = *stamp;
    slot->is_importing = true;
    stats_add(STAT_CACHE_MISSES, 1);
    DL_APPEND(slot->waiting, wait);
    if (import_pool_submit(cache->pool, &slot->job, err) == 0)
        return 0;
    slot->waiting = NULL;
    remove_slot(slot);
    return err->code;
}

/* 1: the slot's model is still what the files say. */
static int find_ready(struct cache *cache, struct cache_slot *slot)
{
    if (slot == NULL || slot->baked == NULL)
        return 0;
    if (slot->checked_turn != cache->turn && !root_is_unchanged(cache->root_fd, &slot->baked->model))
        return 0;
    slot->checked_turn = cache->turn;
    return 1;
}

static bool is_failure_remembered(const struct cache *cache, const struct cache_slot *slot, const struct stamp *stamp)
{
    return slot != NULL && slot->err != NULL && stamp_equal(&slot->stamp, stamp) &&
           now_ms() - slot->failed_ms < cache->config->limits.value[LIMIT_FAILED_TIME_MS];
}

static int check_file(const struct cache *cache, const char *path, struct stamp *stamp, struct err *err)
{
    if (root_stat(cache->root_fd, path, stamp, err) < 0)
        return err->code;
    if (!ending_is_known(path))
        return err_set(err, ERR_UNKNOWN_FORMAT, "%s: no importer knows this file's ending", path);
    return root_check_readable(cache->root_fd, path, err);
}

int cache_get(struct cache *cache, const char *path, struct cache_wait *wait, struct baked **baked, struct err *err)
{
    *baked = NULL;
    struct cache_slot *slot = find(cache, path);
    if (slot != NULL)
        touch(slot);
    if (slot != NULL && slot->is_importing) {
        stats_add(STAT_IMPORTS_SHARED, 1);
        DL_APPEND(slot->waiting, wait);
        return 0;
    }
    if (find_ready(cache, slot)) {
        *baked = baked_ref(slot->baked);
        stats_add(STAT_CACHE_HITS, 1);
        return 1;
    }
    struct stamp stamp;
    if (check_file(cache, path, &stamp, err) < 0) {
        if (slot != NULL && err->code != ERR_OVERLOADED) /* which says nothing about the file */
            remove_slot(slot);
        return err->code;
    }
    if (is_failure_remembered(cache, slot, &stamp))
        return err_set(err, slot->err->code, "%s", slot->err->message);
    if (slot == NULL)
        slot = add_slot(cache, path);
    return begin(cache, slot, &stamp, wait, err);
}

void cache_next_turn(struct cache *cache) { cache->turn++; }

struct cache_info cache_look(const struct cache *cache, const char *path, const struct stamp *stamp)
{
    const struct cache_slot *slot = find(cache, path);
    if (slot == NULL)
        return (struct cache_info){.state = CACHE_NEW};
    if (slot->is_importing)
        return (struct cache_info){.state = CACHE_IMPORTING};
    if (!stamp_equal(&slot->stamp, stamp))
        return (struct cache_info){.state = CACHE_NEW};
    if (slot->baked != NULL)
        return (struct cache_info){.state = CACHE_READY, .hash = slot->baked->hash};
    return (struct cache_info){.state = CACHE_FAILED, .err = slot->err};
}

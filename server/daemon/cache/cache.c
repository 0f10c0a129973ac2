#include "daemon/cache/cache.h"

#include "base/mem.h"
#include "daemon/cache/cache_slot.h"

#include <stdlib.h>

static void on_events(void *user)
{
    struct cache *cache = user;
    cache->has_events = true;
    if (cache->slots != NULL)
        cache_start_timer(cache);
}

/* What was seen under the former root says nothing. */
static void on_root_moved(void *user)
{
    struct cache *cache = user;
    if (cache->backing->watch != NULL)
        folder_watch_reset(cache->backing->watch);
    for (struct cache_slot *slot = cache->used; slot != NULL; slot = slot->next) {
        slot->checked_ms = 0;
        slot_invalidate_shared(slot);
    }
    on_events(cache);
}

struct cache *cache_new(uv_loop_t *loop, const struct config *config, struct import_pool *pool, int root_fd,
                        struct disk_cache *disk)
{
    struct cache *cache = mem_zalloc(1, sizeof *cache);
    *cache = (struct cache){.loop = loop, .config = config, .pool = pool, .tick = 1};
    uv_timer_init(loop, &cache->timer);
    cache->timer.data = cache;
    cache->backing = backing_new(loop, config, root_fd, disk, on_events, cache);
    const int fds[ROOT_MONITOR_FDS] = {root_fd, cache->backing->root_fd};
    if (config->watch != WATCH_OFF)
        cache->monitor =
            root_monitor_new(loop, config->root, config->limits.value[LIMIT_WATCH_TIME_MS], fds, on_root_moved, cache);
    return cache;
}

static void on_closed(uv_handle_t *timer) { free(timer->data); }

void cache_free(struct cache *cache)
{
    if (cache == NULL)
        return;
    while (cache->used != NULL) {
        revalidation_abandon(cache->used->run);
        slot_remove(cache->used);
    }
    root_monitor_free(cache->monitor);
    backing_end(cache->backing);
    backing_unref(cache->backing);
    uv_close((uv_handle_t *)&cache->timer, on_closed);
}

void cache_listen(struct cache *cache, struct cache_listener *listener) { cache->listener = listener; }

void cache_next_tick(struct cache *cache) { cache->tick++; }

static enum cache_state state_of(const struct cache_slot *slot, const struct stamp *stamp)
{
    const bool is_known = stamp_equal(&slot->stamp, stamp);
    switch (slot->state) {
    case SLOT_IMPORTING:
    case SLOT_CONFIRMING:
    case SLOT_SETTLING:
        return CACHE_IMPORTING;
    case SLOT_LOOKING:
        if (slot->imported == NULL && slot->err == NULL)
            return CACHE_IMPORTING;
        break;
    case SLOT_EMPTY:
    case SLOT_READY:
    case SLOT_FAILED:
    case SLOT_CHECKING:
        break;
    }
    return !is_known ? CACHE_NEW : slot->imported != NULL ? CACHE_READY : CACHE_FAILED;
}

struct cache_info cache_describe(const struct cache *cache, const char *path, const struct stamp *stamp)
{
    const struct cache_slot *slot = slot_find(cache, path);
    struct cache_info info = {.state = slot != NULL ? state_of(slot, stamp) : CACHE_NEW};
    if (info.state == CACHE_READY)
        info.hash = slot->imported->hash;
    if (info.state == CACHE_FAILED)
        info.err = slot->err;
    return info;
}

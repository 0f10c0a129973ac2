/* cache_waiters.c - the lists of waiters for a model. It answers them a few in each turn of the loop, in the order of
 * their arrival, even if many waited for one import. */
#include "daemon/cache/cache_slot.h"

#include "base/mem.h"

#include <stdlib.h>
#include <utlist.h>

/* The result for the waiters of one list. No slot holds them any more; each may still be cancelled. */
struct cache_result {
    struct cache_waiter *waiters;
    struct imported_model *imported; /* a reference; NULL: they get err, or ask again */
    struct err err;
    char *path; /* they ask again for this one, as if each had just come; or NULL */
    struct cache_result *prev, *next;
};

/* --- lists --- */

void waiter_add(struct cache_waiter **list, struct cache_waiter *waiter, struct cache_slot *slot)
{
    waiter->list = list;
    waiter->slot = slot;
    DL_APPEND(*list, waiter);
}

/* Removes and returns the first waiter of a list; NULL: it is empty. */
static struct cache_waiter *waiter_take(struct cache_waiter **list)
{
    struct cache_waiter *waiter = *list;
    if (waiter == NULL)
        return NULL;
    DL_DELETE(*list, waiter);
    waiter->list = NULL;
    waiter->slot = NULL;
    return waiter;
}

void waiter_move_all(struct cache_waiter **from, struct cache_waiter **to, struct cache_slot *slot)
{
    for (struct cache_waiter *waiter; (waiter = waiter_take(from)) != NULL;)
        waiter_add(to, waiter, slot);
}

bool slot_is_wanted(const struct cache_slot *slot) { return slot->served != NULL || slot->waiting != NULL; }

/* --- results --- */

static void drop(struct cache *cache, struct cache_result *result)
{
    DL_DELETE(cache->results, result);
    imported_model_unref(result->imported);
    free(result->path);
    free(result);
}

static void ask_again(struct cache *cache, const char *path, struct cache_waiter *waiter)
{
    struct imported_model *imported = NULL;
    struct err err = {0};
    const int rc = cache_get(cache, path, waiter, &imported, &err);
    if (rc != 0)
        waiter->ready(waiter, imported, &err);
    imported_model_unref(imported);
}

static bool answer_next(void *user)
{
    struct cache *cache = user;
    struct cache_result *result = cache->results;
    if (result == NULL)
        return false;
    struct cache_waiter *waiter = waiter_take(&result->waiters); /* NULL: all have left while they rested */
    if (waiter != NULL && result->path != NULL)
        ask_again(cache, result->path, waiter);
    else if (waiter != NULL)
        waiter->ready(waiter, result->imported, &result->err);
    if (result->waiters == NULL)
        drop(cache, result);
    return cache->results != NULL;
}

static struct cache_result *add_result(struct cache *cache, struct cache_waiter **list)
{
    struct cache_result *result = mem_zalloc(1, sizeof *result);
    waiter_move_all(list, &result->waiters, NULL);
    DL_APPEND(cache->results, result);
    return result;
}

void waiters_answer(struct cache *cache, struct cache_waiter **list, struct imported_model *imported,
                    const struct err *err)
{
    if (*list == NULL)
        return;
    struct cache_result *result = add_result(cache, list);
    result->imported = imported != NULL ? imported_model_ref(imported) : NULL;
    result->err = *err;
    turn_share_go(&cache->answering);
}

void waiters_ask_again(struct cache *cache, struct cache_waiter **list, const char *path)
{
    if (*list == NULL)
        return;
    add_result(cache, list)->path = mem_strdup(path);
    turn_share_go(&cache->answering);
}

void cache_begin_answers(struct cache *cache) { turn_share_init(&cache->answering, cache->loop, answer_next, cache); }

void cache_end_answers(struct cache *cache, uv_close_cb closed)
{
    while (cache->results != NULL)
        drop(cache, cache->results);
    turn_share_close(&cache->answering, closed);
}

#include "daemon/dispatch/known_models.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct known_model {
    struct shared_model *shared; /* a reference */
    UT_hash_handle hh;
};

bool known_models_is_current(struct known_models *models, const struct shared_model *shared)
{
    if (!models->is_asked) {
        models->is_asked = true;
        models->events = EVENTS_UNKNOWN;
        models->now_ms = cache_now_ms();
    }
    if (models->events == EVENTS_UNKNOWN && shared->set != NULL)
        models->events = folder_watch_set_is_quiet(shared->set) ? EVENTS_NONE : EVENTS_PENDING;
    /* Ask the kernel first: events that it no longer has are in the counts. */
    return (shared->set == NULL || models->events == EVENTS_NONE) && shared_model_is_current(shared, models->now_ms);
}

static struct known_model *known_at(const struct known_models *models, const char *path)
{
    struct known_model *known;
    HASH_FIND_STR(models->by_path, path, known);
    return known;
}

struct shared_model *known_models_find(struct known_models *models, const char *path, const char *hash)
{
    const struct known_model *known = known_at(models, path);
    if (known == NULL || !known_models_is_current(models, known->shared))
        return NULL;
    return hash == NULL || strcmp(hash, known->shared->imported->hash) == 0 ? known->shared : NULL;
}

static void forget(struct known_models *models, struct known_model *known)
{
    HASH_DEL(models->by_path, known);
    models->generation++;
    shared_model_unref(known->shared);
    free(known);
}

void known_models_learn(struct known_models *models, struct shared_model *shared)
{
    struct known_model *known = known_at(models, shared->path);
    if (known != NULL && known->shared == shared) {
        shared_model_unref(shared);
        return;
    }
    if (known != NULL)
        forget(models, known);
    known = mem_zalloc(1, sizeof *known);
    known->shared = shared;
    HASH_ADD_KEYPTR(hh, models->by_path, shared->path, strlen(shared->path), known);
}

void known_models_forget(struct known_models *models, const struct shared_model *shared)
{
    struct known_model *known = known_at(models, shared->path);
    if (known != NULL && known->shared == shared)
        forget(models, known);
}

void known_models_forget_all(struct known_models *models)
{
    struct known_model *known, *next;
    HASH_ITER(hh, models->by_path, known, next)
    forget(models, known);
}

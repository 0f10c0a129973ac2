/* hit_cache.c - pointers that are set once, from NULL. */
#include "anim/hits/hit_cache.h"

#include "base/mem.h"

#include <stdatomic.h>
#include <stdlib.h>

struct hit_cache {
    _Atomic(struct hit_set *) sets[VOLUME_KIND_COUNT];
    _Atomic(struct hit_mesh *) mesh;
};

struct hit_cache *hit_cache_new(void) { return mem_zalloc(1, sizeof(struct hit_cache)); }

void hit_cache_free(struct hit_cache *cache)
{
    if (cache == NULL)
        return;
    for (int k = 0; k < VOLUME_KIND_COUNT; k++)
        hit_set_free(cache->sets[k]);
    hit_mesh_free(cache->mesh);
    free(cache);
}

bool hit_cache_has_set(const struct hit_cache *cache, enum volume_kind fit)
{
    return atomic_load_explicit(&cache->sets[fit], memory_order_acquire) != NULL;
}

bool hit_cache_has_mesh(const struct hit_cache *cache)
{
    return atomic_load_explicit(&cache->mesh, memory_order_acquire) != NULL;
}

const struct hit_mesh *hit_cache_mesh(struct hit_cache *cache, const struct model *model)
{
    struct hit_mesh *there = atomic_load_explicit(&cache->mesh, memory_order_acquire);
    if (there != NULL)
        return there;
    struct hit_mesh *made = hit_mesh_new(model);
    if (atomic_compare_exchange_strong_explicit(&cache->mesh, &there, made, memory_order_acq_rel, memory_order_acquire))
        return made;
    hit_mesh_free(made);
    return there;
}

int hit_cache_set(struct hit_cache *cache, const struct model *model, enum volume_kind fit, uint64_t vertices_max,
                  const struct hit_set **out, struct err *err)
{
    struct hit_set *made, *there = NULL;
    *out = atomic_load_explicit(&cache->sets[fit], memory_order_acquire);
    if (*out != NULL)
        return 0;
    if (hit_set_new(model, fit, vertices_max, &made, err) < 0)
        return err->code;
    *out = made;
    if (!atomic_compare_exchange_strong_explicit(&cache->sets[fit], &there, made, memory_order_acq_rel,
                                                 memory_order_acquire)) {
        *out = there;
        hit_set_free(made);
    }
    return 0;
}

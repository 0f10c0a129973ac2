/* model_cache.c - loads models and evicts the least recently used. */
#include "render/draw/model_cache.h"

#include "base/mem.h"

#include <stdlib.h>

static uint64_t loaded_bytes(const struct loaded_model *loaded)
{
    return loaded->mapped.mapping_bytes + loaded->gpu.size_bytes;
}

static void unlink_loaded(struct model_cache *cache, struct loaded_model *loaded)
{
    *(loaded->prev != NULL ? &loaded->prev->next : &cache->first) = loaded->next;
    *(loaded->next != NULL ? &loaded->next->prev : &cache->last) = loaded->prev;
    loaded->prev = loaded->next = NULL;
}

static void link_first(struct model_cache *cache, struct loaded_model *loaded)
{
    loaded->next = cache->first;
    *(cache->first != NULL ? &cache->first->prev : &cache->last) = loaded;
    cache->first = loaded;
}

static void free_loaded(struct loaded_model *loaded, const struct gl *gl)
{
    if (loaded->is_drawn)
        gpu_model_fini(&loaded->gpu, gl);
    model_mapping_close(&loaded->mapped);
    free(loaded->is_used);
    hull_vertices_fini(&loaded->hull);
    free(loaded);
}

static void drop_last(struct model_cache *cache, const struct gl *gl)
{
    struct loaded_model *last = cache->last;
    unlink_loaded(cache, last);
    cache->used_bytes -= loaded_bytes(last);
    free_loaded(last, gl);
}

/* Vertices that no index names are not part of the picture, so they may not move the camera either. */
static int mark_used(struct loaded_model *loaded, struct err *err)
{
    const struct model *model = &loaded->mapped.model;
    loaded->is_used = calloc((size_t)model->position_count + 1, 1);
    if (loaded->is_used == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a model of %u vertices", model->position_count);
    for (uint32_t p = 0; p < model->primitive_count; p++) {
        const struct primitive *primitive = &model->primitives[p];
        for (uint32_t i = 0; i < primitive->index_count; i++)
            loaded->is_used[primitive->vertex_first + model->indices[primitive->index_first + i]] = 1;
    }
    return 0;
}

static bool drop_unused(struct model_cache *cache, const struct gl *gl)
{
    const bool is_unused = cache->last != NULL && cache->last->job != cache->job;
    if (is_unused)
        drop_last(cache, gl);
    return is_unused;
}

static void trim(struct model_cache *cache, const struct gl *gl)
{
    while (cache->used_bytes > cache->limit_bytes && drop_unused(cache, gl))
        continue;
}

void model_cache_begin(struct model_cache *cache) { cache->job++; }

static struct loaded_model *find(struct model_cache *cache, uint64_t key)
{
    struct loaded_model *loaded = cache->first;
    while (loaded != NULL && loaded->key != key)
        loaded = loaded->next;
    if (loaded != NULL)
        unlink_loaded(cache, loaded);
    return loaded;
}

int model_cache_map(struct model_cache *cache, const struct gl *gl, uint64_t key, int fd, uint64_t size_bytes,
                    struct loaded_model **out, struct err *err)
{
    struct loaded_model *loaded = find(cache, key);
    *out = NULL;
    if (loaded == NULL) {
        loaded = mem_zalloc(1, sizeof *loaded);
        loaded->key = key;
        if (model_mapping_open(&loaded->mapped, fd, size_bytes, err) < 0) {
            free_loaded(loaded, gl);
            return err->code;
        }
        cache->used_bytes += loaded_bytes(loaded);
    }
    loaded->job = cache->job;
    link_first(cache, loaded);
    trim(cache, gl);
    *out = loaded;
    return 0;
}

static int upload(struct model_cache *cache, const struct gl *gl, struct loaded_model *loaded, struct err *err)
{
    int rc = gpu_model_init(&loaded->gpu, gl, &loaded->mapped.model, err);
    if (rc == ERR_NO_MEMORY && drop_unused(cache, gl)) {
        while (drop_unused(cache, gl))
            continue;
        rc = gpu_model_init(&loaded->gpu, gl, &loaded->mapped.model, err);
    }
    return rc;
}

int model_cache_draw(struct model_cache *cache, const struct gl *gl, uint64_t key, int fd, uint64_t size_bytes,
                     struct loaded_model **out, struct err *err)
{
    struct loaded_model *loaded;
    if (model_cache_map(cache, gl, key, fd, size_bytes, &loaded, err) < 0)
        return err->code;
    if (!loaded->is_drawn) {
        if ((loaded->is_used == NULL && mark_used(loaded, err) < 0) || upload(cache, gl, loaded, err) < 0)
            return err->code;
        loaded->is_drawn = true;
        cache->used_bytes += loaded->gpu.size_bytes;
        trim(cache, gl);
    }
    *out = loaded;
    return 0;
}

void model_cache_fini(struct model_cache *cache, const struct gl *gl)
{
    while (cache->last != NULL)
        drop_last(cache, gl);
}

/* model_cache.c - loads models and evicts the least recently drawn. */
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

static int upload(struct model_cache *cache, const struct gl *gl, struct loaded_model *loaded, struct err *err)
{
    int rc = gpu_model_init(&loaded->gpu, gl, &loaded->mapped.model, err);
    if (rc != ERR_NO_MEMORY || cache->last == NULL)
        return rc;
    while (cache->last != NULL)
        drop_last(cache, gl);
    return gpu_model_init(&loaded->gpu, gl, &loaded->mapped.model, err);
}

static int load(struct model_cache *cache, const struct gl *gl, struct loaded_model *loaded, int fd,
                uint64_t size_bytes, struct err *err)
{
    if (model_mapping_open(&loaded->mapped, fd, size_bytes, err) < 0 || mark_used(loaded, err) < 0)
        return err->code;
    return upload(cache, gl, loaded, err);
}

int model_cache_get(struct model_cache *cache, const struct gl *gl, uint64_t key, int fd, uint64_t size_bytes,
                    struct loaded_model **out, struct err *err)
{
    *out = NULL;
    for (struct loaded_model *loaded = cache->first; loaded != NULL; loaded = loaded->next)
        if (loaded->key == key) {
            unlink_loaded(cache, loaded);
            link_first(cache, loaded);
            *out = loaded;
            return 0;
        }
    struct loaded_model *loaded = mem_zalloc(1, sizeof *loaded);
    loaded->key = key;
    const int rc = load(cache, gl, loaded, fd, size_bytes, err);
    if (rc < 0) {
        free_loaded(loaded, gl);
        return rc;
    }
    link_first(cache, loaded);
    cache->used_bytes += loaded_bytes(loaded);
    while (cache->used_bytes > cache->limit_bytes && cache->last != loaded)
        drop_last(cache, gl);
    *out = loaded;
    return 0;
}

void model_cache_fini(struct model_cache *cache, const struct gl *gl)
{
    while (cache->last != NULL)
        drop_last(cache, gl);
}

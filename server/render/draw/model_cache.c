/* model_cache.c - loads models and evicts the least recently used. */
#include "render/draw/model_cache.h"

#include "anim/bake/bake.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utlist.h>

static uint64_t loaded_bytes(const struct loaded_model *loaded)
{
    return loaded->mapped.mapping_bytes + loaded->gpu.size_bytes;
}

/* `fd` is borrowed. The caller must unmap *mapped in any case. */
static int map_model(struct model_mapping *mapped, int fd, uint64_t size_bytes, struct err *err)
{
    const off_t held_bytes = lseek(fd, 0, SEEK_END); /* fstat() is also the call that can inspect any path */
    *mapped = (struct model_mapping){0};
    if (held_bytes < 0 || size_bytes == 0 || (uint64_t)held_bytes < size_bytes)
        return err_set(err, ERR_INTERNAL, "the job's model is shorter than %llu bytes", (unsigned long long)size_bytes);
    void *mapping = mmap(NULL, size_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (mapping == MAP_FAILED)
        return err_set(err, ERR_NO_MEMORY, "the renderer cannot map a model of %llu bytes: %s",
                       (unsigned long long)size_bytes, strerror(errno));
    mapped->mapping = mapping;
    mapped->mapping_bytes = size_bytes;
    return bake_decode(mapping, size_bytes, &mapped->model, err);
}

static void unmap_model(struct model_mapping *mapped)
{
    if (mapped->mapping != NULL)
        munmap(mapped->mapping, mapped->mapping_bytes);
    *mapped = (struct model_mapping){0};
}

static void free_loaded(struct loaded_model *loaded, const struct gl *gl)
{
    if (loaded->is_drawn)
        gpu_model_fini(&loaded->gpu, gl);
    unmap_model(&loaded->mapped);
    free(loaded->is_used);
    hull_vertices_fini(&loaded->hull);
    free(loaded);
}

static void drop(struct model_cache *cache, const struct gl *gl, struct loaded_model *loaded)
{
    DL_DELETE(cache->first, loaded);
    cache->used_bytes -= loaded_bytes(loaded);
    free_loaded(loaded, gl);
}

/* Vertices that no index uses are not visible, so they must not affect the camera. */
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
    struct loaded_model *last = cache->first != NULL ? cache->first->prev : NULL;
    if (last == NULL || last->job == cache->job)
        return false;
    drop(cache, gl, last);
    return true;
}

static void trim(struct model_cache *cache, const struct gl *gl)
{
    while (cache->used_bytes > cache->limit_bytes && drop_unused(cache, gl))
        continue;
}

void model_cache_begin(struct model_cache *cache) { cache->job++; }

int model_cache_map(struct model_cache *cache, const struct gl *gl, uint64_t key, int fd, uint64_t size_bytes,
                    struct loaded_model **out, struct err *err)
{
    struct loaded_model *loaded;
    *out = NULL;
    DL_SEARCH_SCALAR(cache->first, loaded, key, key);
    if (loaded != NULL) {
        DL_DELETE(cache->first, loaded);
    } else {
        loaded = mem_zalloc(1, sizeof *loaded);
        loaded->key = key;
        if (map_model(&loaded->mapped, fd, size_bytes, err) < 0) {
            free_loaded(loaded, gl);
            return err->code;
        }
        cache->used_bytes += loaded_bytes(loaded);
    }
    loaded->job = cache->job;
    DL_PREPEND(cache->first, loaded);
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
    while (cache->first != NULL)
        drop(cache, gl, cache->first);
}

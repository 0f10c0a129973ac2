/* model_cache.h - the models that a worker holds, by key: models on the GPU, and models that only provide clips. The
 * least recently used are evicted first. Only on the context's thread. */
#pragma once

#include "anim/camera/hull_vertices.h"
#include "render/gl/gl.h"
#include "render/draw/gpu_model.h"

#include <stdint.h>

/* A checked baked model, mapped from the memfd of a job. */
struct model_mapping {
    struct model model; /* a view of the mapping */
    void *mapping;      /* NULL: none */
    uint64_t mapping_bytes;
};

struct loaded_model {
    uint64_t key;
    uint64_t job; /* the last job that used it */
    struct model_mapping mapped;
    bool is_drawn;    /* the members below are set, because model_cache_draw() asked for it */
    uint8_t *is_used; /* [vertex_count]: an index refers to the vertex */
    struct hull_vertices hull;
    struct gpu_model gpu;
    struct loaded_model *prev, *next; /* prev: more recently used */
};

struct model_cache {
    struct loaded_model *first;       /* utlist */
    uint64_t used_bytes, limit_bytes; /* mappings and GPU memory; the models of a single job may exceed the limit */
    uint64_t job;
};

/* Begins a job. The models that it gets stay until the next job. */
void model_cache_begin(struct model_cache *cache);

/* Returns the model of this key. If it is not cached, maps it from `fd` (borrowed) and checks it. ERR_INTERNAL (it has
 * fewer than `size_bytes`), ERR_NO_MEMORY, or as bake_decode(). `gl` frees evicted models. */
int model_cache_map(struct model_cache *cache, const struct gl *gl, uint64_t key, int fd, uint64_t size_bytes,
                    struct loaded_model **out, struct err *err);
/* The same for a model that is drawn, which is also uploaded. Also returns errors of gpu_model_init(). */
int model_cache_draw(struct model_cache *cache, const struct gl *gl, uint64_t key, int fd, uint64_t size_bytes,
                     struct loaded_model **out, struct err *err);
void model_cache_fini(struct model_cache *cache, const struct gl *gl);

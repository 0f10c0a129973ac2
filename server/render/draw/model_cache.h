/* model_cache.h - the models a worker holds, by key: those that it draws on the GPU as well, and those that clips are
 * from. The least recently used leave first. The context's thread only. */
#pragma once

#include "anim/camera/hull_vertices.h"
#include "render/gl/gl.h"
#include "render/draw/gpu_model.h"

#include <stdint.h>

/* A baked model mapped from the memfd that came with a job, checked. */
struct model_mapping {
    struct model model; /* a view of the mapping */
    void *mapping;      /* NULL: none */
    uint64_t mapping_bytes;
};

struct loaded_model {
    uint64_t key;
    uint64_t job; /* the last that got it */
    struct model_mapping mapped;
    bool is_drawn;    /* the rest is there: it was asked for by model_cache_draw() */
    uint8_t *is_used; /* [vertex_count]: some index names the vertex */
    struct hull_vertices hull;
    struct gpu_model gpu;
    struct loaded_model *prev, *next; /* prev: more recently used */
};

struct model_cache {
    struct loaded_model *first;       /* utlist */
    uint64_t used_bytes, limit_bytes; /* mapping and GPU together; the models of one job may exceed it alone */
    uint64_t job;
};

/* A job begins: the models that it gets stay until the next. */
void model_cache_begin(struct model_cache *cache);

/* The model of this key, mapped from `fd` (borrowed) and checked when it is not here yet. ERR_INTERNAL (it has fewer
 * bytes than that), ERR_NO_MEMORY, or as bake_decode(). `gl` gets rid of others that are drawn. */
int model_cache_map(struct model_cache *cache, const struct gl *gl, uint64_t key, int fd, uint64_t size_bytes,
                    struct loaded_model **out, struct err *err);
/* The same for one that is drawn: uploaded. Errors: of gpu_model_init() as well. */
int model_cache_draw(struct model_cache *cache, const struct gl *gl, uint64_t key, int fd, uint64_t size_bytes,
                     struct loaded_model **out, struct err *err);
void model_cache_fini(struct model_cache *cache, const struct gl *gl);

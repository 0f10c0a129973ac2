/* model_cache.h - the models a worker holds, by key: those that it draws on the GPU as well, and those that clips are
 * from. The least recently used leave first. The context's thread only. */
#pragma once

#include "anim/camera/hull_vertices.h"
#include "render/gl/gl.h"
#include "render/job/model_mapping.h"
#include "render/draw/gpu_model.h"

#include <stdint.h>

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
    struct loaded_model *first, *last;
    uint64_t used_bytes, limit_bytes; /* mapping and GPU together; the models of one job may exceed it alone */
    uint64_t job;
};

/* A job begins: the models that it gets stay until the next. */
void model_cache_begin(struct model_cache *cache);

/* The model of this key, mapped from `fd` (borrowed) and checked when it is not here yet. Errors: as
 * model_mapping_open(). `gl` gets rid of others that are drawn. */
int model_cache_map(struct model_cache *cache, const struct gl *gl, uint64_t key, int fd, uint64_t size_bytes,
                    struct loaded_model **out, struct err *err);
/* The same for one that is drawn: uploaded. Errors: of gpu_model_init() as well. */
int model_cache_draw(struct model_cache *cache, const struct gl *gl, uint64_t key, int fd, uint64_t size_bytes,
                     struct loaded_model **out, struct err *err);
void model_cache_fini(struct model_cache *cache, const struct gl *gl);

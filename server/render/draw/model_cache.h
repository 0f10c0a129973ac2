/* model_cache.h - the models a worker holds, decoded and on the GPU, by key; the least recently drawn leave first.
 * The context's thread only. */
#pragma once

#include "anim/camera/hull_vertices.h"
#include "render/gl/gl.h"
#include "render/job/model_mapping.h"
#include "render/draw/gpu_model.h"

#include <stdint.h>

struct loaded_model {
    uint64_t key;
    struct model_mapping mapped;
    uint8_t *is_used; /* [vertex_count]: some index names the vertex */
    struct hull_vertices hull;
    struct gpu_model gpu;
    struct loaded_model *prev, *next; /* prev: more recently used */
};

struct model_cache {
    struct loaded_model *first, *last;
    uint64_t used_bytes, limit_bytes; /* mapping and GPU together; the model being drawn may exceed it alone */
};

/* The model of this key, mapped from `fd` (borrowed), checked and uploaded when it is not here yet. The pointer is
 * valid until the next call. Errors: of bake_decode() and gpu_model_init(), ERR_INTERNAL. */
int model_cache_get(struct model_cache *cache, const struct gl *gl, uint64_t key, int fd, uint64_t size_bytes,
                    struct loaded_model **out, struct err *err);
void model_cache_fini(struct model_cache *cache, const struct gl *gl);

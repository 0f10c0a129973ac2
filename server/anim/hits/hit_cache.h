/* hit_cache.h - the data that hit tests need for a model, made on first use and kept beside the model.
 *
 * Any thread: when two threads make the same data at once, one result is thrown away. Returned data stays until the
 * cache is freed. */
#pragma once

#include "anim/hits/hit_mesh.h"

#include <stddef.h>

struct hit_cache;

struct hit_cache *hit_cache_new(void);
void hit_cache_free(struct hit_cache *cache);

/* True when the model's volumes of this kind exist already. */
bool hit_cache_has_set(const struct hit_cache *cache, enum volume_kind fit);
/* The first is true when the order of the model's triangles exists already; the second returns it. */
bool hit_cache_has_mesh(const struct hit_cache *cache);
const struct hit_mesh *hit_cache_mesh(struct hit_cache *cache, const struct model *model);
/* Returns the model's volumes, as hit_set_new() does. */
int hit_cache_set(struct hit_cache *cache, const struct model *model, enum volume_kind fit, uint64_t vertices_max,
                  const struct hit_set **out, struct err *err);

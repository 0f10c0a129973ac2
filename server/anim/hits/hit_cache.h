/* hit_cache.h - what is made of a model for hits, made when it is first asked for and kept beside the model.
 *
 * Any thread: two that make the same at the same time throw one of them away. What is handed out stays until the cache
 * is freed. */
#pragma once

#include "anim/hits/hit_mesh.h"

#include <stddef.h>

struct hit_cache;

struct hit_cache *hit_cache_new(void);
void hit_cache_free(struct hit_cache *cache);

/* Whether the set is there already. */
bool hit_cache_has_set(const struct hit_cache *cache, enum volume_kind fit);
/* Whether the order of the triangles is there already, and the order itself. */
bool hit_cache_has_mesh(const struct hit_cache *cache);
const struct hit_mesh *hit_cache_mesh(struct hit_cache *cache, const struct model *model);
/* The volumes of the model: as hit_set_new(). */
int hit_cache_set(struct hit_cache *cache, const struct model *model, enum volume_kind fit, uint64_t vertices_max,
                  const struct hit_set **out, struct err *err);

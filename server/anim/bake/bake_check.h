/* bake_check.h - whether a model's arrays keep every rule of protocol/baked-model.md, one function per group
 * of sections. For bake_decode() and bake_finish() only.
 *
 * Pure; any thread. `model` is a view whose counts are right and whose contents may be anything. Linear in the
 * size of the arrays: ranges that could overlap are bounded by their sum. All return 0, ERR_BAD_BAKE naming
 * section, element and field, ERR_MODEL_LIMIT, or ERR_NO_MEMORY (scratch of a few bytes per element). */
#pragma once

#include "base/err.h"
#include "anim/model/model.h"

#include <stdbool.h>

/* All groups, in an order in which each may rely on those before it. */
int bake_check(const struct model *model, struct err *err);

int bake_check_info(const struct model *model, struct err *err);   /* sizes, text, info */
int bake_check_skins(const struct model *model, struct err *err);  /* joints, skins and who uses them */
int bake_check_nodes(const struct model *model, struct err *err);  /* nodes, their order, the scene */
int bake_check_meshes(const struct model *model, struct err *err); /* vertices, meshes, primitives, morphs */
int bake_check_draws(const struct model *model, struct err *err);
int bake_check_clips(const struct model *model, struct err *err);
int bake_check_compiled(const struct model *model, struct err *err); /* after clips: the rig, frames */
int bake_check_assets(const struct model *model, struct err *err); /* materials, textures, warnings, sources, extras */

/* Times of keys and frames, either side of 0: their differences, doubles and products with any float stay far within a
 * double's range. */
#define BAKE_TIME_MAX 1e100

/* What the functions above are made of. */
int bake_check_fail(struct err *err, const char *section, uint64_t element, const char *field);
bool bake_is_str(const struct model *model, struct str str);
bool bake_is_long_str(const struct model *model, struct str str); /* longer than a name: the caller bounds it */
bool bake_is_range(uint64_t first, uint64_t count, uint64_t total);
bool bake_is_index(int32_t index, uint32_t count); /* or -1 */
bool bake_is_finite(const float *values, uint64_t count);
bool bake_is_affine(const struct mat4 *matrix); /* finite, last row 0 0 0 1 */

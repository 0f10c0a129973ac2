/* hit_rows.h - stores the matrices of a posed entity's volumes as structure of arrays. Pure; any thread. For
 * hit_scene.c. */
#pragma once

#include "anim/entity/entity.h"
#include "anim/hits/hit_set.h"

enum { HIT_ROW_FLOATS = 12 };

/* Stores the matrices of the last pose: element k of the upper three rows of volume v goes to out[k * set->stride + v].
 * Padding behind the last volume is the identity. palette: scratch memory of HIT_ROW_FLOATS for each joint of the set's
 * largest skin and for each of its nodes. Returns 0, or what entity_palette() or entity_nodes() returns. */
int hit_rows_put(const struct hit_set *set, struct entity_work *work, float *palette, float *out, struct err *err);

/* hit_rows.h - the matrices of the volumes of a posed entity, number by number. Pure; any thread. For hit_scene.c. */
#pragma once

#include "anim/entity/entity.h"
#include "anim/hits/hit_set.h"

enum { HIT_ROW_FLOATS = 12 };

/* Of the pose evaluated last: number k of volume v's upper three rows to out[k * set->stride + v]. Behind the last
 * volume they are the identity. palette: scratch, of HIT_ROW_FLOATS for each joint of the set's largest skin, and for
 * each of its nodes. 0, or what entity_palette() and entity_nodes() return. */
int hit_rows_put(const struct hit_set *set, struct entity_work *work, float *palette, float *out, struct err *err);

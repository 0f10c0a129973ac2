/* fbx_curve_read.h - reads the curve of a record: AnimationCurve in files from 7.0 on, Channel in older files.
 *
 * From 7.0 on, times, values, and run-length coded flags and floats are arrays. Before, a Channel has one list "Key" of
 * all keys, in which letters give the type of what follows: `time, value, U, s, slope, slope of the next key's left,
 * n`. Single-threaded. */
#pragma once

#include "import/fbx_take/fbx_curve.h"
#include "import/fbx_file/fbx_scene.h"

/* Times are in ticks of scene->ticks_per_s. A record without keys, or FBX_NONE, gives a curve without keys. Returns 0,
 * ERR_BAD_MODEL, ERR_BAD_KEYS (a number is not finite) or ERR_MODEL_LIMIT; on failure *curve is empty. */
int fbx_curve_read(struct fbx_curve *curve, const struct fbx_scene *scene, uint32_t record, struct err *err);

/* Reads the keys of a record "Channel", for fbx_curve_read(). Does not set the extrapolations. */
int fbx_old_curve_read(struct fbx_curve *curve, const struct fbx_scene *scene, uint32_t record, struct err *err);

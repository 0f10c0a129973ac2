/* fbx_takes.h - takes that assimp reads whole. A take is a part of a time line, and assimp 5.2.5 drops the keys outside
 * of it, also the ones next to its ends, so that curves stand still from there to their first key inside; where there
 * is none it aborts. Total on any bytes; pure; any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A power of two, so that times keep their last bits; longer than takes are. */
#define FBX_WIDENED_S   16384.0
#define FBX_TICKS_PER_S 46186158000.0 /* KTime of the FBX SDK */

/* A copy in which takes begin FBX_WIDENED_S earlier, where they say when they begin, and end as much later. False:
 * there is nothing to widen, or no memory. *out is the caller's to free, NULL when
 * false. */
bool fbx_widen_takes(const uint8_t *bytes, size_t size_bytes, uint8_t **out, size_t *out_bytes);

/* What of a clip that lasts duration_s was its take: the time at which it began, and how long it was. */
void fbx_take_of(double duration_s, double *begin_s, double *length_s);

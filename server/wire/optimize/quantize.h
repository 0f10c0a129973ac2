/* quantize.h - writes vertices as integers (KHR_mesh_quantization; glTF 2.0, 3.7.3.3).
 *
 * Pure; any thread. Elements are finite. `places` says where each of `count` vertices goes in `out`: WELDED_AWAY leaves
 * it out. */
#pragma once

#include "anim/model/model.h"

#include <stdint.h>

/* In place of a vertex's place: no index names the vertex. */
#define WELDED_AWAY UINT32_MAX

/* A grid of places: position = middle + step * (x, y, z), each at most 2^(bits-1) - 1 or its negative. Files say
 * x / 32767 and `side` = 32767 * step: readers that take the scale out of inverse bind matrices, such as Blender, then
 * have bones near their meshes and not at distances where floats are coarse. */
struct grid {
    double middle[3], side, step;
    double delta; /* the largest difference of a morph target, in the units of positions */
    int bits;     /* 14 to 16; 0: positions stay floats */
};

/* Makes the grid of `bits` for a box. */
struct grid grid_make(const double min[3], const double max[3], int bits);
/* Makes the steps of a grid smaller: those of so many bits, if the largest difference is then within its numbers. */
void grid_refine(struct grid *grid, int bits);

void quantize_positions(const struct grid *grid, const struct vec3 *positions, const uint32_t *places, uint32_t count,
                        int16_t (*out)[4]);
/* Differences of positions: deltas / step, within -32767 to 32767. deltas NULL: zeros. */
void quantize_deltas(const struct grid *grid, const struct vec3 *deltas, const uint32_t *places, uint32_t count,
                     int16_t (*out)[4]);
/* Vectors within -1 to 1, by 127. */
void quantize_bytes(const struct vec3 *vectors, const uint32_t *places, uint32_t count, int8_t (*out)[4]);
/* Coordinates within 0 to 1: to multiples of 1 / (2^bits - 1), by 65535. */
void quantize_texcoords(const struct vec2 *texcoords, int bits, const uint32_t *places, uint32_t count,
                        uint16_t (*out)[2]);
/* Returns a position as a reader of the grid sees it. */
struct vec3 grid_position(const struct grid *grid, const struct vec3 *position);
struct vec3 grid_delta(const struct grid *grid, const struct vec3 *delta);

/* Rounds `count` weights, which sum to 1 and descend, to multiples of 1 / (2^bits - 1), by 65535: the integers sum to
 * 65535 exactly. */
void quantize_weights(const float *weights, uint32_t count, int bits, uint16_t *out);

/* influence.h - finds the joint that moves a part of a draw, for the views that show it. Pure; any thread.
 *
 * Joints are identified by their nodes: a weight is the sum over all joints of the draw's skin with the same node. A
 * vertex without influences follows joint 0 of its skin with weight 1 (anim/model/model.h), which for an unskinned mesh
 * is its own node. */
#pragma once

#include "anim/model/model.h"
#include "base/err.h"

#include <stdbool.h>

/* Returns the weight of `node` for a vertex of the draw's primitive, 0..1. */
float influence_weight(const struct model *model, const struct draw *draw, uint32_t vertex, uint32_t node);

/* Returns the number of triangles, lines or points in a primitive. */
uint32_t influence_element_count(const struct primitive *primitive);
/* Finds the node that moves each vertex most ([vertex_count]), or each triangle, line or point with its corners
 * together ([influence_element_count()]). Of equals the smaller index wins. The caller frees the result. On failure
 * NULL and ERR_NO_MEMORY. */
uint32_t *influence_nodes(const struct model *model, const struct draw *draw, bool is_by_element, struct err *err);

/* Returns a colour for people, sRGB. The hue is the fraction of the node times the golden ratio, so that neighbours
 * differ (protocol/http.md). */
struct rgba8 influence_color(uint32_t node);

/* Returns a colour for programs, 0xRRGGBB: number = (node + 1) mod 2^24, color = number * 0x9E3779 mod 2^24. The factor
 * is odd, so every number has its own colour, and neighbours differ much (multiplicative hashing, Knuth, The Art of
 * Computer Programming 3, 6.4). The inverse: number = color * 0xB382C9 mod 2^24. */
uint32_t influence_id_color(uint32_t node);

/* influence.h - which joint moves what of a draw, for the views that show it. Pure; any thread.
 *
 * Joints are told by their nodes: a weight is the sum over all joints of the draw's skin that are the same node. What
 * has no influences follows joint 0 of its skin with weight 1 (anim/model/model.h), which for an unskinned mesh is its
 * own node. */
#pragma once

#include "anim/model/model.h"
#include "base/err.h"

#include <stdbool.h>

/* How much `node` moves a vertex of the draw's primitive, 0..1. */
float influence_weight(const struct model *model, const struct draw *draw, uint32_t vertex, uint32_t node);

/* Triangles, lines or points that a primitive's indices make. */
uint32_t influence_element_count(const struct primitive *primitive);
/* Which node moves each vertex most ([vertex_count]), or each triangle, line or point, its corners together
 * ([influence_element_count()]); of equals the one with the smaller index. The caller's to free; NULL and
 * ERR_NO_MEMORY.
 */
uint32_t *influence_nodes(const struct model *model, const struct draw *draw, bool is_by_element, struct err *err);

/* A colour for people, sRGB: the hue is the golden ratio's fraction of the node, so that neighbours differ
 * (protocol/http.md). */
struct rgba8 influence_color(uint32_t node);

/* A colour for programs, 0xRRGGBB: number = (node + 1) mod 2^24, color = number * 0x9E3779 mod 2^24. The factor is odd,
 * so every number has a colour of its own, and that of neighbours differs much (multiplicative hashing, Knuth, The Art
 * of Computer Programming 3, 6.4). number = color * 0xB382C9 mod 2^24. */
uint32_t influence_id_color(uint32_t node);

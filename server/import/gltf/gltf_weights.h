/* gltf_weights.h - merges channels that move one morph weight each (KHR_animation_pointer, "/nodes/3/weights/1") to
 * channels of all weights of a node. Single-threaded. */
#pragma once

#include "import/gltf/gltf.h"

struct gltf_weight_part {
    struct channel channel; /* with one component; its keys are in the builder */
    uint32_t weight;
};

/* The parts of one clip. Zeroed is empty. */
struct gltf_weight_parts {
    struct gltf_weight_part *parts; /* [count] */
    uint32_t count;
    size_t capacity;
};

void gltf_weight_parts_add(struct gltf_weight_parts *parts, const struct channel *channel, uint32_t weight);

/* Adds a channel for each node of the parts, in the order of the nodes, and empties the list. Weights without a
 * part keep their values at rest. The keys are at the times of all parts of a node, whose values there are exact. Parts
 * that the first part cannot be merged with, because of another interpolation or, with CUBICSPLINE, other key times,
 * are left out with a warning. Returns 0, ERR_MODEL_LIMIT or the error of import_full(). */
int gltf_weight_parts_put(struct gltf_weight_parts *parts, struct gltf *gltf, struct err *err);
void gltf_weight_parts_fini(struct gltf_weight_parts *parts);

/* fbx_layers.h - which takes of an FBX file have several layers that move something. Private to fbx_*.c; pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct fbx_layer {
    int64_t id;
    int64_t stack; /* what it belongs to, or 0 */
    uint32_t is_used;
};

struct fbx_layers {
    struct fbx_layer *items;
    size_t count, capacity;
    int is_sorted;
};

/* All layers first, then all connections. */
void fbx_layers_add(struct fbx_layers *layers, int64_t id);
void fbx_layers_connect(struct fbx_layers *layers, int64_t child, int64_t parent);
/* The takes that have two layers or more with something connected to them. */
uint32_t fbx_layers_count(struct fbx_layers *layers);
void fbx_layers_fini(struct fbx_layers *layers);

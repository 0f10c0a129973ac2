/* fbx_connections.h - what the connections of an FBX file tell: which takes have several layers that move something,
 * and which rotations have several angles that change. Private to fbx_*.c; pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Objects of one kind, by their ids. */
struct fbx_items {
    struct fbx_item {
        int64_t id;
        int64_t parent; /* what a layer belongs to, or 0 */
        uint32_t count; /* what is connected to it */
    } * items;
    size_t count, capacity;
    bool is_sorted;
};

void fbx_items_add(struct fbx_items *items, int64_t id);

/* All objects are added first, then all connections. */
struct fbx_connections {
    struct fbx_items layers;    /* of animation */
    struct fbx_items rotations; /* curve nodes of rotations */
    struct fbx_items curves;    /* whose value changes */
};

void fbx_connect(struct fbx_connections *connections, int64_t child, int64_t parent);
/* The takes that have two layers or more with something connected to them; after the last connection. */
uint32_t fbx_layered_takes(struct fbx_connections *connections);
/* The rotations about two axes or three at once. */
uint32_t fbx_multi_axis_rotations(const struct fbx_connections *connections);
void fbx_connections_fini(struct fbx_connections *connections);

/* fbx_turns.h - which rotations of an FBX file have several angles that change. Private to fbx_*.c; pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct fbx_rotation {
    int64_t id;
    uint32_t moving_count; /* curves that change, of those connected to it */
};

struct fbx_multi_axis {
    struct fbx_rotation *nodes, *curves; /* of rotations; that move */
    size_t node_count, node_capacity, curve_count, curve_capacity;
    int is_sorted;
};

/* All of these first: a curve node of a rotation, and a curve whose value changes. */
void fbx_multi_axis_add_node(struct fbx_multi_axis *turns, int64_t id);
void fbx_multi_axis_add_curve(struct fbx_multi_axis *turns, int64_t id);
/* Then all connections. */
void fbx_multi_axis_connect(struct fbx_multi_axis *turns, int64_t child, int64_t parent);
/* The rotations about two axes or three at once. */
uint32_t fbx_multi_axis_count(const struct fbx_multi_axis *turns);
void fbx_multi_axis_fini(struct fbx_multi_axis *turns);

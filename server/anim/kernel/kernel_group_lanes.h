/* kernel_group_lanes.h - moving nodes of LANES entities that play one clip, each at a time of its own. A template for
 * kernel_*.c, which define LANES (4 or 8) and include it after kernel_lanes.h. It defines lanes_group_LANES() and does
 * the operations of kernel_scalar.c in the same order.
 *
 * Frames have nodes side by side, so values are interpolated with a node in each lane. Then rows and columns change
 * places, and the rest is done with an entity in each lane. */

/* Interpolated components of LANES nodes: four of rotations, three of translations and three of scales. */
enum { NAME(COMPONENTS) = 10 };

/* [component][entity][node], then [component][node][entity]. */
struct NAME(crossing) {
    float by_entity[NAME(COMPONENTS)][LANES][LANES], by_node[NAME(COMPONENTS)][LANES][LANES];
};

KERNEL_INLINE void NAME(interpolate)(const struct kernel_lanes *lanes, const struct lane_block *block, uint32_t first,
                                     const float *weights, uint32_t entity, struct NAME(crossing) * out)
{
    VF v[4];
    if ((block->flags & LANES_ROTATE) != 0) {
        NAME(rotations)(lanes, block, first, weights, v);
        for (int i = 0; i < 4; i++)
            NAME(store)(out->by_entity[i][entity], v[i]);
    }
    if ((block->flags & LANES_TRANSLATE) != 0) {
        NAME(between)(lanes, block, first, 0, v);
        for (int i = 0; i < 3; i++)
            NAME(store)(out->by_entity[4 + i][entity], v[i]);
    }
    if ((block->flags & LANES_SCALE) != 0) {
        NAME(between)(lanes, block, first, 2, v);
        for (int i = 0; i < 3; i++)
            NAME(store)(out->by_entity[7 + i][entity], v[i]);
    }
}

KERNEL_INLINE void NAME(cross)(struct NAME(crossing) * crossing, uint32_t from, uint32_t end)
{
    for (uint32_t c = from; c < end; c++)
        for (uint32_t n = 0; n < LANES; n += 4) {
            VF nodes[4];
            NAME(load_rows)(&crossing->by_entity[c][0][n], LANES, nodes);
            for (uint32_t i = 0; i < 4; i++)
                NAME(store)(crossing->by_node[c][n + i], nodes[i]);
        }
}

/* Loads `count` components of a node: those that move, or constants from vector *constant on. */
KERNEL_INLINE void NAME(take)(const struct NAME(crossing) * crossing, bool moves, uint32_t component, uint32_t count,
                              const float **constant, uint32_t width, uint32_t node, VF *out)
{
    for (uint32_t i = 0; i < count && moves; i++)
        out[i] = NAME(load)(crossing->by_node[component + i][node]);
    for (uint32_t i = 0; i < count && !moves; i++)
        out[i] = (*constant)[i * width] - (VF){0};
    if (!moves)
        *constant += (size_t)count * width;
}

KERNEL_INLINE void NAME(put_matrix)(const struct NAME(crossing) * crossing, const float *constants,
                                    const struct lane_block *block, uint32_t node, float *to)
{
    const uint32_t flags = block->flags, w = block->width;
    const bool is_turned = (flags & LANES_ROTATE) != 0, is_scaled = (flags & (LANES_SCALE | LANES_FIXED_SCALE)) != 0;
    VF q[4], m[9], t[3], s[3];
    if (is_turned) {
        for (uint32_t i = 0; i < 4; i++)
            q[i] = NAME(load)(crossing->by_node[i][node]);
        NAME(matrices_of_rotations)(q, m);
    } else {
        NAME(take)(crossing, false, 0, 9, &constants, w, node, m);
    }
    NAME(take)(crossing, (flags & LANES_TRANSLATE) != 0, 4, 3, &constants, w, node, t);
    if (is_scaled)
        NAME(take)(crossing, (flags & LANES_SCALE) != 0, 7, 3, &constants, w, node, s);
    for (uint32_t i = 0; i < 9 && is_scaled; i++)
        m[i] = m[i] * s[i % 3];
    for (size_t e = 0; e < 12; e++)
        NAME(store)(to + e * LANES, e % 4 < 3 ? m[e / 4 * 3 + e % 4] : t[e / 4]);
}

/* Stores the moving components as struct rig_part has them. */
KERNEL_INLINE void NAME(put_parts)(const struct NAME(crossing) * crossing, uint32_t flags, uint32_t node, float *to)
{
    VF q[4];
    for (uint32_t i = 0; i < 4; i++)
        q[i] = NAME(load)(crossing->by_node[i][node]);
    if ((flags & LANES_ROTATE) != 0)
        NAME(normalize)(q);
    for (uint32_t i = 0; i < 4 && (flags & LANES_ROTATE) != 0; i++)
        NAME(store)(to + i * LANES, q[i]);
    for (uint32_t i = 0; i < 3 && (flags & LANES_TRANSLATE) != 0; i++)
        NAME(store)(to + (4 + i) * LANES, NAME(load)(crossing->by_node[4 + i][node]));
    for (uint32_t i = 0; i < 3 && (flags & LANES_SCALE) != 0; i++)
        NAME(store)(to + (8 + i) * LANES, NAME(load)(crossing->by_node[7 + i][node]));
}

KERNEL_INLINE void NAME(group_vector)(const struct kernel_group_lanes *group, const struct lane_block *block,
                                      uint32_t first, struct NAME(crossing) * crossing)
{
    float weights[LANES][2 * LANE_WIDTH];
    const uint32_t flags = block->flags;
    for (uint32_t i = 0; i < group->count && block_has_arcs(flags); i++)
        NAME(lanes_weights)(&group->lanes[i], block, first, weights[i]);
    for (uint32_t i = 0; i < group->count; i++)
        NAME(interpolate)(&group->lanes[i], block, first, weights[i], i, crossing);
    NAME(cross)(crossing, (flags & LANES_ROTATE) != 0 ? 0 : 4, (flags & LANES_TRANSLATE) != 0 ? 7 : 4);
    NAME(cross)(crossing, 7, (flags & LANES_SCALE) != 0 ? 10 : 7);
    const float *constants = group->lanes->values + block->constant_first + first;
    for (uint32_t n = 0; n < LANES; n++) {
        const size_t at = 12 * LANES * (size_t)block->rig_nodes[first + n];
        if (group->parts != NULL)
            NAME(put_parts)(crossing, flags, n, group->parts + at);
        else
            NAME(put_matrix)(crossing, constants + n, block, n, group->matrices + at);
    }
}

/* Gives all lanes the same twelve floats. */
KERNEL_INLINE void NAME(put_still)(const float *from, float *to)
{
    for (size_t e = 0; e < 12; e++)
        NAME(store)(to + e * LANES, from[e] - (VF){0});
}

static void NAME(lanes_group)(const struct kernel_group_lanes *group)
{
    struct NAME(crossing) crossing;
    for (size_t i = 0; i < group->still_count; i++) {
        const struct still_node *still = &group->still[i];
        NAME(put_still)(still->parent_from_node, group->matrices + 12 * LANES * (size_t)still->rig_node);
    }
    for (size_t i = 0; i < group->rest_count; i++)
        NAME(put_still)((const float *)(const void *)&group->rest[i], group->parts + 12 * LANES * i);
    for (uint32_t b = 0; b < group->lanes->block_count; b++)
        for (uint32_t i = 0; i < group->lanes->blocks[b].width; i += LANES)
            NAME(group_vector)(group, &group->lanes->blocks[b], i, &crossing);
}

/* kernel_group.h - products of affine matrices for LANES entities at once, so that no lane waits for another. A
 * template for kernel_*.c, which define LANES and include it after kernel_vectors.h. It defines compose_group_LANES()
 * and does the operations of kernel_scalar.c in the same order. */

/* out = a * b for affine matrices of three rows of four; a is in memory. */
KERNEL_INLINE void NAME(multiply)(const float *a, const VF b[12], VF out[12])
{
    for (size_t r = 0; r < 3; r++) {
        const VF x = NAME(load)(a + 4 * r * LANES), y = NAME(load)(a + (4 * r + 1) * LANES);
        const VF z = NAME(load)(a + (4 * r + 2) * LANES), w = NAME(load)(a + (4 * r + 3) * LANES);
        for (size_t c = 0; c < 4; c++)
            out[4 * r + c] = (x * b[c] + y * b[4 + c]) + (z * b[8 + c] + (c == 3 ? w : (VF){0}));
    }
}

/* Loads a node's parent_from_node from either input. */
KERNEL_INLINE void NAME(load_local)(const struct kernel_group *group, size_t node, bool has_locals, VF out[12])
{
    for (size_t r = 0; r < 3 && has_locals; r++)
        NAME(load_rows)(group->locals + KERNEL_MATRIX * node + 4 * r, group->local_stride, out + 4 * r);
    for (size_t e = 0; e < 12 && !has_locals; e++)
        out[e] = NAME(load)(group->matrices + (12 * node + e) * LANES);
}

KERNEL_INLINE void NAME(compose_nodes)(const struct kernel_group *group, bool has_locals)
{
    for (size_t n = 0; n < group->count; n++) {
        const int32_t parent = group->nodes[n].parent;
        VF local[12], scene[12];
        if (parent < 0 && !has_locals)
            continue;
        NAME(load_local)(group, n, has_locals, local);
        if (parent >= 0)
            NAME(multiply)(group->matrices + 12 * LANES * (size_t)parent, local, scene);
        for (size_t e = 0; e < 12; e++)
            NAME(store)(group->matrices + (12 * n + e) * LANES, parent >= 0 ? scene[e] : local[e]);
    }
}

/* Sums x * 0: the sum stays 0 in lanes whose elements are all finite, and becomes NaN in the others. */
KERNEL_INLINE VF NAME(check)(VF so_far, const VF rows[12])
{
    VF sum[4];
    for (size_t c = 0; c < 4; c++)
        sum[c] = (rows[c] * 0 + rows[4 + c] * 0) + rows[8 + c] * 0;
    return so_far + ((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

KERNEL_INLINE VF NAME(put_outputs)(const struct kernel_group *group, bool is_mat4)
{
    VF checked = {0};
    for (size_t i = 0; i < group->output_count; i++) {
        const struct rig_output *output = &group->outputs[i];
        VF bind[12], rows[12];
        float *to[LANES];
        for (size_t e = 0; e < 12; e++)
            bind[e] = output->joint_from_bind[e] - (VF){0};
        NAME(multiply)(group->matrices + 12 * LANES * (size_t)output->rig_node, bind, rows);
        checked = NAME(check)(checked, rows);
        for (size_t lane = 0; lane < LANES; lane++)
            to[lane] = group->out[lane] + (is_mat4 ? 16 : 12) * (size_t)output->joint;
        for (size_t c = 0; c < 4 && is_mat4; c += 2) {
            const VF first[4] = {rows[c], rows[4 + c], rows[8 + c], {0}};
            const VF second[4] = {rows[c + 1], rows[5 + c], rows[9 + c], (c == 2 ? 1.f : 0.f) - (VF){0}};
            NAME(store_two_rows)(to, 4 * c, first, second);
        }
        for (size_t r = 0; r < 3 && !is_mat4; r++)
            NAME(store_rows)(to, 4 * r, rows[4 * r], rows[4 * r + 1], rows[4 * r + 2], rows[4 * r + 3]);
    }
    return checked;
}

static uint32_t NAME(compose_group)(const struct kernel_group *group)
{
    uint32_t failed = 0;
    if (group->locals != NULL)
        NAME(compose_nodes)(group, true);
    else
        NAME(compose_nodes)(group, false);
    const VF checked = group->is_mat4 ? NAME(put_outputs)(group, true) : NAME(put_outputs)(group, false);
    for (int i = 0; i < LANES; i++)
        failed |= checked[i] != 0 ? UINT32_C(1) << i : 0;
    return failed;
}

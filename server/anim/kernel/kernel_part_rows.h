/* kernel_part_rows.h - makes and stores matrices of mixed local transforms; a template for kernel_mix.h. */

#if LANES == 1
/* Stores the matrix of the one lane in double precision; f64_matrices() (kernel_f64.h) does it for four lanes. */
KERNEL_INLINE void NAME(store_f64)(const struct NAME(part) * part, bool is_sized, size_t node, double *out)
{
    struct parts parts = {.is_turned = true, .is_scaled = is_sized};
    for (int i = 0; i < 4; i++)
        parts.rotation[i] = part->rotation[i][0];
    for (int i = 0; i < 3; i++) {
        parts.translation[i] = part->translation[i][0];
        parts.scale[i] = is_sized ? part->scale[i][0] : 1;
    }
    f64_rows_of_parts(&parts, out + 12 * node);
}
#else
KERNEL_INLINE void NAME(store_f64)(const struct NAME(part) * part, bool is_sized, size_t node, double *out)
{
    float parts[F64_PARTS * LANES];
    for (int i = 0; i < 4; i++)
        NAME(store)(parts + i * LANES, part->rotation[i]);
    for (int i = 0; i < 3; i++)
        NAME(store)(parts + (9 + i) * LANES, part->translation[i]);
    for (int i = 0; i < 3 && is_sized; i++)
        NAME(store)(parts + (12 + i) * LANES, part->scale[i]);
    for (uint32_t i = 0; i < LANES; i += 4) {
        const uint32_t first = (uint32_t)node + i, nodes[4] = {first, first + 1, first + 2, first + 3};
        f64_matrices(LANES_ROTATE | (is_sized ? LANES_SCALE : 0), parts + i, LANES, nodes, out);
    }
}
#endif

KERNEL_INLINE void NAME(rows_of_part)(const struct NAME(part) * part, bool is_sized, VF m[9])
{
    NAME(matrices_of_rotations)(part->rotation, m);
    for (int i = 0; i < 9 && is_sized; i++)
        m[i] = m[i] * part->scale[i % 3];
}

KERNEL_INLINE void NAME(store_local)(const struct NAME(part) * part, bool is_sized, size_t node, float *local)
{
    VF m[9];
    float *to[LANES];
    NAME(rows_of_part)(part, is_sized, m);
    for (size_t i = 0; i < LANES; i++)
        to[i] = local + KERNEL_MATRIX * (node + i);
    for (size_t r = 0; r < 3; r++)
        NAME(store_rows)(to, 4 * r, m[3 * r], m[3 * r + 1], m[3 * r + 2], part->translation[r]);
}

/* Stores each element of all lanes side by side, as in struct kernel_group. */
KERNEL_INLINE void NAME(store_elements)(const struct NAME(part) * part, bool is_sized, size_t node, float *local)
{
    VF m[9];
    NAME(rows_of_part)(part, is_sized, m);
    for (size_t e = 0; e < 12; e++)
        NAME(store)(local + (12 * node + e) * LANES, e % 4 < 3 ? m[e / 4 * 3 + e % 4] : part->translation[e / 4]);
}

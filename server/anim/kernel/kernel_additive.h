/* kernel_additive.h - layers that add the difference from their reference; a template for kernel_mix.h. */

/* conjugate(a) * b */
KERNEL_INLINE void NAME(relative)(const VF a[4], const VF b[4], VF out[4])
{
    out[0] = (a[3] * b[0] - a[0] * b[3]) - (a[1] * b[2] - a[2] * b[1]);
    out[1] = (a[3] * b[1] - a[1] * b[3]) - (a[2] * b[0] - a[0] * b[2]);
    out[2] = (a[3] * b[2] - a[2] * b[3]) - (a[0] * b[1] - a[1] * b[0]);
    out[3] = NAME(dot)(a, b);
}

/* a * b */
KERNEL_INLINE void NAME(product)(const VF a[4], const VF b[4], VF out[4])
{
    out[0] = (a[3] * b[0] + a[0] * b[3]) + (a[1] * b[2] - a[2] * b[1]);
    out[1] = (a[3] * b[1] + a[1] * b[3]) + (a[2] * b[0] - a[0] * b[2]);
    out[2] = (a[3] * b[2] + a[2] * b[3]) + (a[0] * b[1] - a[1] * b[0]);
    out[3] = (a[3] * b[3] - a[0] * b[0]) - (a[1] * b[1] + a[2] * b[2]);
}

KERNEL_INLINE void NAME(add_rotation)(struct NAME(mixed) * mixed, const VF reference[4], const VF added[4], VF weight)
{
    const VF none[4] = {{0}, {0}, {0}, 1 - (VF){0}};
    VF whole[4], part[4], turned[4];
    NAME(relative)(reference, added, whole);
    NAME(normalize)(whole);
    const VF cosine = NAME(slerp)(none, whole, weight, part);
    NAME(product)(mixed->part.rotation, part, turned);
    for (int i = 0; i < 4; i++)
        mixed->part.rotation[i] = NAME(select)(weight > 0, turned[i], mixed->part.rotation[i]);
    mixed->fault |= (weight > 0) & (cosine < KERNEL_DOT_MIN);
}

KERNEL_INLINE void NAME(add)(struct NAME(mixed) * mixed, const struct NAME(part) * reference,
                             const struct NAME(part) * added, VF weight, bool is_sized)
{
    struct NAME(part) *part = &mixed->part;
    const VI is_share = weight > 0;
    NAME(add_rotation)(mixed, reference->rotation, added->rotation, weight);
    for (int i = 0; i < 3; i++)
        part->translation[i] = part->translation[i] + weight * (added->translation[i] - reference->translation[i]);
    for (int i = 0; i < 3 && is_sized; i++) {
        const VI is_zero = reference->scale[i] == 0;
        const VF ratio = added->scale[i] / NAME(select)(is_zero, 1 - (VF){0}, reference->scale[i]);
        const VF grown = part->scale[i] * (1 + weight * (ratio - 1));
        const VF size = NAME(select)(is_zero, part->scale[i] + weight * added->scale[i], grown);
        part->scale[i] = NAME(select)(is_share, size, part->scale[i]);
        mixed->fault |= is_share & ~is_zero & (NAME(absolute)(ratio) > KERNEL_RATIO_MAX);
    }
}

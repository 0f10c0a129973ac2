#include "anim/hits/hit_rows.h"

#include "anim/kernel/kernel_simd.h"

/* Stores one row-major matrix as that of volume v: element k goes to array k. */
static void put_matrix(float *rows, uint32_t stride, uint32_t v, const float *matrix)
{
    for (int k = 0; k < HIT_ROW_FLOATS; k++)
        rows[(size_t)k * stride + v] = matrix[k];
}

/* The same for volumes v to v + 3, whose matrices belong to four joints of a palette. */
static void put_four(float *rows, uint32_t stride, uint32_t v, const float *palette, const struct hit_place *joints)
{
    for (size_t r = 0; r < 3; r++) {
        f32x4 row[4], columns[4];
        for (int i = 0; i < 4; i++)
            row[i] = f32x4_load(palette + (size_t)HIT_ROW_FLOATS * joints[i].joint + 4 * r);
        f32x4_transpose(row[0], row[1], row[2], row[3], columns);
        for (size_t c = 0; c < 4; c++)
            f32x4_store(rows + (4 * r + c) * stride + v, columns[c]);
    }
}

/* Stores the matrices of the joints of one skin. */
static void put_skin(const struct hit_set *set, const struct hit_skin *of, const float *palette, float *out)
{
    const int32_t skin = (int32_t)of->skin;
    for (uint32_t g = 0; g < of->group_count; g++) {
        const uint32_t v = set->groups[of->group_first + g] * HIT_GROUP;
        const struct hit_place *at = set->places + v;
        if (at[0].skin == skin && at[1].skin == skin && at[2].skin == skin && at[3].skin == skin) {
            put_four(out, set->stride, v, palette, at);
            continue;
        }
        for (uint32_t i = 0; i < HIT_GROUP; i++)
            if (at[i].skin == skin)
                put_matrix(out, set->stride, v + i, palette + (size_t)HIT_ROW_FLOATS * at[i].joint);
    }
}

int hit_rows_put(const struct hit_set *set, struct entity_work *work, float *palette, float *out, struct err *err)
{
    static const float IDENTITY[HIT_ROW_FLOATS] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    for (uint32_t v = set->count; v < set->stride; v++)
        put_matrix(out, set->stride, v, IDENTITY);
    for (uint32_t s = 0; s < set->skin_count; s++) {
        if (entity_palette(work, set->skins[s].skin, LAYOUT_MAT3X4, palette, err) < 0)
            return err->code;
        put_skin(set, &set->skins[s], palette, out);
    }
    if (set->node_count == 0)
        return 0;
    if (entity_nodes(work, set->nodes, set->node_count, LAYOUT_MAT3X4, palette, err) < 0)
        return err->code;
    for (uint32_t v = 0, n = 0; v < set->count; v++)
        if (set->places[v].skin < 0)
            put_matrix(out, set->stride, v, palette + (size_t)HIT_ROW_FLOATS * n++);
    return 0;
}

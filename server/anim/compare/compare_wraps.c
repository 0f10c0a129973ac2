/* compare_wraps.c - texture coordinates that differ by whole numbers where a texture repeats. This is not seen where
 * all corners of a triangle differ by the same; else the texture is stretched over the triangle. */
#include "anim/compare/compare_drawn.h"
#include "anim/model/material_layers.h"
#include "base/mem.h"

#include <stdlib.h>

struct wrap_search {
    const struct compare *compare;
    uint8_t *is_stretched; /* [count of the old list] */
};

/* True when the corners differ by other whole numbers on a texture that both materials have. */
static bool is_stretched(const struct compare *compare, const struct drawn_element *old,
                         const struct drawn_element *new)
{
    const struct drawn_vertices *drawn = compare->surface->drawn;
    const int32_t a = drawn_material(&drawn[COMPARE_OLD], old->corners[0]);
    const int32_t b = drawn_material(&drawn[COMPARE_NEW], new->corners[0]);
    for (uint32_t slot = 0; slot < TEXTURE_ALL_COUNT && a >= 0 && b >= 0; slot++) {
        const struct material_texture *was =
            material_texture_at(drawn[COMPARE_OLD].model, &drawn[COMPARE_OLD].model->materials[a], slot);
        const struct material_texture *is =
            material_texture_at(drawn[COMPARE_NEW].model, &drawn[COMPARE_NEW].model->materials[b], slot);
        struct texcoord_apart first = {0};
        for (uint32_t c = 0; c < old->corner_count && was->texture >= 0 && is->texture >= 0; c++) {
            const struct texcoord_apart apart = texcoords_compare(compare, old->corners[c], new->corners[c], was, is);
            if (c == 0)
                first = apart;
            else if (apart.whole[0] != first.whole[0] || apart.whole[1] != first.whole[1])
                return true;
        }
    }
    return false;
}

static void note_element(void *context, const struct drawn_element *old, const struct drawn_element *new)
{
    struct wrap_search *search = context;
    if (!is_stretched(search->compare, old, new))
        return;
    for (uint32_t c = 0; c < old->corner_count; c++)
        search->is_stretched[old->corners[c]] = 1;
}

uint8_t *wraps_find(struct compare *compare)
{
    struct wrap_search search = {
        .compare = compare,
        .is_stretched = mem_zalloc((size_t)compare->surface->drawn[COMPARE_OLD].count + 1, 1),
    };
    elements_match(compare, note_element, &search);
    return search.is_stretched;
}

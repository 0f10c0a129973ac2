/* compare_material_uses.c - matches the materials of both models by the triangles, lines and points that they draw. */
#include "anim/compare/compare_drawn.h"
#include "anim/model/material_layers.h"
#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* A hash table of uses by their materials: index of the use + 1; 0: free. */
enum { USES_MOST = 4096, USE_SLOTS = 2 * USES_MOST };

struct use_list {
    const struct compare *compare;
    struct material_use *uses; /* [USES_MOST] */
    uint32_t count;
    uint32_t slots[USE_SLOTS];
    uint8_t *is_drawn; /* [material_count + 1] of the old model, the last for none: one of its elements was matched */
};

bool texture_transforms_differ(const struct material_texture *a, const struct material_texture *b)
{
    for (int i = 0; i < 6; i++)
        if (fabs((double)a->uv_from_texcoord[i] - (double)b->uv_from_texcoord[i]) > 1e-3)
            return true;
    return false;
}

static const struct material_texture *texture_at(const struct compare *compare, enum compare_side side,
                                                 const int32_t materials[COMPARE_SIDES], uint32_t slot)
{
    const struct model *model = compare->sides[side].model;
    return material_texture_at(model, &model->materials[materials[side]], slot);
}

/* Returns bits of the textures that both materials have with different transforms. */
static uint32_t transformed_slots(const struct compare *compare, const int32_t materials[COMPARE_SIDES])
{
    uint32_t out = 0;
    for (uint32_t slot = 0; slot < TEXTURE_ALL_COUNT && materials[COMPARE_OLD] >= 0 && materials[COMPARE_NEW] >= 0;
         slot++) {
        const struct material_texture *was = texture_at(compare, COMPARE_OLD, materials, slot);
        const struct material_texture *is = texture_at(compare, COMPARE_NEW, materials, slot);
        out |= (uint32_t)(was->texture >= 0 && is->texture >= 0 && texture_transforms_differ(was, is)) << slot;
    }
    return out;
}

/* Notes the textures that lie elsewhere at a vertex because their transform is another one. */
static void look_at_transforms(const struct compare *compare, struct material_use *use, uint32_t old, uint32_t new)
{
    for (uint32_t slot = 0; use->transformed_slots >> slot != 0; slot++) {
        if ((use->transformed_slots >> slot & 1) == 0)
            continue;
        const struct texcoord_apart apart =
            texcoords_compare(compare, old, new, texture_at(compare, COMPARE_OLD, use->materials, slot),
                              texture_at(compare, COMPARE_NEW, use->materials, slot));
        use->moved_slots |= (uint32_t)(apart.seen > TEXCOORD_NEAR && apart.stored <= TEXCOORD_NEAR) << slot;
    }
}

/* Returns the use of both materials, or NULL if there are too many. */
static struct material_use *use_of(struct use_list *list, const int32_t materials[COMPARE_SIDES])
{
    uint32_t at = (uint32_t)hash64(HASH64_SEED, materials, 2 * sizeof *materials) & (USE_SLOTS - 1);
    while (list->slots[at] != 0 &&
           memcmp(list->uses[list->slots[at] - 1].materials, materials, 2 * sizeof *materials) != 0)
        at = (at + 1) & (USE_SLOTS - 1);
    if (list->slots[at] != 0)
        return &list->uses[list->slots[at] - 1];
    if (list->count == USES_MOST)
        return NULL;
    struct material_use *use = &list->uses[list->count++];
    const struct model *old = list->compare->sides[COMPARE_OLD].model;
    const int32_t material = materials[COMPARE_OLD];
    *use = (struct material_use){.materials = {material, materials[COMPARE_NEW]},
                                 .old_key =
                                     material < 0 ? 0 : name_key(old, old->materials[material].name, NAME_REWRITTEN),
                                 .transformed_slots = transformed_slots(list->compare, materials)};
    list->slots[at] = list->count;
    return use;
}

static void note(struct use_list *list, const uint32_t *old, const uint32_t *new, uint32_t corner_count)
{
    const struct drawn_vertices *drawn = list->compare->surface->drawn;
    const int32_t materials[COMPARE_SIDES] = {drawn_material(&drawn[COMPARE_OLD], old[0]),
                                              drawn_material(&drawn[COMPARE_NEW], new[0])};
    struct material_use *use = use_of(list, materials);
    if (use == NULL)
        return;
    if (use->count++ == 0) {
        use->corner_count = corner_count;
        use->vertices[COMPARE_OLD] = old[0];
        use->vertices[COMPARE_NEW] = new[0];
    }
    for (uint32_t c = 0; c == 0 || c < corner_count; c++)
        look_at_transforms(list->compare, use, old[c], new[c]);
}

static uint8_t *drawn_flag(struct use_list *list, uint32_t at)
{
    const struct drawn_vertices *old = &list->compare->surface->drawn[COMPARE_OLD];
    const int32_t material = drawn_material(old, at);
    return &list->is_drawn[material < 0 ? old->model->material_count : (uint32_t)material];
}

static void note_element(void *context, const struct drawn_element *old, const struct drawn_element *new)
{
    struct use_list *list = context;
    *drawn_flag(list, old->corners[0]) = 1;
    note(list, old->corners, new->corners, old->corner_count);
}

static void mark_most(struct material_use *uses, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uses[i].is_most = true;
        for (uint32_t k = 0; k < count; k++) {
            const bool is_before = uses[k].count > uses[i].count || (k < i && uses[k].count == uses[i].count);
            if (uses[k].materials[COMPARE_OLD] == uses[i].materials[COMPARE_OLD] && is_before)
                uses[i].is_most = false;
        }
    }
}

struct material_use *material_uses_list(struct compare *compare, uint32_t *count)
{
    const struct drawn_vertices *old = &compare->surface->drawn[COMPARE_OLD];
    struct use_list *list = mem_zalloc(1, sizeof *list);
    list->compare = compare;
    list->uses = mem_alloc(USES_MOST * sizeof *list->uses);
    list->is_drawn = mem_zalloc((size_t)old->model->material_count + 1, sizeof *list->is_drawn);
    elements_match(compare, note_element, list);
    /* a surface may be divided into other triangles: its vertices are in both */
    for (uint32_t i = 0; i < old->count; i++)
        if (old->partners[i] >= 0 && *drawn_flag(list, i) == 0)
            note(list, &i, (const uint32_t[]){(uint32_t)old->partners[i]}, 0);
    struct material_use *uses = list->uses;
    *count = list->count;
    mark_most(uses, *count);
    free(list->is_drawn);
    free(list);
    return uses;
}

/* compare_look_pairs.c - pairs the materials, lights, cameras and drawing nodes of two models whose looks are compared.
 */
#include "anim/compare/compare_looks.h"
#include "base/mem.h"

#include <stdlib.h>

static int32_t *no_partners(uint32_t count)
{
    int32_t *partners = mem_alloc(((size_t)count + 1) * sizeof *partners);
    for (uint32_t i = 0; i < count; i++)
        partners[i] = -1;
    return partners;
}

static uint32_t place_count(const struct model *model, bool is_light)
{
    return is_light ? model->light_count : model->camera_count;
}

static uint32_t place_node(const struct model *model, bool is_light, uint32_t index)
{
    return is_light ? model->lights[index].node : model->cameras[index].node;
}

static uint64_t place_key(const struct model *model, bool is_light, uint32_t index)
{
    return name_key(model, is_light ? model->lights[index].name : model->cameras[index].name, NAME_REWRITTEN);
}

/* Pairs lights or cameras by their nodes, then by their names, then the only ones. */
static void match_places(const struct compare *compare, bool is_light, int32_t *const partners[COMPARE_SIDES])
{
    const struct compare_model *old = &compare->sides[COMPARE_OLD], *new = &compare->sides[COMPARE_NEW];
    const uint32_t counts[COMPARE_SIDES] = {place_count(old->model, is_light), place_count(new->model, is_light)};
    struct name_entry *entries = mem_alloc(((size_t)counts[0] + counts[1] + 1) * sizeof *entries);
    for (int pass = 0; pass < 2; pass++) {
        size_t count = 0;
        for (uint32_t s = 0; s < COMPARE_SIDES; s++)
            for (uint32_t i = 0; i < counts[s]; i++) {
                const uint32_t node = place_node(compare->sides[s].model, is_light, i);
                const int32_t partner = s == COMPARE_OLD ? (int32_t)node : new->partners[node];
                const uint64_t key =
                    pass == 0 ? (uint64_t)(int64_t)(partner + 1) : place_key(compare->sides[s].model, is_light, i);
                if (partners[s][i] < 0 && key != 0)
                    entries[count++] = (struct name_entry){.key = key, .index = i, .side = s};
            }
        names_match(entries, count, partners);
    }
    if (counts[COMPARE_OLD] == 1 && counts[COMPARE_NEW] == 1)
        partners[COMPARE_OLD][0] = partners[COMPARE_NEW][0] = 0;
    free(entries);
}

/* Pairs the nodes that draw meshes: by their names, else by the vertices that they draw. */
static void match_meshes(const struct compare *compare, int32_t *const partners[COMPARE_SIDES])
{
    const struct drawn_vertices *drawn = compare->surface->drawn, *old = &drawn[COMPARE_OLD];
    const struct compare_model *side = &compare->sides[COMPARE_OLD];
    const struct node *others = compare->sides[COMPARE_NEW].model->nodes;
    for (uint32_t n = 0; n < side->model->node_count; n++)
        if (side->model->nodes[n].mesh >= 0 && side->partners[n] >= 0 && others[side->partners[n]].mesh >= 0)
            partners[COMPARE_OLD][n] = side->partners[n];
    for (uint32_t first = 0; first < old->count; first += drawn_primitive(old, first)->vertex_count) {
        const int32_t matched = drawn_first_matched(old, first);
        const uint32_t node = drawn_node(old, first);
        if (matched >= 0 && partners[COMPARE_OLD][node] < 0)
            partners[COMPARE_OLD][node] = (int32_t)drawn_node(&drawn[COMPARE_NEW], (uint32_t)old->partners[matched]);
    }
    for (uint32_t n = 0; n < side->model->node_count; n++)
        if (partners[COMPARE_OLD][n] >= 0)
            partners[COMPARE_NEW][partners[COMPARE_OLD][n]] = (int32_t)n;
}

void looks_make(struct compare *compare)
{
    struct looks *looks = compare->looks = mem_zalloc(1, sizeof *looks);
    for (int s = 0; s < COMPARE_SIDES; s++) {
        const struct model *model = compare->sides[s].model;
        looks->materials[s] = no_partners(model->material_count);
        looks->lights[s] = no_partners(model->light_count);
        looks->cameras[s] = no_partners(model->camera_count);
        looks->meshes[s] = no_partners(model->node_count);
        looks->is_shown[s] = mem_zalloc((size_t)model->node_count + 1, 1);
    }
    match_places(compare, true, looks->lights);
    match_places(compare, false, looks->cameras);
    match_meshes(compare, looks->meshes);
}

void looks_pair_materials(struct compare *compare, int32_t old, int32_t new)
{
    struct looks *looks = compare->looks;
    looks->materials[COMPARE_OLD][old] = new;
    if (looks->materials[COMPARE_NEW][new] < 0)
        looks->materials[COMPARE_NEW][new] = old;
}

void looks_free(struct compare *compare)
{
    struct looks *looks = compare->looks;
    if (looks == NULL)
        return;
    for (int s = 0; s < COMPARE_SIDES; s++) {
        free(looks->materials[s]);
        free(looks->lights[s]);
        free(looks->cameras[s]);
        free(looks->meshes[s]);
        free(looks->is_shown[s]);
        appearance_fini(&looks->appearances[s]);
    }
    free(looks->list);
    free(looks);
    compare->looks = NULL;
}

#include "anim/given/given_materials.h"

#include "base/sort.h"

#include <string.h>

/* Returns the part of a material that a bind changes, or -1: pictures do not show it. */
static int part_of(const struct expression_bind *bind)
{
    if (bind->kind == BIND_TEXTURE_TRANSFORM)
        return GIVEN_TEXTURE_TRANSFORM;
    if (bind->kind != BIND_COLOR)
        return -1;
    return bind->index == EXPRESSION_COLOR            ? GIVEN_BASE_COLOR
           : bind->index == EXPRESSION_EMISSION_COLOR ? GIVEN_EMISSIVE
                                                      : -1;
}

static int compare_materials(const void *a, const void *b)
{
    const struct given_material *one = a, *other = b;
    if (one->material != other->material)
        return one->material < other->material ? -1 : 1;
    return (one->part > other->part) - (one->part < other->part);
}

/* Returns the place of a part among the sorted materials. */
static uint32_t place_of(const struct given_weights *weights, uint32_t material, uint32_t part)
{
    uint32_t at = LOWER_BOUND(weights->materials, weights->material_count, material, material);
    while (weights->materials[at].part != part)
        at++;
    return at;
}

int32_t given_materials_place(const struct given_weights *weights, const struct expression_bind *bind)
{
    const int part = part_of(bind);
    return part < 0 ? -1 : (int32_t)place_of(weights, bind->target, (uint32_t)part);
}

static void order_materials(struct given_weights *weights)
{
    uint32_t kept = 0;
    sort_in_place(weights->materials, weights->material_count, sizeof *weights->materials, compare_materials);
    for (uint32_t i = 0; i < weights->material_count; i++)
        if (kept == 0 || compare_materials(&weights->materials[kept - 1], &weights->materials[i]) != 0)
            weights->materials[kept++] = weights->materials[i];
    weights->material_count = kept;
    for (uint32_t i = 0; i < kept; i++)
        weights->materials[i].first = GIVEN_MATERIAL_VALUES * i;
}

void given_materials_add(struct given_weights *weights)
{
    const struct model *model = weights->model;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < weights->entry_count; i++) {
            const int32_t found = weights->expressions[i];
            const struct expression *at = found < 0 ? NULL : &model->expressions[found];
            for (uint32_t b = 0; at != NULL && b < at->bind_count; b++) {
                const struct expression_bind *bind = &model->expression_binds[at->bind_first + b];
                const int part = part_of(bind);
                if (part >= 0 && pass == 0)
                    weights->materials[weights->material_count++] =
                        (struct given_material){.material = bind->target, .part = (uint32_t)part};
                else if (part >= 0)
                    weights->shares[weights->share_count++] = (struct given_share){
                        place_of(weights, bind->target, (uint32_t)part), (uint32_t)found, bind->values};
            }
        }
        if (pass == 0)
            order_materials(weights);
    }
}

void given_materials_put(const struct given_weights *weights, double *out)
{
    memset(out, 0, weights->material_count * GIVEN_MATERIAL_VALUES * sizeof *out);
    for (uint32_t s = 0; s < weights->share_count; s++) {
        double *values = out + (size_t)GIVEN_MATERIAL_VALUES * weights->shares[s].item;
        const double shown = (double)weights->shown[weights->shares[s].expression];
        values[0] += shown;
        for (int k = 0; k < 4; k++)
            values[1 + k] += shown * (double)weights->shares[s].values[k];
    }
}
